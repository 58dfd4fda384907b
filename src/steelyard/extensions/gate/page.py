"""A gate as a page: the line, a table and what it rests on, in one file without anything from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from steelyard.extensions.gate.results import ORDER, Gate, GatedBenchmark
from steelyard.extensions.gate.text import STYLES, describe_verdict, format_bounds, format_change
from steelyard.extensions.gate.words import (
    SIGNS,
    explain_outlook,
    explain_qualifying,
    format_function,
    format_value,
    list_notes,
    sign_answer,
    write_headline,
)

_TITLES: Final = ("", "benchmark", "base", "head", "change", "95 % CI", "verdict")
_STYLE: Final = """\
:root { color-scheme: light dark; --bad: #b3261e; --good: #1b6e3c; }
@media (prefers-color-scheme: dark) { :root { --bad: #f2857d; --good: #7ccf9a; } }
body { font-family: sans-serif; margin: 1.5em auto; max-width: 75em; padding: 0 1em }
h1 { font-size: 1.35rem }
h1, li, p, pre, td { overflow-wrap: anywhere }
pre { white-space: pre-wrap }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { text-align: left; vertical-align: baseline; padding: .3em 1.2em .3em 0 }
th, td { border-bottom: 1px solid #8886 }
td.value { white-space: nowrap }
.bad { color: var(--bad) }
.good { color: var(--good) }
@media screen and (max-width: 700px) {
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden }
  tbody { display: block }
  tr { display: block; padding: .5em 0; border-bottom: 1px solid #8886 }
  td { display: inline-block; border: 0; padding: .1em .8em .1em 0 }
  td.value::before { content: attr(data-title) " "; opacity: .75 }
}
"""


def render(answer: Gate, *, strict: bool) -> str:
    """Return the document."""
    rows = [entry for verdict in ORDER for entry in answer.select(verdict)]
    head = "".join(f'<th scope="col">{title or "<span hidden>sign</span>"}</th>' for title in _TITLES)
    body = "".join(_write_rows(answer, entry) for entry in rows)
    notes = (
        explain_outlook(answer),
        *list_notes(answer),
        None if answer.qualification else explain_qualifying(),
    )
    items = "".join(f"<li>{escape(text)}</li>" for text in notes if text)
    title = write_headline(answer, strict=strict)
    style = STYLES["slower" if answer.worst in answer.failing else answer.worst]
    return _write_page(
        title,
        f'<h1 class="{style}">{sign_answer(answer)} {escape(title)}</h1>\n'
        f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>\n<ul>{items}</ul>",
    )


def render_error(message: str, hint: str | None) -> str:
    """Return a gate that could judge nothing."""
    text = f"{message}\n\n{hint}" if hint else message
    return _write_page("The gate could not judge this change", f"<pre>{escape(text)}</pre>")


def _write_rows(answer: Gate, entry: GatedBenchmark) -> str:
    style = STYLES[entry.verdict]
    name = f"{entry.name}, {entry.metric}" if len(answer.metrics) > 1 else entry.name
    values = (
        format_value(answer, entry, entry.base),
        format_value(answer, entry, entry.head),
        format_change(entry),
        format_bounds(entry),
    )
    cells = "".join(
        f'<td class="value" data-title="{title}">{escape(value)}</td>' if value else "<td></td>"
        for title, value in zip(_TITLES[2:6], values, strict=True)
    )
    row = (
        f'<tr><td class="{style}">{SIGNS[entry.verdict]}</td><td>{escape(name)}</td>{cells}'
        f'<td class="{style}">{escape(describe_verdict(answer, entry))}</td></tr>\n'
    )
    return row + _write_reason(entry)


def _write_reason(entry: GatedBenchmark) -> str:
    if entry.reason is None:
        return ""
    reason = entry.reason
    lines: Sequence[str] = [*map(format_function, reason.functions), *reason.validations, reason.text]
    return f'<tr><td></td><td colspan="6">{"<br>".join(map(escape, lines))}</td></tr>\n'


def _write_page(title: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n<main>\n{body}\n</main>\n</html>\n"
    )
