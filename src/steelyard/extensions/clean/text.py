"""Old records, trees and builds as text: a row each, and what removes them."""

from __future__ import annotations

from steelyard.core.units import format_quantity
from steelyard.extensions.clean.results import Cleaning, Leftover
from steelyard.report.text.label import plural, printable
from steelyard.report.text.line import Line, render_paragraph
from steelyard.report.text.table import Column, table

_DAY_S = 86400.0


def lines(cleaning: Cleaning, width: int = 80) -> list[Line]:
    """Line by line."""
    rows = cleaning.leftovers
    output: list[Line] = list(render_paragraph(_headline(cleaning), width, style="heading"))
    if rows:
        columns = [
            Column.words("made by", (row.command for row in rows)),
            Column.numbers("size", (format_quantity(row.size_bytes, "B") for row in rows)),
            Column.numbers("age", (_format_age(row.age_s) for row in rows)),
            Column.words("", (row.fate if row.fate != "listed" else "" for row in rows)),
            Column.words("path", (printable(row.path) for row in rows), is_name=True),
        ]
        output += [(), *table(columns, width), ()]
    for text in _notes(cleaning):
        output += render_paragraph(text, width, rest="  ")
    return output


def _headline(cleaning: Cleaning) -> str:
    rows = cleaning.leftovers
    limit = _format_age(cleaning.older_than_s)
    if not rows:
        return f"Nothing is older than {limit} in {' and '.join(map(printable, cleaning.directories))}."
    removed = [row for row in rows if row.fate == "removed"]
    if removed:
        return f"{plural(len(removed), 'leftover')} removed: {_format_sum(removed)}."
    if any(row.fate == "kept" for row in rows):
        return f"Nothing was removed: {plural(len(rows), 'leftover')} must stay."
    count = plural(len(rows), "leftover")
    return f"{count} older than {limit}: {_format_sum(rows)}. Nothing was removed."


def _notes(cleaning: Cleaning) -> list[str]:
    rows = cleaning.leftovers
    texts = [f"Kept: {_format_reason(row)}." for row in rows if row.fate == "kept"]
    if any(row.fate == "listed" for row in rows):
        texts.append("The same command with --yes removes them.")
    if cleaning.younger:
        size = format_quantity(cleaning.younger_bytes, "B")
        texts.append(f"{cleaning.younger} younger ({size}): --older-than TIME sets the limit.")
    texts += [f"{printable(path)} stays: it is a link, or not Steelyard's." for path in cleaning.foreign]
    if any(row.fate == "removed" and row.command in ("gate", "bisect") for row in rows):
        texts.append("A repository whose work trees were removed forgets them by: git worktree prune")
    return texts


def _format_reason(row: Leftover) -> str:
    return printable(row.reason if row.path in row.reason else f"{row.path}: {row.reason}")


def _format_sum(rows: list[Leftover] | tuple[Leftover, ...]) -> str:
    return format_quantity(sum(row.size_bytes for row in rows), "B")


def _format_age(seconds: float) -> str:
    """``3 h``, ``41 d``."""
    return f"{seconds / _DAY_S:.0f} d" if seconds >= _DAY_S else f"{seconds / 3600:.0f} h"
