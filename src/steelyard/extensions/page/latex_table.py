r"""Tables for LaTeX: ``booktabs`` for rules, ``siunitx`` for numbers, ``longtable`` for more than a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from steelyard.report.page.latex import format_latex_text
from steelyard.report.text.table import Column

LONGEST: Final = 40
"""Rows that fit on a page; a table of more is a ``longtable``."""
_MISSING: Final = "–"
_NUMBER: Final = re.compile(r"([+\-−]?)([0-9][0-9,]*)(?:\.([0-9]+))?(?: ?([^0-9 ]\S*))?")
_MINUS: Final = re.compile(r"(?<![\w.)])-(?=\d)")


class _LatexColumn(msgspec.Struct, frozen=True):
    """A column as LaTeX writes it: its kind, its head and its cells."""

    kind: str
    head: str
    cells: tuple[str, ...]


def format_latex_table(caption: str, columns: Sequence[Column], name: str) -> str:
    r"""Write a table with ``\caption`` and ``\label{tab:NAME}``.

    A column of numbers with one unit is aligned at the decimal marker (type ``S`` of ``siunitx``), and its
    unit stands in its head.
    """
    written = [_write_column(column) for column in columns]
    rows = list(zip(*(column.cells for column in written), strict=True))
    kinds = "".join(column.kind for column in written)
    body = [
        r"\toprule",
        f"{_join_row([column.head for column in written])}",
        r"\midrule",
        *([r"\endhead", r"\bottomrule", r"\endfoot"] if len(rows) > LONGEST else []),
        *map(_join_row, rows),
        *([] if len(rows) > LONGEST else [r"\bottomrule"]),
    ]
    title = rf"\caption{{{format_latex_text(caption)}}}\label{{tab:{name}}}"
    packages = "booktabs,siunitx,longtable" if len(rows) > LONGEST else "booktabs,siunitx"
    needs = rf"% needs \usepackage{{{packages}}}, and \usepackage{{textcomp,amssymb}} for some signs"
    if len(rows) > LONGEST:
        lines = [
            needs,
            rf"\begin{{longtable}}{{{kinds}}}",
            rf"  {title}\\",
            *(f"  {line}" for line in body),
            r"\end{longtable}",
        ]
    else:
        lines = [
            needs,
            r"\begin{table}",
            rf"  {title}",
            rf"  \begin{{tabular}}{{{kinds}}}",
            *(f"    {line}" for line in body),
            r"  \end{tabular}",
            r"\end{table}",
        ]
    return "\n".join(lines) + "\n"


def _join_row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _write_column(column: Column) -> _LatexColumn:
    texts = [cell.text for cell in column.cells]
    numbers = [_NUMBER.fullmatch(text) for text in texts if text != _MISSING]
    units = {number[4] if number else None for number in numbers}
    if not column.right or not numbers or None in numbers or len(units) > 1:
        kind = "r" if column.right else "l"
        return _LatexColumn(kind, format_latex_text(column.title), tuple(map(_write_text, texts)))
    (unit,) = units
    head = f"{column.title} ({unit})" if unit else column.title
    return _LatexColumn(
        _choose_kind([number for number in numbers if number]),
        f"{{{format_latex_text(head)}}}",
        tuple(_write_number(text) for text in texts),
    )


def _choose_kind(numbers: Sequence[re.Match[str]]) -> str:
    signed = any(number[1] for number in numbers)
    count = max(len(number[2].replace(",", "")) for number in numbers)
    decimals = max(len(number[3] or "") for number in numbers)
    sign = ", retain-explicit-plus" if any(number[1] == "+" for number in numbers) else ""
    return f"S[table-format={'+' if signed else ''}{count}.{decimals}{sign}]"


def _write_number(text: str) -> str:
    number = _NUMBER.fullmatch(text)
    if number is None:
        return f"{{{format_latex_text(text)}}}"
    decimals = f".{number[3]}" if number[3] else ""
    return f"{number[1].replace('−', '-')}{number[2].replace(',', '')}{decimals}"


def _write_text(text: str) -> str:
    # A hyphen before a number is a minus sign, which is as wide as a plus.
    return format_latex_text(_MINUS.sub("−", text))
