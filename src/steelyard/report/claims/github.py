"""Verdicts as workflow commands of GitHub Actions, which shows them beside the change.

There is one line for each claim that does not hold, and for each reservation about the run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from steelyard.claims.verdict import Checked
from steelyard.report.claims.text import WORDS, format_claim, reservations, words
from steelyard.report.text.label import plural
from steelyard.report.text.undecided import write_undecided
from steelyard.stats.compare.judgement import Outcome

_CLAIM: Final = re.compile(r"^[ \t]*\[\[[ \t]*claims[ \t]*\]\]", re.MULTILINE)


def render(checked: Checked, file: str | None, spec: str, *, strict: bool) -> str:
    """One command a claim: an error where it fails, a warning (``strict``: an error) where it is open.

    Parameters
    ----------
    file : str or None
        That the claims stand in; ``None`` for a record.
    spec : str
        Its text, in which the claims are looked for; empty for data.
    """
    verdicts, name = checked.verdicts, checked.experiment
    headline = []
    if checked.is_undecided:
        title, text = f"{name}: {write_undecided(strict=strict)}", f"{plural(len(verdicts), 'claim')} open"
        headline = [annotate("error" if strict else "warning", title, text)]
    commands = [
        _format_command(
            verdict.outcome, f"{name}: {format_claim(verdict)}", words(verdict), file, line, strict=strict
        )
        for line, verdict in zip(lines_of(spec, checked), verdicts, strict=True)
        if verdict.outcome != "holds"
    ]
    commands += [
        _format_command(outcome, f"{name}: the run is", text, file, None, strict=strict)
        for outcome, text in reservations(checked)
    ]
    return "".join((*headline, *commands))


def lines_of(spec: str, checked: Checked) -> Sequence[int | None]:
    """Return the line of each claim in the text of its spec.

    ``None`` where the text has others, or a baseline had its claims judged too.
    """
    lines = [spec.count("\n", 0, match.start()) + 1 for match in _CLAIM.finditer(spec)]
    claims = len(checked.verdicts)
    return lines if len(lines) == claims and not checked.has_baseline else [None] * claims


def render_error(name: str, file: str | None, reason: str) -> str:
    """Return what could not be judged at all."""
    place = f"file={_format_property(file)}," if file else ""
    return f"::error {place}title={_format_property(name)} could not be judged::{_format_data(reason)}\n"


def _format_command(
    outcome: Outcome, subject: str, text: str, file: str | None, line: int | None, *, strict: bool
) -> str:
    kind = "error" if strict or outcome == "fails" else "warning"
    place = {"file": file, "line": str(line) if file and line else None}
    return annotate(kind, f"{subject} {WORDS[outcome]}", text, place)


def annotate(kind: str, title: str, text: str, place: Mapping[str, str | None] = {}) -> str:
    """Return a workflow command of this kind (``error``, ``warning``); of its place, what is known."""
    attributes = {**place, "title": title}
    properties = ",".join(f"{name}={_format_property(value)}" for name, value in attributes.items() if value)
    return f"::{kind} {properties}::{_format_data(text)}\n"


def _format_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _format_property(text: str) -> str:
    return _format_data(text).replace(":", "%3A").replace(",", "%2C")
