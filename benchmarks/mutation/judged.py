"""Run the tests in a process of their own, with a mutant or with none."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import altered
import pytest
from mutants import ROOM, ROOT, Mutant
from reach import Reach, Tracer

SLOW: Final = ("test_rates.py", "test_coverage.py")
"""Simulations of rates: they notice what changes a level by points, and take most of the time of the room."""

State = Literal["killed", "killed by time", "survived", "not reached"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of a mutant."""

    state: State
    by: str
    """The first test that failed; empty where none did."""
    tests: int
    """How many call the function."""
    took_s: float


def load() -> None:
    """Import once what takes long and is not the project's: every mutant gets a copy of this process."""
    import msgspec
    import numpy as np
    import scipy.special
    import scipy.stats
    import statsmodels.api
    import uncertainties

    del msgspec, np, scipy, statsmodels, uncertainties
    if any(name.partition(".")[0] == "steelyard" for name in sys.modules):
        raise RuntimeError("steelyard was imported before it could be changed")


def apart(work: Callable[[], Any], limit_s: float) -> Any:
    """What ``work`` returns in a copy of this process, without output; ``None`` where that takes too long."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.setsid()
        os.close(reading)
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        try:
            data = pickle.dumps(work())
        except BaseException as error:  # noqa: BLE001 - nothing may return into the copy of the caller
            data = pickle.dumps(RuntimeError("".join(traceback.format_exception(error))))
        with os.fdopen(writing, "wb") as out:
            out.write(data)
        os._exit(0)
    os.close(writing)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
    signal.alarm(int(limit_s))
    with os.fdopen(reading, "rb") as answer:
        data = answer.read()
    signal.alarm(0)
    os.waitpid(child, 0)
    returned = pickle.loads(data) if data else None  # noqa: S301 - written by our own child
    if isinstance(returned, RuntimeError):
        raise returned
    return returned


def _pytest(tests: Sequence[str], plugin: object, *options: str) -> int:
    os.chdir(ROOT)
    # Properties try the same examples every time.
    os.environ["CI"] = "1"
    plain = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *options]
    return int(pytest.main([*plain, *tests], plugins=[plugin]))


def reach_of(paths: dict[str, Path], limit_s: float) -> Reach:
    """Run every test of the room but the slow ones, without a mutant."""

    def work() -> Reach:
        altered.trace(paths)
        tracer = Tracer()
        ignored = [f"--ignore=tests/{ROOM}/{name}" for name in SLOW]
        _pytest([f"tests/{ROOM}"], tracer, *ignored, "--timeout=0")
        return tracer.reach

    result = apart(work, limit_s)
    if not isinstance(result, Reach):
        raise TimeoutError(f"the tests did not end within {limit_s:.0f} s")
    return result


class _First:
    """Keeps to some tests in a given order, and remembers the first that fails."""

    def __init__(self, order: Sequence[str]) -> None:
        self._order = {test: i for i, test in enumerate(order)}
        self.failed = ""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self._order), key=lambda item: self._order[item.nodeid]
        )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid


def judge(mutant: Mutant, reach: Reach, limit_s: float) -> Judgement:
    """Run the tests that call the mutant's function until one fails."""
    tests = reach.of(f"{mutant.module}:{mutant.function}", f"test_{mutant.path.stem}.py")
    if not tests:
        return Judgement("not reached", "", 0, 0.0)

    def work() -> tuple[int, str]:
        altered.replace(mutant.module, mutant.path, mutant.code)
        first = _First(tests)
        files = dict.fromkeys(test.partition("::")[0] for test in tests)
        code = _pytest(list(files), first, "-x")
        return code, first.failed

    started = time.monotonic()
    done = apart(work, limit_s)
    took = time.monotonic() - started
    if done is None:
        return Judgement("killed by time", "", len(tests), took)
    code, failed = done
    if bool(code) != bool(failed):
        raise RuntimeError(f"{mutant.name}: pytest ended with {code}, and failed is {failed or 'nothing'}")
    return Judgement("killed" if code else "survived", failed, len(tests), took)
