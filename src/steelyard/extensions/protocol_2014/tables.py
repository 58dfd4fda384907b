"""The tables of the paper at the width of a terminal.

They are a triangle of percentages for each stratum, before and after Holm, and a row for each program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from steelyard.extensions.protocol_2014.results import Cell, ProgramTables, StratumTable, Test
from steelyard.report.text.cells import name_cell, note_omitted
from steelyard.report.text.digits import percent
from steelyard.report.text.label import columns, named_levels, pad, plural, printable, shorten_apart
from steelyard.report.text.line import Line, Span, render_paragraph
from steelyard.report.text.table import MOST_ROWS, Column, table

MOST_TRIANGLES: Final = 6
NAME_WIDTH: Final = 10
"""Columns of a terminal for the name of a treatment; ``100%*`` takes five."""
MOST_NAME_WIDTH: Final = 3 * NAME_WIDTH
"""Where fewer would make two names look alike."""
GAP: Final = "  "

_SHORT: Final[dict[Test, str]] = {"student": "Student", "welch": "Welch", "mann-whitney": "M-W"}


def render_program_tables(tables: ProgramTables, width: int) -> list[Line]:
    """Triangles where there are several programs, then programs."""
    programs = {row.program for row in tables.rows}
    result: list[Line] = []
    if len(programs) > 1:
        for stratum_table in tables.tables[:MOST_TRIANGLES]:
            result += [*_title(stratum_table, tables.factors, len(programs), width), ()]
        if count := len(tables.tables) - MOST_TRIANGLES:
            result += [*note_omitted(count), ()] if count > 0 else []
        if any(cell.dropped for part in tables.tables for cell in part.cells):
            note = (
                "* fewer after Holm: not established in this family, which does not show that it was a false "
                "finding."
            )
            result += [*render_paragraph(note, width, rest="  ", style="dim"), ()]
    return [*result, *_render_rows(tables, width)]


def _title(stratum_table: StratumTable, factors: Sequence[str], programs: int, width: int) -> list[Line]:
    text = named_levels(stratum_table.stratum)
    title = f"Programs whose pair differs, of {programs}" + (f" ({text})" if text else "")
    sums = (
        f"{stratum_table.before} of {plural(stratum_table.comparisons, 'comparison')} before Holm,"
        f" {stratum_table.after} after; " + _format_tests(stratum_table.tests, stratum_table.comparisons)
    )
    return [
        *render_paragraph(title, width, rest="  ", style="heading"),
        *render_paragraph(sums, width, rest="  ", style="dim"),
        *(render_paragraph(_choose_name(factors), width, style="dim", rest="  ") if factors[1:] else []),
        *_render_triangle(stratum_table, "before", width),
        *_render_triangle(stratum_table, "after Holm", width),
    ]


def _choose_name(factors: Sequence[str]) -> str:
    """Which level is whose: two factors may have the same."""
    return f"rows and columns: {','.join(map(printable, factors))}"


def _format_tests(tests: Mapping[Test, int], comparisons: int) -> str:
    used = ", ".join(f"{_SHORT[test]} {percent(count / comparisons)}" for test, count in tests.items())
    return used or "no test"


def _render_triangle(stratum_table: StratumTable, when: str, width: int) -> list[Line]:
    """One row for each treatment but the last, one column for each but the first.

    There are as many columns at a time as there is room for.
    """
    short = shorten_apart([printable(name) for name in stratum_table.treatments], NAME_WIDTH, MOST_NAME_WIDTH)
    names = {name: short[printable(name)] for name in stratum_table.treatments}
    cells = {(cell.first, cell.second): cell for cell in stratum_table.cells}
    firsts = [name for name in stratum_table.treatments if any(first == name for first, _ in cells)]
    seconds = [name for name in stratum_table.treatments if any(second == name for _, second in cells)]
    head = max(columns(when), *(columns(names[name]) for name in firsts))
    count = max(5, *(columns(names[name]) for name in seconds)) + len(GAP)
    room = max(1, (width - head) // count)
    result: list[Line] = []
    for start in range(0, len(seconds), room):
        part = seconds[start : start + room]
        result.append(
            (
                Span(pad(when, head), "dim"),
                *(Span(pad(names[name], count, right=True), "heading") for name in part),
            )
        )
        for first in firsts:
            row = [cells.get((first, second)) for second in part]
            if any(row):
                texts = (Span(pad(_format_cell(cell, when), count, right=True)) for cell in row)
                result.append((Span(pad(names[first], head)), *texts))
    return result


def _format_cell(cell: Cell | None, when: str) -> str:
    if cell is None:
        return ""
    if when == "before":
        return f"{100 * cell.before / cell.programs:.0f}% "
    return f"{100 * cell.after / cell.programs:.0f}%{'*' if cell.dropped else ' '}"


def _render_rows(tables: ProgramTables, width: int) -> list[Line]:
    rows = tables.rows[:MOST_ROWS]
    strata = dict.fromkeys(name for row in rows for name in row.stratum)
    used = dict.fromkeys(test for test in _SHORT if any(test in row.tests for row in rows))
    texts = [
        Column(
            printable(tables.program), [name_cell(row.program) for row in rows], right=False, is_name=True
        ),
        *(
            Column(printable(name), [name_cell(str(row.stratum.get(name, ""))) for row in rows], right=False)
            for name in strata
        ),
        Column.numbers("pairs", (str(row.pairs) for row in rows)),
        Column.numbers("differ", (f"{100 * row.before / row.pairs:.0f} %" for row in rows)),
        Column.numbers("after Holm", (f"{100 * row.after / row.pairs:.0f} %" for row in rows)),
        Column("dropped", [_render_share(row.dropped_share) for row in rows], give_way=1),
        *(
            Column.numbers(_SHORT[test], (str(row.tests.get(test, 0)) for row in rows), give_way=2)
            for test in used
        ),
    ]
    lines = note_omitted(len(tables.rows) - len(rows))
    return [*table(texts, width), *lines]


def _render_share(value: float | None) -> Span:
    return Span("–" if value is None else percent(value))
