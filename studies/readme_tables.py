#!/usr/bin/env python3
"""Tables of the studies' READMEs, made from ``tables.csv``: ``python studies/readme_tables.py [STUDY...]``.

A study whose records are too large to check in keeps what it measured in ``tables.csv``, a row for each cell:
``heading`` and ``place`` name the table in the README, ``row`` counts from 1. The README's tables are written
from it. ``--keep HEADING`` takes the tables below a heading of the README into the file.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pages

HERE: Final = Path(__file__).resolve().parent
FILE: Final = "tables.csv"


class Cell(NamedTuple):
    """A cell as it is printed; ``place`` counts the tables below ``heading`` from 1."""

    heading: str
    place: int
    row: int
    column: str
    text: str


class Table(NamedTuple):
    """A table, and the lines of the README that it takes, the last not included."""

    heading: str
    place: int
    rows: list[dict[str, str]]
    columns: list[str]
    start: int
    end: int


def read_tables(readme: str) -> Iterator[Table]:
    """Tables of a text in Markdown, in its order.

    Raises
    ------
    LookupError
        Two columns of a table have one name, or a row lacks a cell.
    """
    lines = readme.splitlines()
    heading, place, at = "", 0, 0
    while at < len(lines):
        if lines[at].startswith("#"):
            heading, place = lines[at].lstrip("#").strip(), 0
        if not lines[at].startswith("|"):
            at += 1
            continue
        start = at
        while at < len(lines) and lines[at].startswith("|"):
            at += 1
        place += 1
        head, _, *rows = [[cell.strip() for cell in _split(line)] for line in lines[start:at]]
        if len({*head}) < len(head) or any(len(row) != len(head) for row in rows):
            raise LookupError(f"line {start + 1}: columns need names of their own, rows a cell for each")
        named = [dict(zip(head, row, strict=True)) for row in rows]
        yield Table(heading, place, named, head, start, at)


def _split(line: str) -> list[str]:
    return line.strip().removeprefix("|").removesuffix("|").split("|")


def kept(study: Path) -> list[Cell]:
    """Cells that a study keeps."""
    if not (study / FILE).is_file():
        return []
    with (study / FILE).open(newline="", encoding="utf-8") as file:
        return [
            Cell(line["heading"], int(line["place"]), int(line["row"]), line["column"], line["text"])
            for line in csv.DictReader(file)
        ]


def rows_of(study: Path, heading: str, place: int = 1) -> list[dict[str, str]]:
    """Rows of a kept table, by their columns; ``heading`` is how the README's heading begins.

    Raises
    ------
    LookupError
        The study keeps no such table.
    """
    result: dict[str, dict[int, dict[str, str]]] = {}
    for cell in kept(study):
        if cell.place == place and cell.heading.startswith(heading):
            rows = result.setdefault(cell.heading, {})
            rows.setdefault(cell.row, {})[cell.column] = cell.text
    # One heading may begin as another does.
    chosen = result.get(heading) or next(iter(result.values()), None)
    if chosen is None:
        raise LookupError(f"{study.name}: {FILE} has no table {place} below {heading!r}")
    return [chosen[row] for row in sorted(chosen)]


def write_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table in Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def renew(study: Path) -> str:
    """Make the README with its tables written from what is kept.

    Raises
    ------
    LookupError
        The README lacks a table that is kept.
    """
    readme = pages.read(study)
    lines = readme.splitlines()
    places = {(cell.heading, cell.place) for cell in kept(study)}
    for table in reversed(list(read_tables(readme))):
        key = table.heading, table.place
        if key in places:
            places.discard(key)
            rows = rows_of(study, *key)
            lines[table.start : table.end] = write_table(
                list(rows[0]), [list(row.values()) for row in rows]
            ).splitlines()
    if places:
        heading, place = min(places)
        raise LookupError(f"{study.name}: README.md has no table {place} below {heading!r}")
    return "\n".join(lines) + "\n"


def keep(study: Path, headings: Sequence[str]) -> None:
    """Take the tables below these headings into the file, in the place of those that it has of them."""
    readme = pages.read(study)
    chosen = [item for item in read_tables(readme) if any(item.heading.startswith(h) for h in headings)]
    remaining = [cell for cell in kept(study) if cell.heading not in {cell_.heading for cell_ in chosen}]
    cells = [
        Cell(table.heading, table.place, number, column, text)
        for table in chosen
        for number, row in enumerate(table.rows, 1)
        for column, text in row.items()
    ]
    write_cells(study, [*remaining, *cells])


def tables_of(study: Path) -> dict[tuple[str, int], list[dict[str, str]]]:
    """The rows of every table of a study's README, by its heading and its place below that."""
    readme = pages.read(study)
    return {(table.heading, table.place): table.rows for table in read_tables(readme)}


def with_kept(study: Path, tables: Iterable[tuple[str, int, list[dict[str, str]]]]) -> list[Cell]:
    """The cells of these tables, then those that the study keeps of others."""
    cells = make_cells(tables)
    places = {(cell.heading, cell.place) for cell in cells}
    return [*cells, *(cell for cell in kept(study) if (cell.heading, cell.place) not in places)]


def make_cells(tables: Iterable[tuple[str, int, list[dict[str, str]]]]) -> list[Cell]:
    """The cells of tables: the heading that each stands under, its place there, and its rows."""
    return [
        Cell(heading, place, number, column, text)
        for heading, place, rows in tables
        for number, row in enumerate(rows, 1)
        for column, text in row.items()
    ]


def write_cells(study: Path, cells: Iterable[Cell]) -> None:
    """Write the file of cells."""
    with (study / FILE).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Cell._fields)
        writer.writerows(cells)


def write(study: Path, cells: Iterable[Cell]) -> None:
    """Write the file of cells, and the README's tables from it."""
    write_cells(study, cells)
    pages.write(study, renew(study))


def main() -> int:
    """Write the tables of READMEs, or keep some."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("studies", nargs="*", metavar="STUDY")
    parser.add_argument("--keep", action="append", default=[], metavar="HEADING")
    args = parser.parse_args()
    studies = args.studies or sorted(file.parent.name for file in HERE.glob(f"*/{FILE}"))
    for name in studies:
        study = HERE / name
        if args.keep:
            keep(study, args.keep)
        pages.write(study, renew(study))
    return 0


if __name__ == "__main__":
    sys.exit(main())
