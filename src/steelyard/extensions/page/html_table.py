"""Tables of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from steelyard.report.text.table import Column

RUN: Final = "run"
"""The column of a table of single runs by which a dot leads to its row."""


def format_html_table(
    caption: str,
    columns: Sequence[Column],
    rows_of: Sequence[str] = (),
    numbers: Mapping[str, int] | None = None,
    *,
    below: bool = False,
) -> str:
    """Return a table that scrolls by itself where the page is narrow.

    Parameters
    ----------
    rows_of : sequence of str
        The treatment of each row; with ``numbers``, its place among the treatments of the page, rows are
        filtered by it, and their first cell chooses it.
    below : bool
        Whether it stands below a chart that says the same, and is folded.
    """
    count = len(columns[0].cells) if columns else 0
    head = "".join(
        f'<th scope="col"{_format_class(column, "")}>'
        f"{escape(column.title) or '<span class=hidden>mark</span>'}</th>"
        for column in columns
    )
    body = "".join(_format_row(columns, i, rows_of, numbers or {}) for i in range(count))
    name = escape(caption)
    table = (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{name}"><table cellpadding="4">'
        f"<caption>{name}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
    if not below:
        return table
    rows = f"{count:,} row{'s' * (count != 1)}"
    return f"<details><summary>Table, {rows}</summary>{table}</details>"


def _format_row(columns: Sequence[Column], i: int, rows_of: Sequence[str], numbers: Mapping[str, int]) -> str:
    number = numbers.get(rows_of[i]) if rows_of else None
    named = (
        place
        for place, column in enumerate(columns)
        if column.title == "treatment" or column.kind == "factor"
    )
    text_first = next((place for place, column in enumerate(columns) if not column.right), 0)
    first = next(named, text_first)
    cells = []
    for place, column in enumerate(columns):
        text = escape(column.cells[i].text)
        if place == first and number is not None:
            text = f'<span class="pick" data-treatment="{number}">{text}</span>'
        tag = 'th scope="row"' if place == first else "td"
        cells.append(f"<{tag}{_format_class(column, column.cells[i].style)}>{text}</{tag[:2]}>")
    marked = "" if number is None else f' data-treatment="{number}"'
    run = next((column.cells[i].text for column in columns if column.title == RUN), None)
    marked += "" if run is None else f' data-run="{escape(run)}"'
    return f"<tr{marked}>{''.join(cells)}</tr>"


def _format_class(column: Column, style: str) -> str:
    names = " ".join(name for name in ("number" if column.right else "", style) if name)
    return f' class="{names}"' if names else ""
