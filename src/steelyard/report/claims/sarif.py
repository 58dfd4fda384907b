"""Verdicts as SARIF 2.1.0, which code hosts and editors show: one result for each claim that fails, and for
each that is not resolved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from steelyard import __version__
from steelyard.answers.document import written
from steelyard.claims.verdict import Verdict
from steelyard.report.claims.github import lines_of
from steelyard.report.claims.text import words

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_RULES: Final = {
    "fails": "A claim about performance fails.",
    "not_resolved": "The measurements do not decide a claim about performance.",
    "broken": "A claim about performance could not be judged.",
}


class Judged(msgspec.Struct, frozen=True):
    """The verdicts of one experiment; ``file`` is the one that claims stand in, ``spec`` its text."""

    experiment: str
    file: str
    spec: str
    verdicts: Sequence[Verdict]


def render(parts: Sequence[Judged], broken: Mapping[str, str] = {}, *, strict: bool) -> str:
    """One run of the tool; what is not resolved is a note, under ``strict`` an error.

    ``broken`` has what could not be judged, with the reason.
    """
    results = [
        _result(verdict.outcome, f"{part.experiment}: {words(verdict)}", part.file, line, strict=strict)
        for part in parts
        for verdict, line in zip(part.verdicts, lines_of(part.spec, len(part.verdicts)), strict=True)
        if verdict.outcome != "holds"
    ]
    results += [_result("broken", reason, file, None, strict=strict) for file, reason in broken.items()]
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in _RULES.items()]
    driver = {"name": "steelyard", "version": __version__, "rules": rules}
    return written(
        {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    )


def _result(rule: str, text: str, file: str, line: int | None, *, strict: bool) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": file}}
    if line is not None:
        place["region"] = {"startLine": line}
    level = "note" if rule == "not_resolved" and not strict else "error"
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }
