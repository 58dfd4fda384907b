"""Hooks and options of the plugin for pytest (docs/pytest.md).

A session times nothing under pytest-xdist, whose workers would disturb each other, and says so.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from steelyard.exchange.recording import Taken
    from steelyard.stats.compare.sessions import Moved
    from steelyard.testing.passes import Ran
    from steelyard.testing.session import File

BLOCKS: Final = 20
MOST_BLOCKS: Final = 100_000
LEAST_MS: Final = 5.0
LONGEST_MS: Final = 60_000.0
"""Time that one value may take."""
UNTIMED: Final = "steelyard: not timed"
"""Property of such a test, by which it is known where another process ran it."""

FIXTURES: Final = frozenset({"steelyard", "benchmark"})
KEPT: Final = Path(".steelyard")
"""Directory below pytest's rootdir with the sessions that ``--steelyard-save`` keeps."""


def milliseconds(text: str) -> float:
    """Read a positive time of at most a minute.

    Raises
    ------
    argparse.ArgumentTypeError
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= LONGEST_MS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time above 0 and up to {LONGEST_MS:,.0f} ms")
    return value


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("steelyard")
    add = group.addoption
    add("--steelyard-save", metavar="NAME", help="Keep the record of this session as one more of NAME.")
    add(
        "--steelyard-compare",
        metavar="NAME",
        help="Compare with the sessions kept as NAME; a test that is slower fails the session.",
    )
    add(
        "--steelyard-blocks",
        type=int,
        default=BLOCKS,
        metavar="N",
        help=f"Values of each test, one in each pass over those of its file or group (default: {BLOCKS}).",
    )
    add(
        "--steelyard-least-ms",
        type=milliseconds,
        default=LEAST_MS,
        metavar="MS",
        help=f"Time that the calls of one value take together (default: {LEAST_MS:g}).",
    )
    add("--steelyard-strict", action="store_true", help="Fail a test whose claim is not resolved, too.")
    add("--steelyard-off", action="store_true", help="Call the functions once, and time nothing.")
    add(
        "--steelyard-as-benchmark",
        action="store_true",
        help="Give tests that were written for pytest-benchmark its fixture (with -p no:benchmark).",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers, and take part in the session."""
    from steelyard.testing.claims import MARKERS, TURNS

    for text in (*MARKERS.values(), TURNS):
        config.addinivalue_line("markers", text)
    if config.getoption("steelyard_as_benchmark"):
        if config.pluginmanager.hasplugin("benchmark"):
            raise pytest.UsageError(
                "--steelyard-as-benchmark: pytest-benchmark is there: add -p no:benchmark"
            )
        config.addinivalue_line("markers", "benchmark: as pytest-benchmark knows it; has no effect here")
        config.pluginmanager.register(AsBenchmark())
    if not 2 <= config.getoption("steelyard_blocks") <= MOST_BLOCKS:
        raise pytest.UsageError(
            f"--steelyard-blocks: at least 2, since one value has no spread, and at most {MOST_BLOCKS:,}"
        )
    config.pluginmanager.register(Session(config), "steelyard-session")


@pytest.fixture
def steelyard(request: pytest.FixtureRequest) -> Any:
    """Time a function: ``steelyard(function, *args, **kwargs)`` returns what it returns."""
    from steelyard.testing.fixture import Steelyard
    from steelyard.testing.passes import TIMED

    return Steelyard(request.node.stash.get(TIMED, None))


class AsBenchmark:
    """pytest-benchmark's fixture, by Steelyard."""

    @pytest.fixture
    def benchmark(self, request: pytest.FixtureRequest) -> Any:
        """Time a function, as pytest-benchmark's fixture of this name is asked to."""
        from steelyard.testing.fixture import Benchmark
        from steelyard.testing.passes import TIMED

        return Benchmark(request.node.stash.get(TIMED, None))


