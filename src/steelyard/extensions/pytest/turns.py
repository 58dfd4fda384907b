"""Tests measured in turns with those of another commit: two interpreters, a work tree each, alternately.

In each of several pairs of processes, tests of a file run block by block: all tests in random order, and of
each both versions, in random order. Whatever the machine does meanwhile touches both.
"""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, BinaryIO, Final

import msgspec

from steelyard.core.errors import SteelyardError
from steelyard.core.units import Scalar
from steelyard.extensions.pytest.messages import TASK, CollectedTests, Order, OrderOutcome, Task
from steelyard.extensions.repository.repository import Repository
from steelyard.stats.compare.turns import Turned, compare_turns

if TYPE_CHECKING:
    import pytest

LOOKS: Final[Mapping[int, float]] = {6: 0.6, 12: 0.2, 18: 0.2}
"""Pairs of processes after which a test may be decided, and the share of alpha that each look has: with a
standard deviation of 5 % from pair to pair, 10 % more time shows in 99 of 100 tests."""
BLOCKS: Final = 8
"""Values of each version of a test in a pair, at least."""
MOST_BLOCKS: Final = 32
"""Of them, while a test takes less than ``CHEAP_S`` in a pair: a process takes longer to start."""
CHEAP_S: Final = 0.5
SCREENED: Final = 2
"""Pairs after which a test that does not look slower is given up."""
LEAST_SLOWER: Final = 0.01
"""Relative slowing below which a test does not look slower."""
HOPELESS: Final = 0.5
"""p of the pairs alone above which more of them would hardly show anything."""
DIGITS: Final = 12
"""Of a commit where it is named."""


class UnmeasurableError(SteelyardError):
    """Turns with this commit are not possible, and why."""


class TurnsConfirmation(msgspec.Struct, frozen=True):
    """What turns with a commit showed.

    Attributes
    ----------
    commit : str
        The beginning of its id.
    turned : Mapping
        By node id, each test that was measured.
    reasons : Mapping
        By node id, why another one was not.
    """

    commit: str
    turned: Mapping[str, Turned]
    reasons: Mapping[str, str]


def describe_commit(root: Path) -> dict[str, Scalar]:
    """Return the commit of a work tree, and whether its files differ from it.

    Nothing outside of a repository.
    """
    try:
        repository = Repository(root)
        return {"git_commit": repository.commit("HEAD"), "git_dirty": repository.dirty}
    except SteelyardError:
        return {}


def measure_in_turns(
    config: pytest.Config, items: Sequence[pytest.Item], revision: str, *, screens: bool
) -> TurnsConfirmation:
    """Measure tests in turns with their versions of another commit.

    Parameters
    ----------
    screens : bool
        Give a test up that does not look slower after the first pairs.

    Raises
    ------
    UnmeasurableError
        Not in a repository, no such commit, or its tests cannot be imported or import code of elsewhere.
    """
    root = config.rootpath
    try:
        repository = Repository(root)
        commit = repository.commit(revision)
        top = Path(repository.ask("rev-parse", "--show-toplevel").rstrip("\n"))
        with tempfile.TemporaryDirectory(prefix="steelyard-") as scratch:
            tree = Path(os.path.realpath(scratch), "tree")
            try:
                repository.check_out(commit, tree)
                return Turns(config, top, tree, commit[:DIGITS]).measure(items, screens=screens)
            finally:
                repository.remove(tree)
    except UnmeasurableError:
        raise
    except SteelyardError as error:
        raise UnmeasurableError(error.message) from None


def is_promising(test: Turned, *, screens: bool) -> bool:
    """Whether a test is open, and more pairs may decide it."""
    size = math.log(test.ratio)
    larger = size if screens else abs(size)
    return test.outcome == "not_resolved" and larger > LEAST_SLOWER and test.p < HOPELESS


class Turns:
    """The pairs of one comparison, and the differences that they gave."""

    def __init__(self, config: pytest.Config, top: Path, tree: Path, commit: str) -> None:
        self._config = config
        self._top = Path(os.path.realpath(top))
        self._tree = tree
        self._commit = commit
        self._differences: dict[str, list[float]] = {}
        self._reasons: dict[str, str] = {}

    def measure(self, items: Sequence[pytest.Item], *, screens: bool) -> TurnsConfirmation:
        """Measure these tests pair by pair, each until it is decided or more pairs are not promising."""
        files: dict[str, list[str]] = {}
        for item in items:
            file = item.nodeid.partition("::")[0]
            if (self._make_directory(self._tree, self._config.rootpath) / file).exists():
                files.setdefault(file, []).append(item.nodeid)
            else:
                self._reasons[item.nodeid] = f"{self._commit} has no {file}"
        ended: set[str] = set()
        for pair in range(max(LOOKS)):
            going = {
                file: [test for test in tests if test not in ended and test not in self._reasons]
                for file, tests in files.items()
            }
            if not any(going.values()):
                break
            self._measure_pair(pair, {file: tests for file, tests in going.items() if tests})
            if screens and pair + 1 == SCREENED:
                ended = {name for name, logs in self._differences.items() if fmean(logs) <= LEAST_SLOWER}
            if pair + 1 in LOOKS:
                ended |= {test.name for test in self._compare() if not is_promising(test, screens=screens)}
        turned = {test.name: test for test in self._compare()}
        return TurnsConfirmation(self._commit, turned, self._reasons)

    def _compare(self) -> tuple[Turned, ...]:
        sound = {name: logs for name, logs in self._differences.items() if name not in self._reasons}
        return compare_turns(sound, LOOKS)

    def _measure_pair(self, number: int, files: Mapping[str, Sequence[str]]) -> None:
        """Start one process of each version, and end both."""
        draw = random.Random(f"{self._commit} {number}")
        tests = tuple(test for of_file in files.values() for test in of_file)
        with ExitStack() as stack:
            new, old = (
                stack.enter_context(self._arm(top, path, list(files), tests, number))
                for top, path in ((self._top, self._tree), (self._tree, self._top))
            )
            missing: dict[str, str] = {}
            for arm, name in ((new, "this tree"), (old, self._commit)):
                collected = arm.begin()
                reason = f"it is not in {name}" + (f": {collected.error}" if collected.error else "")
                missing |= dict.fromkeys(collected.missing, reason)
            self._reasons |= missing
            for of_file in files.values():
                self._measure_file([test for test in of_file if test not in missing], (new, old), draw)
            for arm, name in ((new, "this tree"), (old, self._commit)):
                if foreign := arm.end():
                    raise UnmeasurableError(f"the tests of {name} import {foreign}, which is not its own")

    def _measure_file(self, tests: Sequence[str], arms: tuple[_Arm, _Arm], draw: random.Random) -> None:
        logs: dict[str, list[list[float]]] = {test: [[], []] for test in tests}
        spent_s = dict.fromkeys(tests, 0.0)
        for block in range(MOST_BLOCKS + 1):  # The first finds the warm-up.
            for test in draw.sample(tests, len(tests)):
                if test in self._reasons or (block > BLOCKS and spent_s[test] > CHEAP_S):
                    continue
                begin_s = time.monotonic()
                for place in draw.sample((0, 1), 2):
                    reply = arms[place].ask(test)
                    if reply.error:
                        place_name = ("in this tree", f"in {self._commit}")[place]
                        self._reasons[test] = f"it gives no value {place_name}: {reply.error}"
                        break
                    if block and reply.value is not None:
                        logs[test][place].append(math.log(reply.value))
                spent_s[test] += time.monotonic() - begin_s
        for test, (new, old) in logs.items():
            if test not in self._reasons:
                self._differences.setdefault(test, []).append(fmean(new) - fmean(old))

    def _make_directory(self, top: Path, path: Path) -> Path:
        """Return the place in a work tree of a path below the tree under test; other paths stay."""
        path = Path(os.path.realpath(path))
        return top / path.relative_to(self._top) if path.is_relative_to(self._top) else path

    @contextmanager
    def _arm(
        self, top: Path, path: Path, files: Sequence[str], tests: tuple[str, ...], number: int
    ) -> Iterator[_Arm]:
        config = self._config
        root = self._make_directory(top, config.rootpath)
        # All words mean for an arm what they mean here, but for the files to collect, which are in its task.
        words = [word.replace(str(self._top), str(top)) for word in config.invocation_params.args]
        # What an earlier session left in the cache would choose among the tests.
        uncached = ["-o", "cache_dir={}"] if config.pluginmanager.hasplugin("cacheprovider") else []
        with tempfile.TemporaryDirectory(prefix="steelyard-") as scratch, ExitStack() as stack:
            orders, replies = os.pipe(), os.pipe()
            log = stack.enter_context(Path(scratch, "log").open("w+b"))
            paths = tuple(str(root / file) for file in files)
            task = Task(orders[0], replies[1], paths, tests, str(top), str(path))
            env = {"PYTHONHASHSEED": str(number + 1), **os.environ}
            env[TASK] = msgspec.json.encode(task).decode()
            env["PYTHONPATH"] = os.pathsep.join(self._import_places(top))
            # Not "-m pytest" alone, which would let the current directory be imported from.
            process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-m", "pytest"),
                    *words,
                    *(word.replace("{}", scratch) for word in uncached),
                    *("--rootdir", str(root)),
                ],
                cwd=self._make_directory(top, config.invocation_params.dir),
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=(orders[0], replies[1]),
            )
            try:
                os.close(orders[0])
                os.close(replies[1])
                writing = stack.enter_context(os.fdopen(orders[1], "wb", buffering=0))
                reading = stack.enter_context(os.fdopen(replies[0], "rb"))
                yield _Arm(writing, reading, log)
            finally:
                process.kill()
                process.wait()

    def _import_places(self, top: Path) -> Iterator[str]:
        """Entries of ``sys.path`` that lie in the work tree, in that of the arm, and those of PYTHONPATH."""
        installed = tuple(map(os.path.realpath, (sys.prefix, sys.base_prefix)))
        named = {
            os.path.realpath(entry) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry
        }
        for entry in dict.fromkeys(os.path.realpath(entry or ".") for entry in sys.path):
            if entry in named or (
                Path(entry).is_relative_to(self._top) and not any(map(Path(entry).is_relative_to, installed))
            ):
                yield str(self._make_directory(top, Path(entry)))


class _Arm:
    """A process that runs one version, seen from the conductor."""

    def __init__(self, orders: BinaryIO, replies: BinaryIO, log: BinaryIO) -> None:
        self._orders = orders
        self._replies = replies
        self._log = log

    def begin(self) -> CollectedTests:
        """Wait for what was collected."""
        return msgspec.json.decode(self._render_line_of(), type=CollectedTests)

    def ask(self, test: str) -> OrderOutcome:
        """Let a test run once."""
        self._send(Order(test))
        return msgspec.json.decode(self._render_line_of(), type=OrderOutcome)

    def end(self) -> str:
        """Let the session end; a module that is not of its tree, or nothing."""
        self._send(Order(None))
        return msgspec.json.decode(self._render_line_of(), type=OrderOutcome).foreign

    def _send(self, order: Order) -> None:
        with suppress(BrokenPipeError):  # What it said last is told by the next reading.
            self._orders.write(msgspec.json.encode(order) + b"\n")

    def _render_line_of(self) -> bytes:
        line = self._replies.readline()
        if not line:
            self._log.seek(0)
            text = self._log.read().decode(errors="replace").strip().splitlines()
            raise UnmeasurableError(f"a second pytest ended early: {text[-1] if text else 'without a word'}")
        return line
