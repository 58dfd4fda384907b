"""A gate as JUnit XML: a test case for each benchmark."""

from __future__ import annotations

from typing import Final

from steelyard.extensions.gate.results import Gate, Verdict
from steelyard.extensions.gate.words import describe_benchmark, name_row
from steelyard.report.junit import Case, Ending, JunitSuite
from steelyard.report.junit import render as render_suites

_ENDINGS: Final[dict[Verdict, Ending]] = {
    "slower": "failed",
    "gone": "failed",
    "open": "skipped",
    "faster": "passed",
    "equivalent": "passed",
    "new": "passed",
    "reported": "passed",
    "waived": "passed",
    "identical": "passed",
}
TITLE: Final = "steelyard gate"


def render(answer: Gate, *, strict: bool) -> str:
    """Return the document; what is open is skipped, under ``strict`` a failure."""
    failing: dict[Verdict, Ending] = dict.fromkeys(
        (*answer.failing, *(("open",) if strict else ())), "failed"
    )
    endings = _ENDINGS | failing
    cases = [
        Case(
            name_row(answer, entry), endings[entry.verdict], entry.verdict, describe_benchmark(answer, entry)
        )
        for entry in answer.benchmarks
    ]
    return render_suites(TITLE, [JunitSuite(f"{answer.base} to {answer.head}", cases)])


def render_error(message: str, hint: str | None) -> str:
    """Return a gate that could judge nothing: one error."""
    text = f"{message}; {hint}" if hint else message
    return render_suites(TITLE, [JunitSuite("gate", [Case("could not be judged", "broken", "broken", text)])])