class Session:
    """One session: which tests are timed, what they gave, and what is said of it at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.files: list[File] = []
        self.claims: list[str] = []
        self.moved: Sequence[Moved] = ()
        self.said: list[str] = []
        self.untimed = 0
        self._waiting: dict[str, list[pytest.Item]] = {}
        self._left: dict[str, int] = {}
        self._used = FIXTURES if config.getoption("steelyard_as_benchmark") else {"steelyard"}

    @property
    def distributed(self) -> bool:
        """Whether pytest-xdist runs tests side by side."""
        return hasattr(self.config, "workerinput") or getattr(self.config.option, "dist", "no") != "no"

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the timed tests of each file or group that were not deselected: they run together when the
        last one's turn comes.
        """
        timed = [
            item for item in session.items if not self._used.isdisjoint(getattr(item, "fixturenames", ()))
        ]
        if self.distributed or self.config.getoption("steelyard_off") or self.config.option.collectonly:
            for item in timed:
                item.user_properties.append((UNTIMED, True))
            return
        from steelyard.testing.claims import group_of
        from steelyard.testing.fixture import Timed
        from steelyard.testing.passes import TIMED

        for item in timed:
            item.stash[TIMED] = Timed(self.config.getoption("steelyard_least_ms") / 1e3)
            group = group_of(item)
            self._left[group] = self._left.get(group, 0) + 1

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count what ran without being timed, also by the workers of pytest-xdist."""
        self.untimed += report.when == "call" and (UNTIMED, True) in map(tuple, report.user_properties)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Keep timed tests until the last of their file or group has its turn, then run them in passes."""
        from steelyard.testing.claims import group_of
        from steelyard.testing.passes import TIMED, tear_down

        if TIMED not in item.stash:
            return None
        group = group_of(item)
        waiting = self._waiting.setdefault(group, [])
        waiting.append(item)
        self._left[group] -= 1
        if self._left[group]:
            tear_down(item, nextitem)
        else:
            self._run(group, waiting, nextitem)
        return True

    def _run(self, name: str, items: Sequence[pytest.Item], nextitem: pytest.Item | None) -> None:
        from steelyard.testing.passes import run_passes
        from steelyard.testing.session import timed_file

        blocks = self.config.getoption("steelyard_blocks")
        ran, orders = run_passes(items, nextitem, blocks=blocks, seed=name)
        file = timed_file(name, ran, orders)
        if file is not None:
            self.files.append(file)
            self._judge(file)
        hook = self.config.hook
        for one in ran:
            hook.pytest_runtest_logstart(nodeid=one.item.nodeid, location=one.item.location)
            for report in one.reports:
                hook.pytest_runtest_logreport(report=report)
            hook.pytest_runtest_logfinish(nodeid=one.item.nodeid, location=one.item.location)

    def _judge(self, file: File) -> None:
        from steelyard.testing.claims import MARKERS
        from steelyard.testing.session import judge

        wanted = (
            {"fails", "not_resolved", "not_judged"}
            if self.config.getoption("steelyard_strict")
            else {"fails"}
        )
        try:
            judged = judge(file, self._taken())
        except pytest.UsageError as error:
            self.claims.append(str(error))
            for one in file.ran:
                if any(one.item.get_closest_marker(name) for name in MARKERS):
                    _fail(one, str(error))
            return
        for one, verdict, words in judged:
            self.claims.append(f"{one.item.nodeid}: {words}")
            if verdict.outcome in wanted:
                _fail(one, words)

    def _taken(self) -> Taken:
        from steelyard.testing.session import taken

        return taken(self.files)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the record, and compare it with those that were kept."""
        if not self.files:
            return
        from steelyard.testing.session import means, next_record, save

        kept = self.config.rootpath / KEPT
        name, against = (self.config.getoption(f"steelyard_{it}") for it in ("save", "compare"))
        old = sorted((kept / against).glob("*.lab")) if against else []
        if against and not old:
            self.said.append(f"no session is kept as {against}: pytest --steelyard-save {against}")
        directory = next_record(kept / (name or "last"), replace=name is None)
        save(self.files, directory, self._taken())
        self.said.append(f"record: {directory}")
        if old:
            from steelyard.stats.compare.sessions import compare_sessions

            kept_means, new = [means(each) for each in old if each != directory], means(directory)
            self.moved = compare_sessions(kept_means, new)
            if unknown := sorted(new.keys() - {each.name for each in self.moved}):
                self.said.append(f"in no session kept as {against}: {', '.join(unknown)}")
            if any(each.outcome == "slower" for each in self.moved) and session.exitstatus == 0:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say what was measured, what was claimed, and what moved."""
        from steelyard.testing.summary import lines

        if not self.files and not self.untimed:
            return
        terminalreporter.section("steelyard")
        if self.untimed:
            why = "under pytest-xdist (-n 0 times them)" if self.distributed else "as --steelyard-off asks"
            terminalreporter.line(f"{self.untimed} tests ran once and were not timed, {why}")
        for line in lines(self.files, self.claims, self.moved, self.said):
            terminalreporter.line(line)


def _fail(one: Ran, words: str) -> None:
    """Let a test that passed fail by what its time shows."""
    for report in one.reports:
        if report.when == "call":
            report.outcome = "failed"
            report.longrepr = f"{words}\n{_timed_in(one)}"


def _timed_in(one: Ran) -> str:
    from steelyard.testing.claims import group_of

    timed, group = one.timed, group_of(one.item)
    return f"{len(timed.values)} values of {timed.calls} calls each, in turns with the tests of {group}"
