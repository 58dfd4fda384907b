"""What ReproMPI prints: a line for each repetition of a collective operation, or summaries of them.

S. Hunold, A. Carpen-Amarie: Reproducible MPI Benchmarking is Still Not as Easy as You Think, IEEE TPDS 27,
2016, DOI 10.1109/TPDS.2016.2539167. The repetitions of a file are of one launch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers.contents import FileContents, ImportedSeries, read_number

TOOL: Final = "reprompi"

_HEADER: Final = re.compile(r"^\s*(process\s+)?test\s+(nrep|count|msize_bytes)\s", re.MULTILINE)
_RANKS: Final = re.compile(r"#@nprocs=(\d+)")
_RUNTIME: Final = "runtime_sec"
_SIZES: Final = {"count": "count", "msize_bytes": "bytes"}
_SUFFIX: Final = "_sec"


def is_output(text: str) -> bool:
    """Whether the text has a header of ReproMPI among its first lines."""
    return "reproMPI" in text[:16384] and _HEADER.search(text) is not None


def read(text: str, place: str) -> FileContents:
    """All operations: ``op``, ``p``, and ``count`` or ``bytes``.

    Raises
    ------
    UsageError
        Times of each process, a line that was cut off, or a cell that is no number.
    """
    ranks = _RANKS.search(text)
    levels: dict[str, Scalar] = {"p": int(ranks[1])} if ranks else {}
    times: dict[tuple[tuple[str, Scalar], ...], dict[str, list[float]]] = {}
    for number, row in _rows(text, place):
        if row.get("errorcode", "0") != "0":
            continue
        key = (("op", row["test"].removeprefix("MPI_").lower()), *levels.items())
        at = f"{place}, line {number}"
        hint = "repair that line, or delete it"
        key += tuple(
            (level, int(read_number(row[name], at, hint=hint)))
            for name, level in _SIZES.items()
            if name in row
        )
        for name, cell in row.items():
            if name.endswith(_SUFFIX):
                metric = "time_s" if name == _RUNTIME else f"{name.removesuffix(_SUFFIX).lower()}_s"
                value = read_number(cell, at, hint=hint)
                times.setdefault(key, {}).setdefault(metric, []).append(value)
    series = tuple(
        ImportedSeries(dict(key), metric, "s", (tuple(values),))
        for key, metrics in times.items()
        for metric, values in metrics.items()
    )
    return FileContents(TOOL, series, "launch")


def _rows(text: str, place: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows by title; a header may come again."""
    titles: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        cells = line.split()
        if line.startswith("#") or not cells:
            continue
        if _HEADER.match(line + " "):
            titles = cells
            if titles[0] == "process":
                raise UsageError(
                    f"{place}, line {number}: times of each process, which have no clock in common",
                    hint="run mpibenchmark without -v: it prints the time of each repetition",
                )
        elif titles and cells[0].startswith("MPI_"):
            if len(cells) != len(titles):
                raise UsageError(
                    f"{place}, line {number}: {len(cells)} cells, but the table has {len(titles)} columns",
                    hint="the file was cut off, or something else was printed into it; repair that line",
                )
            yield number, dict(zip(titles, cells, strict=True))
