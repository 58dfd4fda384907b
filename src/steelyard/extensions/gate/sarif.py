"""A gate as SARIF 2.1.0: a result for each benchmark that is slower, gone or open."""

from __future__ import annotations

from typing import Any, Final

from steelyard import __version__
from steelyard.extensions.gate.results import Gate, Verdict
from steelyard.extensions.gate.words import describe_benchmark
from steelyard.report.claims.sarif import SCHEMA
from steelyard.results.document import write_json

_RULES: Final[dict[str, str]] = {
    "slower": "A benchmark is slower than in the base.",
    "faster": "A benchmark is faster than in the base, and no change is allowed.",
    "gone": "A benchmark of the base is gone.",
    "open": "The measurements do not decide a benchmark.",
    "broken": "The change could not be judged.",
}
_SHOWN: Final[tuple[Verdict, ...]] = ("gone", "open")
PLACE: Final = "."
"""A benchmark has no file that its harness names; code hosts ask for one."""


def render(answer: Gate, *, strict: bool) -> str:
    """One run of the tool; what is open is a note, under ``strict`` an error."""
    return _write_document(
        [
            _make_result(verdict, describe_benchmark(answer, entry), is_note=verdict == "open" and not strict)
            for verdict in (*answer.failing, *_SHOWN)
            for entry in answer.select(verdict)
        ]
    )


def render_error(message: str, hint: str | None) -> str:
    """Return a gate that could judge nothing."""
    return _write_document([_make_result("broken", f"{message}; {hint}" if hint else message, is_note=False)])


def _write_document(results: list[dict[str, Any]]) -> str:
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in _RULES.items()]
    driver = {"name": "steelyard", "version": __version__, "rules": rules}
    return write_json(
        {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    )


def _make_result(rule: str, text: str, *, is_note: bool) -> dict[str, Any]:
    return {
        "ruleId": rule,
        "level": "note" if is_note else "error",
        "message": {"text": text},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": PLACE}}}],
    }
