"""Failures in words: a claim about a time, and a session whose tests pass."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

SESSION = "steelyard"
"""Name of the session, where a failure is of no single test."""


class SessionFailure(msgspec.Struct, frozen=True):
    """Why a session fails although its tests pass.

    Attributes
    ----------
    nodeid : str
        Of the test, or ``SESSION``.
    """

    nodeid: str
    words: str

    def report(self) -> pytest.TestReport:
        """Return it as pytest counts failures: in its summary, and in its last line."""
        file = self.nodeid.partition("::")[0]
        return pytest.TestReport(
            self.nodeid, (file, None, self.nodeid), {}, "failed", WordedFailure([self.words], file), "call"
        )


class WordedFailure(ReprExceptionInfo):
    """Reasons of a failure, whose first lines are in pytest's summary beside the name of the test."""

    def __init__(self, reasons: Sequence[str], file: str) -> None:
        self.reasons = reasons
        entry = ReprEntryNative(["\n\n".join(reasons), "\n"])
        message = "; ".join(text.partition("\n")[0] for text in reasons)
        super().__init__(
            reprtraceback=ReprTraceback([entry], None, "native"),
            reprcrash=ReprFileLocation(file, 0, message),
        )


def fail(report: pytest.TestReport, words: str) -> None:
    """Let a test that passed fail; reasons of an earlier claim stay."""
    earlier = report.longrepr.reasons if isinstance(report.longrepr, WordedFailure) else ()
    report.outcome = "failed"
    report.longrepr = WordedFailure((*earlier, words), report.nodeid.partition("::")[0])
