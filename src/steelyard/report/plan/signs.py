"""The sign table of a plan as text."""

from __future__ import annotations

from typing import Final

from steelyard.factorial.signs import SignTable, main_effects
from steelyard.report.text.label import level_text, printable, wrap
from steelyard.report.text.line import Line, Span, Style
from steelyard.report.text.table import Column, table

_SIGNS: Final[dict[int, tuple[str, Style]]] = {1: ("+", ""), -1: ("−", "dim")}


def lines(signs: SignTable, width: int) -> list[Line]:
    """What A, B, … are, then a row a treatment; without interactions where the width does not suffice."""
    shown: list[Line] = [(Span("Signs, in the order of Yates", "heading"),)]
    for letter, axis in zip((e for e in main_effects(signs).effects), signs.axes, strict=True):
        low, high = (" ".join(map(level_text, step.values())) for step in axis.steps)
        said = f"{letter} is {printable(axis.name)}: − {low}, + {high}"
        shown += [(Span(line),) for line in wrap(said, width, first="  ", rest="    ")]
    columns = _columns(signs)
    short = sum(column.width + 2 for column in columns) - 2 > width
    shown += [(), *table(_columns(main_effects(signs)) if short else columns, width)]
    if short:
        shown.append((Span("Signs of interactions are the products of these."),))
    return shown


def _columns(signs: SignTable) -> list[Column]:
    found = [
        Column("id", [Span(str(row.treatment)) for row in signs.rows]),
        Column("treatment", [Span(row.name) for row in signs.rows], right=False),
    ]
    for place, effect in enumerate(signs.effects):
        found.append(Column(effect, [Span(*_SIGNS[row.signs[place]]) for row in signs.rows]))
    return found
