"""What tango prints when it runs one program alone (``solo``): least, mean and largest sample of a process.

The least is read: a sample is a mean of many iterations, and beside a load the mean of the samples is three
times as long. One decimal is printed, so that 2.2 µs stands for all from 2.15 to 2.25: a time of two digits
is not read, since builds that differ by 4 % would look equal.
"""

from __future__ import annotations

import re
from typing import Final

from steelyard.extensions.exchange.importers.contents import FileContents, ImportedSeries, read_unit

TOOL = "tango"

_TIME: Final = r"\s*(?:[0-9.]+) \S+\s*"
_ROW: Final = re.compile(
    rf"^(?P<name>\S.*?)\s+\[\s*(?P<value>[0-9.]+) (?P<unit>\S+)\s*\.\.\.{_TIME}\.\.\.{_TIME}\]\s+stddev:",
    re.MULTILINE,
)
_DIGITS: Final = 3


def is_output(text: str) -> bool:
    """Whether a line of the text is a row of such a table."""
    return _ROW.search(text) is not None


def read(text: str, origin: str) -> FileContents:
    """All benchmarks, by the least of their samples.

    Raises
    ------
    UsageError
        A time in an unknown unit.
    """
    series = []
    skipped = {}
    for row in _ROW.finditer(text):
        name, value = row["name"], row["value"]
        unit = read_unit(row["unit"], f"{origin}: {name}")
        if len(value.replace(".", "").lstrip("0")) < _DIGITS:
            skipped[name] = f"tango prints {value} {row['unit']}, which has too few digits to compare"
        else:
            values = ((float(value) * unit.scale,),)
            series.append(ImportedSeries({"benchmark": name}, "time_s", unit.si, values, name=name))
    notes = tuple(f"{name} is left out: {why}." for name, why in skipped.items())
    return FileContents(TOOL, tuple(series), notes=notes, skipped=skipped)
