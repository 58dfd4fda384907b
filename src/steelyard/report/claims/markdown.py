"""Verdicts as Markdown, for a comment on the change: a line of counts, and a table, worst first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from steelyard.claims.verdict import Verdict
from steelyard.report.claims.text import SIGNS, WORDS, WORST, words
from steelyard.report.text.label import printable

_MEANT: Final = re.compile(r"([\\`*_{}\[\]<>()#|~!$])")
"""Characters that Markdown reads as its own."""


def render(
    parts: Sequence[tuple[str, Sequence[Verdict]]], broken: Mapping[str, str] = {}, *, strict: bool
) -> str:
    """The document; under ``strict``, what is not resolved is not good enough either.

    ``broken`` has what could not be judged, with the reason.
    """
    bad = {"fails", "not_resolved"} if strict else {"fails"}
    counts = Counter(verdict.outcome for _, verdicts in parts for verdict in verdicts)
    failed = bool(broken) or bool(counts.keys() & bad)
    said = [f"{count} {WORDS[outcome]}" for outcome in WORST if (count := counts[outcome])]
    said += [f"{len(broken)} could not be judged"] if broken else []
    out = [f"### {'✗' if failed else '✓'} Steelyard: {', '.join(said) or 'no claims'}", ""]
    for experiment, verdicts in parts:
        out += [f"**{_safe(experiment)}**", "", "| | claim |", "|---|---|"]
        ordered = sorted(verdicts, key=lambda each: WORST[each.outcome])
        out += [f"| {SIGNS[each.outcome]} | {_safe(words(each))} |" for each in ordered]
        out.append("")
    out += [f"- {_safe(name)} could not be judged: {_safe(reason)}" for name, reason in broken.items()]
    return "\n".join(out).rstrip("\n") + "\n"


def _safe(text: str) -> str:
    """The text as Markdown shows it as it is; a name with ``@`` calls nobody."""
    escaped = _MEANT.sub(r"\\\1", printable(" ".join(text.split())))
    return escaped.replace("@", "&#64;")
