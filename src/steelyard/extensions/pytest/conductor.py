"""One session: which tests are timed, what they gave, and what is said of it at the end."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from steelyard.core.units import Scalar
from steelyard.extensions.pytest.claims import NOTHING_TIMED, group_of, makes_claims

if TYPE_CHECKING:
    from steelyard.extensions.exchange.recording import Taken
    from steelyard.extensions.pytest.comparison import SessionComparison
    from steelyard.extensions.pytest.failures import SessionFailure
    from steelyard.extensions.pytest.passes import Ran
    from steelyard.extensions.pytest.session import File

UNTIMED: Final = "steelyard: not timed"
"""Property of such a test, by which it is known where another process ran it; its value: whether it makes
claims.
"""

UNJUDGED_CLAIMS: Final = "claims that were not judged, since their tests were not timed"

FIXTURES: Final = frozenset({"steelyard", "benchmark"})
KEPT: Final = Path(".steelyard")
"""Directory below pytest's rootdir with the sessions that ``--steelyard-save`` keeps."""
LAST: Final = "last"
"""The name of the session that the next one replaces."""


class TimedSession:
    """The hooks of a session that is no arm."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.files: list[File] = []
        self.claims: list[str] = []
        self.comparisons: list[SessionComparison] = []
        self.notes: list[str] = []
        self.untimed = 0
        self._unjudged = 0
        """Claims of tests that ran untimed."""
        self._failed: list[str] = []
        """Tests that failed by a claim."""
        self._untimed_claims: list[str] = []
        """Tests that make claims and do not ask for the fixture."""
        self._collected: set[str] = set()
        """Files."""
        self._deselected: list[pytest.Item] = []
        self._waiting: dict[str, list[pytest.Item]] = {}
        self._unfinished: dict[str, int] = {}
        self._fixtures = FIXTURES if config.getoption("steelyard_as_benchmark") else {"steelyard"}
        self._is_strict: bool = config.getoption("steelyard_strict")
        self._failures: list[SessionFailure] = []

    @property
    def distributed(self) -> bool:
        """Whether pytest-xdist runs tests side by side."""
        return hasattr(self.config, "workerinput") or getattr(self.config.option, "dist", "no") != "no"

    def _is_timed(self, item: pytest.Item) -> bool:
        return not self._fixtures.isdisjoint(getattr(item, "fixturenames", ()))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note the files that were looked into."""
        self._collected.add(report.nodeid)

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Note tests that are not to run: they have not vanished."""
        self._deselected += [item for item in items if self._is_timed(item)]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the timed tests of each file or group that were not deselected.

        They run together when the last one's turn comes.
        """
        timed = [item for item in session.items if self._is_timed(item)]
        if self.distributed or self.config.getoption("steelyard_off") or self.config.option.collectonly:
            for item in timed:
                item.user_properties.append((UNTIMED, makes_claims(item)))
            return
        from steelyard.extensions.pytest.fixture import TimedTest
        from steelyard.extensions.pytest.passes import TIMED

        self._untimed_claims = [
            item.nodeid for item in session.items if makes_claims(item) and not self._is_timed(item)
        ]
        self.claims += [f"{nodeid}: not judged: {NOTHING_TIMED}" for nodeid in self._untimed_claims]
        for item in timed:
            item.stash[TIMED] = TimedTest(self.config.getoption("steelyard_least_ms") / 1e3)
            group = group_of(item)
            self._unfinished[group] = self._unfinished.get(group, 0) + 1

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Any:
        """Let a strict session fail a test that makes a claim and does not ask for the fixture."""
        report: pytest.TestReport = yield
        if self._is_strict and report.when == "call" and item.nodeid in self._untimed_claims:
            from steelyard.extensions.pytest.failures import fail

            fail(report, f"{item.nodeid}: {NOTHING_TIMED}")
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count what ran without being timed, also by the workers of pytest-xdist."""
        if report.when == "call" and UNTIMED in (properties := dict(report.user_properties)):
            self.untimed += 1
            self._unjudged += bool(properties[UNTIMED])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Keep timed tests until the last of their file or group has its turn, then run them in passes."""
        from steelyard.extensions.pytest.passes import TIMED, tear_down

        if TIMED not in item.stash:
            return None
        group = group_of(item)
        waiting = self._waiting.setdefault(group, [])
        waiting.append(item)
        self._unfinished[group] -= 1
        if self._unfinished[group]:
            tear_down(item, nextitem)
        else:
            self._run(group, waiting, nextitem)
        return True

    def _run(self, name: str, items: Sequence[pytest.Item], nextitem: pytest.Item | None) -> None:
        from steelyard.extensions.pytest.passes import run_passes
        from steelyard.extensions.pytest.session import timed_file

        blocks = self.config.getoption("steelyard_blocks")
        ran, orders = run_passes(items, nextitem, blocks=blocks, seed=name)
        file = timed_file(name, ran, orders)
        if file is not None:
            self.files.append(file)
        self._judge(file, ran)
        hook = self.config.hook
        for run in ran:
            hook.pytest_runtest_logstart(nodeid=run.item.nodeid, location=run.item.location)
            for report in run.reports:
                hook.pytest_runtest_logreport(report=report)
            hook.pytest_runtest_logfinish(nodeid=run.item.nodeid, location=run.item.location)

    def _judge(self, file: File | None, ran: Sequence[Ran]) -> None:
        from steelyard.extensions.pytest.failures import fail
        from steelyard.extensions.pytest.session import judge, judge_untimed

        judgements = judge_untimed(file, ran)
        if file is not None:
            judgements += judge(file, self._describe_session(), strict=self._is_strict)
        names = {"fails", "refused"} | ({"not_resolved", "not_judged"} if self._is_strict else set())
        for judgement in judgements:
            nodeid = judgement.ran.item.nodeid
            self.claims.append(
                judgement.words if judgement.words.startswith(nodeid) else f"{nodeid}: {judgement.words}"
            )
            if judgement.outcome in names:
                self._failed.append(nodeid)
                for report in judgement.ran.reports:
                    if report.when == "call":
                        fail(report, f"{judgement.words}\n{_describe_evidence(judgement.ran)}")

    def _describe_session(self) -> Taken:
        from steelyard.extensions.pytest.session import describe_recording

        return describe_recording(self.files, self._commit)

    @cached_property
    def _commit(self) -> dict[str, Scalar]:
        from steelyard.extensions.pytest.turns import describe_commit

        return describe_commit(self.config.rootpath)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the record, and compare with sessions that were kept, and with a commit."""
        self._failures = self._compare_and_keep()
        if self._failures and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _compare_and_keep(self) -> list[SessionFailure]:
        """Return why the session fails beside its tests; an error is named, and loses no result."""
        from steelyard.core.errors import SteelyardError
        from steelyard.extensions.pytest.failures import SESSION, SessionFailure
        from steelyard.extensions.pytest.session import keep, next_record, save

        name, against, revision = (
            self.config.getoption(f"steelyard_{it}") for it in ("save", "compare", "against")
        )
        if not self.files:
            missed = [it for it in (against, revision) if it and not self.config.option.collectonly]
            reasons = [f"nothing was timed, so nothing is compared with {it}" for it in missed]
            self.notes += reasons
            if self._unjudged:
                reasons.append(f"{UNJUDGED_CLAIMS}: {self._unjudged}")
            return [SessionFailure(SESSION, text) for text in reasons if self._is_strict]
        from steelyard.extensions.pytest.summary import list_failures

        saved = self.config.rootpath / KEPT
        try:
            directory = next_record(saved / LAST, replace=True)
            save(self.files, directory, self._describe_session())
            self.comparisons = list(self._compare(directory, saved))
            failures = [
                failure
                for comparison in self.comparisons
                for failure in list_failures(comparison, strict=self._is_strict)
            ]
            if name and (self._failed or failures):
                why = (
                    f"by a claim: {', '.join(dict.fromkeys(self._failed))}"
                    if self._failed
                    else "the comparison"
                )
                self.notes.append(f"not kept as {name}, since it fails {why}")
            elif name:
                directory = keep(directory, saved / name)
            self.notes.append(f"record: {directory}")
            return failures
        except (SteelyardError, OSError) as error:
            reason = f"the session cannot be recorded: {error}"
            self.notes.append(reason)
            is_needed = name or against or revision or self._is_strict
            return [SessionFailure(SESSION, reason)] if is_needed else []

    def _compare(self, directory: Path, saved: Path) -> Sequence[SessionComparison]:
        from steelyard.extensions.pytest.comparison import compare_with_commit, compare_with_kept
        from steelyard.extensions.pytest.saved import read_saved

        against, revision = (self.config.getoption(f"steelyard_{it}") for it in ("compare", "against"))
        items = [run.item for file in self.files for run in file.ran]
        comparisons = []
        if against:
            old, means = sorted((saved / against).glob("*.lab")), read_saved(directory).means
            comparisons.append(
                compare_with_kept(self.config, items, means, old, against, is_wanted=self._was_to_run)
            )
        if revision:
            comparisons.append(compare_with_commit(self.config, items, revision))
        return comparisons

    def _was_to_run(self, name: str) -> bool:
        """Whether a test that a kept session has was to run in this one, if it is still there."""
        from steelyard.extensions.pytest.saved import file_of, name_of

        option, root = self.config.option, self.config.rootpath
        if getattr(option, "lf", False) or name in map(name_of, self._deselected):
            return False
        file = file_of(name)
        if (root / file).exists() and file not in self._collected:
            return False
        directory = self.config.invocation_params.dir
        chosen = [directory / argument for argument in self.config.args if "::" not in argument]
        return any((root / file).is_relative_to(path) for path in chosen)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say what was measured, what was claimed, and what moved."""
        from steelyard.extensions.pytest.summary import lines

        if not (self.files or self.untimed or self.claims or self.notes):
            return
        terminalreporter.section("steelyard")
        if self.untimed:
            why = "under pytest-xdist (-n 0 times them)" if self.distributed else "as --steelyard-off asks"
            tests = (
                "1 test ran once and was" if self.untimed == 1 else f"{self.untimed} tests ran once and were"
            )
            terminalreporter.line(f"{tests} not timed, {why}")
        if self._unjudged:
            terminalreporter.line(f"claims of {self._unjudged} of them were not judged")
        for line in lines(self.files, self.claims, self.comparisons, self.notes):
            terminalreporter.line(line)
        # Its last lines count these, and name them.
        terminalreporter.stats.setdefault("failed", []).extend(failure.report() for failure in self._failures)


def _describe_evidence(ran: Ran) -> str:
    timed, group = ran.timed, group_of(ran.item)
    return f"{len(timed.values)} values of {timed.calls} calls each, in turns with the tests of {group}"
