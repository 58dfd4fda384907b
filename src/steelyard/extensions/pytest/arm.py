"""One arm of a comparison in turns: a session of pytest that runs a timed test when it is told to.

The conductor (``steelyard.extensions.pytest.turns``) starts two, one on the work tree under test and one on a
work tree of the old commit. An arm sends ``CollectedTests`` at first, then an ``OrderOutcome`` to
each ``Order``.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec
import pytest

from steelyard.extensions.pytest.fixture import TimedTest
from steelyard.extensions.pytest.messages import CollectedTests, Order, OrderOutcome, Task
from steelyard.extensions.pytest.passes import TIMED, Ran, run_alone, tear_down


class Arm:
    """The session's part: collect, then run what is ordered; no hook of another plugin sees its end."""

    def __init__(self, config: pytest.Config, task: Task) -> None:
        self.config = config
        self._task = task
        self._errors: list[str] = []
        config.args = list(task.files)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note what cannot be collected."""
        if report.failed:
            self._errors.append(_take_last_line(report.longreprtext))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Serve the conductor instead of running tests."""
        with (
            os.fdopen(self._task.orders, "rb") as orders,
            os.fdopen(self._task.replies, "wb", buffering=0) as replies,
        ):
            self._serve(session, orders, replies)
        # What pytest would do now, such as writing reports where the conductor's session writes its own,
        # would be done twice.
        os._exit(0)

    def _serve(self, session: pytest.Session, orders: BinaryIO, replies: BinaryIO) -> None:
        names = set(self._task.tests)
        ran = {item.nodeid: Ran(item, []) for item in session.items if item.nodeid in names}
        for test in ran.values():
            test.item.stash[TIMED] = TimedTest(self.config.getoption("steelyard_least_ms") / 1e3)
        missing = tuple(name for name in self._task.tests if name not in ran)
        _send(replies, CollectedTests(missing, self._errors[0] if self._errors else ""))
        latest: pytest.Item | None = None
        for order in _read(orders):
            if order.test is None:
                if latest is not None:
                    tear_down(latest, None)
                _send(replies, OrderOutcome(foreign=_find_foreign_module(self._task)))
                return
            test = ran[order.test]
            if latest is not None:
                tear_down(latest, test.item)
            latest = test.item
            _send(replies, _make_reply(test))


def _read(orders: BinaryIO) -> Iterator[Order]:
    for line in orders:
        yield msgspec.json.decode(line, type=Order)


def _send(replies: BinaryIO, message: CollectedTests | OrderOutcome) -> None:
    replies.write(msgspec.json.encode(message) + b"\n")


def _make_reply(test: Ran) -> OrderOutcome:
    values = len(test.timed.values)
    if run_alone(test):
        return OrderOutcome(test.timed.values[-1] if len(test.timed.values) > values else None)
    for report in test.reports:
        if report.failed:
            return OrderOutcome(error=_take_last_line(report.longreprtext))
        if report.skipped:
            return OrderOutcome(error="it is skipped")
    return OrderOutcome(error="it times nothing")


def _take_last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no reason given")


def _find_foreign_module(task: Task) -> str:
    """Return a module whose code is not that of the tree, so that the commit was not measured.

    It is empty without one.
    """
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and _is_foreign(name, os.path.realpath(file), task):
            return f"{name} from {file}"
    return ""


def _is_foreign(name: str, file: str, task: Task) -> bool:
    if _is_below(file, task.tree) or _is_library(file):
        return False
    if _is_below(file, task.other_path) and not _is_installed(file):
        return True
    package = name.partition(".")[0]
    places = (Path(task.tree), Path(task.tree, "src"))
    return any((place / package / "__init__.py").is_file() for place in places) or any(
        (place / f"{package}.py").is_file() for place in places
    )


def _is_library(file: str) -> bool:
    """Whether a file is of Python's own library."""
    paths = sysconfig.get_paths()
    return not _is_installed(file) and any(_is_below(file, paths[key]) for key in ("stdlib", "platstdlib"))


def _is_installed(file: str) -> bool:
    """Whether a file is of a package that was installed."""
    paths = sysconfig.get_paths()
    return any(_is_below(file, paths[key]) for key in ("purelib", "platlib"))


def _is_below(file: str, directory: str) -> bool:
    return Path(file).is_relative_to(os.path.realpath(directory))
