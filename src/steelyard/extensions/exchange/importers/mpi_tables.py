"""Tables of the Intel MPI Benchmarks and of OSU's.

They have a line for each message size; each value is a mean over the repetitions of one launch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from steelyard.core.errors import UsageError
from steelyard.core.units import Better, Scalar
from steelyard.extensions.exchange.importers.contents import (
    FileContents,
    ImportedSeries,
    identifier,
    read_number,
    read_unit,
)

IMB: Final = "imb"
OSU: Final = "osu"
PERCENT: Final = "%"
"""Of communication that other work hides."""

_OF_IMB: Final = re.compile(r"#\s+Intel ?\(R\) MPI Benchmarks?\s+(?:Suite )?(V?\S+?),?\s")
_OF_OSU: Final = re.compile(r"#\s+OSU (.+?) Test(?:\s+v(\S+))?\s*$", re.MULTILINE)
_MEASURED: Final = re.compile(r"(.+?)\s*[\[(](.+)[\])]")
"""A title with its unit: ``t_avg[usec]``, ``Avg Latency(us)``."""
_BARE: Final = {
    "Mbytes/sec": ("throughput", "MB/s"),
    "MB/s": ("bandwidth", "MB/s"),
    "Messages/s": ("message_rate", "op/s"),
}
"""Titles that are a unit alone: metric and unit."""
_PAIRS: Final = re.compile(r"#\s+\[ pairs: \d+ \].*")
_SETTING: Final = re.compile(r"\[ ([a-z ]+): (\d+) \]")
_NOTE: Final = (
    "Each value is the mean over the repetitions of one launch, of which the file has no others: give several"
    " files the same name to compare launches (NAME=FILE)."
)


def reads_imb(text: str) -> bool:
    """Whether the text begins as a file of the Intel MPI Benchmarks does."""
    return _OF_IMB.search(text[:4096]) is not None


def reads_osu(text: str) -> bool:
    """Whether the text begins as a file of an OSU benchmark does."""
    return _OF_OSU.search(text[:4096]) is not None


def read_imb(text: str, place: str) -> FileContents:
    """All benchmarks: ``op``, ``p`` and ``bytes``."""
    version = _OF_IMB.search(text)
    series: list[ImportedSeries] = []
    levels: dict[str, Scalar] = {}
    header: list[_Column] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if match := re.match(r"#\s+Benchmarking\s+(\S+)", line):
            levels, header = {"op": match[1]}, []
        elif match := re.match(r"#\s+#processes = (\d+)", line):
            levels = {**levels, "p": int(match[1])}
        elif line.lstrip().startswith("#bytes") or line.lstrip().startswith("#repetitions"):
            header = list(_list_columns(line.split(), place, number))
        elif header and line.strip() and line.lstrip()[0].isdigit():
            series += _list_row(line, header, levels, place, number)
        elif not line.strip():
            header = []
    return FileContents(
        f"{IMB} {version[1] if version else ''}".strip(), tuple(series), "launch", notes=(_NOTE,)
    )


def read_osu(text: str, place: str) -> FileContents:
    """All message sizes: ``op`` and ``bytes``, of several pairs their number and the window.

    How many processes there were, the file does not say. An operation without a message has no ``bytes``.
    """
    match = _OF_OSU.search(text)
    op = identifier(re.sub(r"^MPI_?\s*|\s+(Latency|Bandwidth)$", "", match[1] if match else "")).lower()
    series: list[ImportedSeries] = []
    levels: dict[str, Scalar] = {"op": op}
    header: list[_Column] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if pairs := _PAIRS.match(line):
            levels = {"op": op} | {name.replace(" ", "_"): int(n) for name, n in _SETTING.findall(pairs[0])}
        elif re.match(r"#\s+(Size|Avg Latency|Overall|Latency)\b", line):
            titles = re.split(r"\s{2,}|(?<=\))\s", line.lstrip("# ").strip())
            header = list(_list_columns(titles, place, number))
        elif header and line.strip() and line.lstrip()[0].isdigit():
            series += _list_row(line, header, levels, place, number)
    version = match[2] if match and match[2] else ""
    return FileContents(f"{OSU} {version}".strip(), tuple(series), "launch", notes=(_NOTE,))


_Column = tuple[str, str, float]
"""Metric (empty: not one), SI unit, and how many of it are one."""


def _list_columns(titles: Iterable[str], place: str, number: int) -> Iterator[_Column]:
    """``#bytes``, ``t_avg[usec]``, ``Mbytes/sec`` of IMB; ``Size``, ``Avg Latency(us)``, ``MB/s`` of OSU."""
    for title in titles:
        match = _MEASURED.fullmatch(title)
        name, unit_text = (match[1], match[2]) if match else _BARE.get(title, (title.lstrip("#"), ""))
        if not unit_text:
            yield name.lower(), "", 1.0
            continue
        if unit_text == PERCENT:
            yield identifier(name).lower(), PERCENT, 1.0
            continue
        unit = read_unit(unit_text.strip(), f"{place}, line {number}")
        yield f"{identifier(name).lower()}{'_s' if unit.si == 's' else ''}", unit.si, unit.scale


def _list_row(
    line: str, header: list[_Column], levels: dict[str, Scalar], file: str, number: int
) -> Iterator[ImportedSeries]:
    cells = line.split()
    if len(cells) != len(header):
        raise UsageError(
            f"{file}, line {number}: {len(cells)} numbers, but the table has {len(header)} columns",
            hint="the file was cut off, or something else was printed into it; repair that line",
        )
    numbers = [
        read_number(cell, f"{file}, line {number}", hint="repair that line, or delete it") for cell in cells
    ]
    at = dict(zip((name for name, _, _ in header), numbers, strict=True))
    size = at.get("bytes", at.get("size"))
    place = {**levels, "bytes": int(size)} if size is not None else levels
    for (metric, unit, scale), value in zip(header, numbers, strict=True):
        if unit:
            better: Better = "higher" if unit.endswith(("/s", PERCENT)) else "lower"
            yield ImportedSeries(place, metric, unit, ((value * scale,),), better)
