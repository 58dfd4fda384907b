"""A gate as Markdown, for a comment on the change: the line, a table of what matters, the rest folded."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.extensions.gate.results import ORDER, Gate, GatedBenchmark
from steelyard.extensions.gate.words import (
    SIGNS,
    explain_outlook,
    format_change,
    format_function,
    format_value,
    list_notes,
    name_row,
    name_verdict,
    write_headline,
)
from steelyard.report.claims.markdown import escape


def render(answer: Gate, *, strict: bool) -> str:
    """Return the document."""
    sign = "✗" if answer.exit_code(strict=strict) else "?" if answer.is_undecided else "✓"
    rows = [entry for verdict in ORDER for entry in answer.select(verdict)]
    first = [entry for entry in rows if entry.verdict not in ("equivalent", "identical", "reported")]
    rest = [entry for entry in rows if entry.verdict in ("equivalent", "identical", "reported")]
    out = [f"### {sign} {escape(write_headline(answer, strict=strict))}", ""]
    out += [*_list_rows(answer, first), ""] if first else []
    if rest:
        out += [
            f"<details><summary>{_name_rest(rest)}</summary>",
            "",
            *_list_rows(answer, rest),
            "",
            "</details>",
            "",
        ]
    out += [f"- {escape(text)}" for text in (explain_outlook(answer), *list_notes(answer)) if text]
    return "\n".join(out).rstrip("\n") + "\n"


def _name_rest(entries: Sequence[GatedBenchmark]) -> str:
    verdicts = [entry.verdict for entry in entries]
    counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)


def render_error(message: str, hint: str | None) -> str:
    """Return a gate that could judge nothing."""
    cure = f"\n\n{escape(hint)}" if hint else ""
    return f"### ✗ The gate could not judge this change\n\n{escape(message)}{cure}\n"


def _list_rows(answer: Gate, entries: Sequence[GatedBenchmark]) -> list[str]:
    out = ["| | benchmark | base | head | change | |", "|---|---|--:|--:|---|---|"]
    for entry in entries:
        cells = [
            SIGNS[entry.verdict],
            name_row(answer, entry),
            format_value(answer, entry, entry.base),
            format_value(answer, entry, entry.head),
        ]
        word = name_verdict(answer, entry)
        verdict = f"{word}, typical run" if entry.decided_by == "typical" else word
        cells += [format_change(answer, entry), verdict]
        out.append(f"| {' | '.join(escape(cell) for cell in cells)} |")
        if entry.reason is not None:
            lines = [*map(format_function, entry.reason.functions), *entry.reason.validations]
            text = "<br>".join(map(escape, lines)) or escape(entry.reason.text)
            out.append(f"| | {text} | | | | |")
    return out
