"""A gate as Markdown, for a comment on the change: the line, a table of what matters, the rest folded."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.answers.gate import ORDER, Gate, GatedBenchmark
from steelyard.report.claims.markdown import escape
from steelyard.report.gate.words import SIGNS, change_words, headline, notes, outlook, value


def render(found: Gate, *, strict: bool) -> str:
    """The document."""
    sign = "✗" if found.exit_code(strict=strict) else "✓"
    rows = [each for verdict in ORDER for each in found.of(verdict)]
    first = [each for each in rows if each.verdict != "equivalent"]
    rest = [each for each in rows if each.verdict == "equivalent"]
    out = [f"### {sign} {escape(headline(found))}", ""]
    out += [*_table(found, first), ""] if first else []
    if rest:
        out += [
            f"<details><summary>{len(rest)} equivalent</summary>",
            "",
            *_table(found, rest),
            "",
            "</details>",
            "",
        ]
    out += [f"- {escape(text)}" for text in (outlook(found), *notes(found)) if text]
    return "\n".join(out).rstrip("\n") + "\n"


def render_error(message: str, hint: str | None) -> str:
    """A gate that could judge nothing."""
    cure = f"\n\n{escape(hint)}" if hint else ""
    return f"### ✗ The gate could not judge this change\n\n{escape(message)}{cure}\n"


def _table(found: Gate, its: Sequence[GatedBenchmark]) -> list[str]:
    out = ["| | benchmark | base | head | change | |", "|---|---|--:|--:|---|---|"]
    for each in its:
        cells = [SIGNS[each.verdict], each.name, value(found, each.base), value(found, each.head)]
        cells += [change_words(each), each.verdict]
        out.append(f"| {' | '.join(escape(cell) for cell in cells)} |")
    return out
