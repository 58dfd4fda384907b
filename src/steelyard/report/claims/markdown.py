"""Verdicts as Markdown, for a comment on the change: a line of counts, and a table, worst first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from steelyard.claims.verdict import Checked
from steelyard.report.claims.phrases import WORST
from steelyard.report.claims.text import SIGNS, WORDS, reservations, words
from steelyard.report.text.label import printable
from steelyard.report.text.undecided import write_undecided

_MEANT: Final = re.compile(r"([\\`*_{}\[\]<>()#|~!$])")
"""Characters that Markdown reads as its own."""


def render(checked: Sequence[Checked], broken: Mapping[str, str] = {}, *, strict: bool) -> str:
    """Return the document; under ``strict``, only what holds is good enough, and without reservations.

    ``broken`` has what could not be judged, with the reason.
    """
    counts = Counter(verdict.outcome for verdicts_of in checked for verdict in verdicts_of.verdicts)
    failed = bool(broken) or any(part.exit_code(strict=strict) for part in checked)
    parts = [f"{count} {WORDS[outcome]}" for outcome in WORST if (count := counts[outcome])]
    parts += [f"{len(broken)} could not be judged"] if broken else []
    undecided = bool(checked) and not broken and all(part.is_undecided for part in checked)
    parts = [write_undecided(strict=strict), *parts] if undecided else parts
    sign = "✗" if failed else "?" if undecided else "✓"
    out = [f"### {sign} Steelyard: {', '.join(parts) or 'no claims'}", ""]
    for verdicts in checked:
        out += [f"**{escape(verdicts.experiment)}**", "", "| | claim |", "|---|---|"]
        ordered = sorted(verdicts.verdicts, key=lambda verdict: WORST[verdict.outcome])
        out += [f"| {SIGNS[verdict.outcome]} | {escape(words(verdict))} |" for verdict in ordered]
        out += ["", *(f"- {escape(text)}" for _, text in reservations(verdicts))]
        out += [""] if verdicts.reservations else []
    out += [f"- {escape(name)} could not be judged: {escape(reason)}" for name, reason in broken.items()]
    return "\n".join(out).rstrip("\n") + "\n"


def escape(text: str) -> str:
    """Escape a text, so that Markdown shows it as it is; a name with ``@`` calls nobody."""
    escaped = _MEANT.sub(r"\\\1", printable(" ".join(text.split())))
    return escaped.replace("@", "&#64;")
