"""nanobench's JSON template: epochs within one process, each the mean of its iterations, in seconds.

Times are divided by the batch, as nanobench's own table does.
"""

from __future__ import annotations

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers.contents import FileContents, ImportedSeries

TOOL = "nanobench"
KEYS = frozenset({"results"})
RESULT = frozenset({"batch", "title", "measurements"})
"""Keys by which a result is told from those of other tools."""


class _Measurement(msgspec.Struct, frozen=True):
    elapsed: float
    iterations: float = 1.0


class _Result(msgspec.Struct, frozen=True):
    title: str
    name: str
    unit: str
    batch: float
    measurements: list[_Measurement]


class _File(msgspec.Struct, frozen=True):
    results: list[_Result]


def read(document: object, place: str) -> FileContents:
    """All benchmarks; ``title`` is a level where there are several."""
    results = msgspec.convert(document, _File).results
    titles = len({result.title for result in results}) > 1
    series = []
    for result in results:
        if not result.batch > 0:
            raise UsageError(
                f"{place}: {result.name} has a batch of {result.batch}", hint="it must be above 0"
            )
        levels: dict[str, Scalar] = {"title": result.title} if titles else {}
        values = tuple(measurement.elapsed / result.batch for measurement in result.measurements)
        series.append(ImportedSeries({**levels, "benchmark": result.name}, "time_s", "s", (values,)))
    texts = sorted({result.unit for result in results} - {"op"})
    notes = (f"Times are those of one {', '.join(texts)}, as the program set its units.",) if texts else ()
    return FileContents(TOOL, tuple(series), notes=notes)
