"""Verdicts as JUnit XML: one test case a claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steelyard.claims.verdict import Checked
from steelyard.report.claims.text import WORDS, format_claim, reservations, words
from steelyard.report.junit import Case, Ending, JunitSuite
from steelyard.report.junit import render as rendered
from steelyard.stats.compare.judgement import Outcome


def render(checked: Sequence[Checked], broken: Mapping[str, str] = {}, *, strict: bool) -> str:
    """Return the suites, one an experiment, with a case for each reservation about its run.

    What is not resolved or not judged is skipped; under ``strict`` the one is a failure, the other an error.

    ``broken`` has what could not be judged, with the reason: an error of its own.
    """

    def case(name: str, outcome: Outcome, text: str) -> Case:
        endings: dict[Outcome, Ending] = {"holds": "passed", "fails": "failed"}
        strictly: dict[Outcome, Ending] = {"not_resolved": "failed", "not_judged": "broken"}
        return Case(name, endings.get(outcome) or (strictly[outcome] if strict else "skipped"), outcome, text)

    suites = [
        JunitSuite(
            verdicts.experiment,
            [
                *(
                    case(format_claim(verdict), verdict.outcome, words(verdict))
                    for verdict in verdicts.verdicts
                ),
                *(
                    case(f"the run is {WORDS[outcome]}", outcome, text)
                    for outcome, text in reservations(verdicts)
                ),
            ],
        )
        for verdicts in checked
    ]
    suites += [
        JunitSuite(name, [Case("could not be judged", "broken", "broken", reason)])
        for name, reason in broken.items()
    ]
    return rendered("steelyard check", suites)
