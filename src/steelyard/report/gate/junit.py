"""A gate as JUnit XML: a test case for each benchmark."""

from __future__ import annotations

from typing import Final

from steelyard.answers.gate import Gate, Verdict
from steelyard.report.gate.words import sentence
from steelyard.report.junit import Case, Ending, Suite
from steelyard.report.junit import render as render_suites

_ENDINGS: Final[dict[Verdict, Ending]] = {
    "slower": "failed",
    "gone": "failed",
    "open": "skipped",
    "faster": "passed",
    "equivalent": "passed",
    "new": "passed",
}
TITLE: Final = "steelyard gate"


def render(found: Gate, *, strict: bool) -> str:
    """The document; what is open is skipped, under ``strict`` a failure."""
    endings = _ENDINGS | ({"open": "failed"} if strict else {})
    cases = [
        Case(each.name, endings[each.verdict], each.verdict, sentence(found, each))
        for each in found.benchmarks
    ]
    return render_suites(TITLE, [Suite(f"{found.base} to {found.head}", cases)])


def render_error(message: str, hint: str | None) -> str:
    """A gate that could judge nothing: one error."""
    said = f"{message}; {hint}" if hint else message
    return render_suites(TITLE, [Suite("gate", [Case("could not be judged", "broken", "broken", said)])])
