"""What SKaMPI 5 writes: for each measurement a line a point, with the mean of its repetitions.

T. Worsch, R. Reussner, W. Augustin: On Benchmarking Collective MPI Operations, EuroPVM/MPI 2002, DOI
10.1007/3-540-45825-5_43. A line has its variables (``procs= 4 count= 1024``), the size of the message in
bytes where there is one, mean and standard error in microseconds, repetitions, and the mean of each process.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers.contents import (
    FileContents,
    ImportedSeries,
    identifier,
    level,
    read_number,
)

TOOL: Final = "skampi"

_VERSION: Final = re.compile(r"^# SKaMPI Version (\S+)", re.MULTILINE)
_BEGIN: Final = re.compile(r'# begin result "(.*)"\s*$')
_END: Final = re.compile(r"# end result\b")
_VARIABLE: Final = re.compile(r"\s*([A-Za-z_]\w*)=\s*(\S+)")
_RANKS: Final = frozenset({"p", "procs", "nodes", "np"})
"""Variables that are the number of processes."""
_MICROSECOND: Final = 1e-6
_NOTE: Final = (
    "Each value is the mean over the repetitions of one launch, of which the file has no others: give several"
    " files the same name to compare launches (NAME=FILE)."
)


class _Row(msgspec.Struct, frozen=True):
    measurement: str
    levels: dict[str, Scalar]
    mean_us: float


def is_output(text: str) -> bool:
    """Whether the text has a result of SKaMPI; what a batch system prints may stand before it."""
    return _VERSION.search(text[:65536]) is not None and "# begin result" in text


def read(text: str, place: str) -> FileContents:
    """All measurements: ``op``, ``p``, ``bytes``, and the variables of the measurement.

    Operations that several measurements have are told apart by ``measurement``.

    Raises
    ------
    UsageError
        A line that was cut off, or a result without its end.
    """
    version = _VERSION.search(text)
    rows = list(_read_rows(text, place))
    names = list(dict.fromkeys(row.measurement for row in rows))
    of_op = Counter(map(_name_operation, names))
    series = []
    for row in rows:
        op = _name_operation(row.measurement)
        about = {"measurement": row.measurement} if of_op[op] > 1 else {}
        levels = {"op": op, **about, **row.levels}
        series.append(ImportedSeries(levels, "time_s", "s", ((row.mean_us * _MICROSECOND,),)))
    return FileContents(
        f"{TOOL} {version[1] if version else ''}".strip(), tuple(series), "launch", notes=(_NOTE,)
    )


def _name_operation(measurement: str) -> str:
    """``bcast`` of ``MPI_Bcast-procs-length``."""
    return identifier(measurement.partition("-")[0].removeprefix("MPI_")).lower()


def _read_rows(text: str, place: str) -> Iterator[_Row]:
    measurement = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _BEGIN.match(line):
            measurement = match[1]
        elif _END.match(line):
            measurement = ""
        elif measurement and line.strip() and not line.startswith("#"):
            yield _read_row(line, measurement, f"{place}, line {number}")
    if measurement:
        raise UsageError(
            f"{place}: the result {measurement!r} has no end",
            hint="the file was cut off: run the measurement again, or delete that result",
        )


def _read_row(line: str, measurement: str, place: str) -> _Row:
    levels: dict[str, Scalar] = {}
    end = 0
    while match := _VARIABLE.match(line, end):
        levels["p" if match[1] in _RANKS else identifier(match[1])] = level(match[2])
        end = match.end()
    cells = line[end:].split()
    hint = "repair that line, or delete it"
    # The size is a whole number of bytes, and times have a decimal point.
    if cells and cells[0].isdecimal():
        levels["bytes"] = int(cells.pop(0))
    if len(cells) < 3 or not cells[2].isdecimal():
        raise UsageError(f"{place}: no mean, standard error and number of repetitions", hint=hint)
    mean, *_ = (read_number(cell, place, hint=hint) for cell in cells)
    if "p" not in levels and len(cells) > 3:
        levels["p"] = len(cells) - 3  # the mean of each process follows
    return _Row(measurement, levels, mean)
