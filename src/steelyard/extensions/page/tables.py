"""Tables as files: Markdown, LaTeX (booktabs) and CSV; models as Python and LaTeX."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from steelyard.core.extension import list_files, load
from steelyard.extensions.page.chosen_names import choose_names
from steelyard.extensions.page.contents import PageContents, Shown
from steelyard.extensions.page.latex_table import format_latex_table
from steelyard.extensions.page.sections import sections_of
from steelyard.files.writing import write_output
from steelyard.report.text.table import Column

_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]<>|#])")
_FORMULA: Final = re.compile(r"^[=+\-@\t\r]")
_NUMBER: Final = re.compile(r"[+\-]?[0-9.,]+(e[+\-]?[0-9]+)?( ?%)?")


def tables(every: Sequence[Shown]) -> Iterator[tuple[str, str, Sequence[Column]]]:
    """All tables: the name of the file, the caption, the columns."""
    for number, contents in enumerate(every, 1):
        prefix = f"{number}-" if len(every) > 1 else ""
        for section in sections_of(contents):
            for chart in section.charts:
                if chart.columns:
                    yield f"{prefix}{chart.name}", chart.title, chart.columns
            for place, (caption, columns, _) in enumerate(section.tables, 1):
                if columns:
                    yield f"{prefix}{section.name}-{place}", caption, columns


def write_tables(every: Sequence[Shown], directory: Path, only: Sequence[str] = ()) -> list[Path]:
    """Write ``NAME.md``, ``NAME.tex`` and ``NAME.csv``, and ``models.py`` and ``.tex``; return the files.

    Parameters
    ----------
    only : sequence of str
        Names of tables, ``models`` among them; all of them where it is empty.

    Raises
    ------
    UsageError
        No table has one of these names.
    """
    texts: dict[str, str] = {}
    for name, caption, columns in tables(every):
        texts[f"{name}.md"] = markdown_table(columns)
        texts[f"{name}.tex"] = format_latex_table(caption, columns, name)
        texts[f"{name}.csv"] = format_csv_table(columns)
    parts = [contents.parts for contents in every if isinstance(contents, PageContents)]
    for part, place in list_files().items():
        if members := [by_name[part] for by_name in parts if part in by_name]:
            texts |= load(place)(members)
    names = choose_names({name.rpartition(".")[0]: None for name in texts}, only, "table")
    directory.mkdir(parents=True, exist_ok=True)
    files = [directory / name for name in texts if name.rpartition(".")[0] in names]
    for file in files:
        write_output(file, texts[file.name])
    return files


def _get_rows(columns: Sequence[Column]) -> list[tuple[str, ...]]:
    return list(zip(*([cell.text for cell in column.cells] for column in columns), strict=True))


def markdown_table(columns: Sequence[Column]) -> str:
    """Return a table of GitHub's Markdown."""

    def row(cells: Sequence[str]) -> str:
        return f"| {' | '.join(_MARKDOWN.sub(_BACKSLASH, cell) for cell in cells)} |"

    rule = "|".join("---:" if column.right else "---" for column in columns)
    heads = row([column.title for column in columns])
    return "\n".join([heads, f"|{rule}|", *map(row, _get_rows(columns))]) + "\n"


_BACKSLASH: Final = r"\\\1"


def format_csv_table(columns: Sequence[Column]) -> str:
    """Comma-separated values; a cell that a spreadsheet would take for a formula begins with a quote."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column.title for column in columns])
    writer.writerows([[_format_harmless(cell) for cell in row] for row in _get_rows(columns)])
    return out.getvalue()


def _format_harmless(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell
