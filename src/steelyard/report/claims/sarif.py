"""Verdicts as SARIF 2.1.0, which code hosts and editors show.

There is one result for each claim that does not hold, and for each reservation about a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from steelyard import __version__
from steelyard.claims.verdict import Checked
from steelyard.report.claims.github import lines_of
from steelyard.report.claims.text import reservations, words
from steelyard.results.document import write_json
from steelyard.stats.compare.judgement import Outcome

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_RULES: Final = {
    "fails": "A claim about performance fails.",
    "not_resolved": "The measurements do not decide a claim about performance.",
    "not_judged": "There is nothing to judge a claim about performance by.",
    "broken": "A claim about performance could not be judged.",
}


class Judged(msgspec.Struct, frozen=True):
    """An experiment; ``file`` is the one that claims stand in, ``spec`` its text."""

    checked: Checked
    file: str
    spec: str


def render(parts: Sequence[Judged], broken: Mapping[str, str] = {}, *, strict: bool) -> str:
    """One run of the tool; what is not resolved or not judged is a note, under ``strict`` an error.

    ``broken`` has what could not be judged, with the reason.
    """
    results = [
        _get_result(outcome, f"{part.checked.experiment}: {text}", part.file, line, strict=strict)
        for part in parts
        for outcome, text, line in _list_findings(part)
        if outcome != "holds"
    ]
    results += [_get_result("broken", reason, file, None, strict=strict) for file, reason in broken.items()]
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in _RULES.items()]
    driver = {"name": "steelyard", "version": __version__, "rules": rules}
    return write_json(
        {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    )


def _list_findings(part: Judged) -> Iterator[tuple[Outcome, str, int | None]]:
    verdicts = part.checked.verdicts
    for verdict, line in zip(verdicts, lines_of(part.spec, part.checked), strict=True):
        yield verdict.outcome, words(verdict), line
    yield from ((outcome, text, None) for outcome, text in reservations(part.checked))


def _get_result(rule: str, text: str, file: str, line: int | None, *, strict: bool) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": file}}
    if line is not None:
        place["region"] = {"startLine": line}
    level = "note" if rule in ("not_resolved", "not_judged") and not strict else "error"
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }
