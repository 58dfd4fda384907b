"""Verdicts as JUnit XML: one test case a claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steelyard.claims.verdict import Verdict
from steelyard.report.claims.text import claim_of, words
from steelyard.report.junit import Case, Ending, Suite
from steelyard.report.junit import render as rendered


def render(
    parts: Sequence[tuple[str, Sequence[Verdict]]], broken: Mapping[str, str] = {}, *, strict: bool
) -> str:
    """The suites, one an experiment; what is not resolved is skipped, under ``strict`` a failure.

    ``broken`` has what could not be judged, with the reason: an error of its own.
    """

    def case(verdict: Verdict) -> Case:
        open_: Ending = "failed" if strict else "skipped"
        endings: dict[str, Ending] = {"holds": "passed", "fails": "failed", "not_resolved": open_}
        return Case(claim_of(verdict), endings[verdict.outcome], verdict.outcome, words(verdict))

    suites = [Suite(experiment, [case(each) for each in verdicts]) for experiment, verdicts in parts]
    suites += [
        Suite(name, [Case("could not be judged", "broken", "broken", reason)])
        for name, reason in broken.items()
    ]
    return rendered("steelyard check", suites)
