"""ASV's results of one commit and environment.

For each benchmark and combination of parameters they have the samples of its processes, or their median.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.units import Better
from steelyard.extensions.exchange.importers.contents import FailedRuns, FileContents, ImportedSeries
from steelyard.extensions.exchange.importers.machines import make_host

TOOL = "asv"
KEYS = frozenset({"result_columns", "results"})
VERSION: Final = 2

_KINDS: Final[dict[str, tuple[str, str, Better]]] = {
    "time": ("time_s", "s", "lower"),
    "timeraw": ("time_s", "s", "lower"),
    "mem": ("memory_bytes", "B", "lower"),
    "peakmem": ("memory_bytes", "B", "lower"),
    "track": ("value", "", "neither"),
}
"""By what the name of a benchmark begins with, as ASV knows it: metric, unit, and which way is better."""
_KIND: Final = re.compile(r"(timeraw|time|peakmem|mem|track)_|(Timeraw|Time|PeakMem|Mem|Track)(?=[A-Z_])")


class _File(msgspec.Struct, frozen=True):
    result_columns: list[str]
    results: dict[str, list[Any]]
    params: dict[str, Any] = {}
    version: int = VERSION


def read(document: object, origin: str) -> FileContents:
    """All benchmarks; combinations of parameters as ``module.time_sort(1000)``, as ``--bench`` takes them."""
    file = msgspec.convert(document, _File)
    if file.version != VERSION:
        raise UsageError(
            f"{origin}: version {file.version} of ASV's results, of which {VERSION} is known",
            hint="asv update, with a newer ASV",
        )
    series = []
    skipped = {}
    failures: list[FailedRuns] = []
    for name, row in file.results.items():
        columns = dict(zip(file.result_columns, row, strict=False))
        match = _KIND.match(name.rpartition(".")[2])
        if match is None:
            skipped[name] = "its name begins with no kind of benchmark that is known"
            continue
        metric, unit, better = _KINDS[(match[1] or match[2]).lower()]
        results = _list(columns.get("result"))
        samples = _list(columns.get("samples"))
        for place, title in enumerate(_list_titles(name, _list(columns.get("params")))):
            values = _read_values(results, samples, place)
            if values:
                series.append(ImportedSeries({"benchmark": title}, metric, unit, (values,), better, title))
            else:
                skipped[title] = "ASV has no result of it"
                if place < len(results) and results[place] is None:  # NaN is one that was skipped.
                    failures.append(FailedRuns({"benchmark": title}, failed=1, reason="ASV: failed"))
    about = {name: str(value) for name, value in file.params.items() if isinstance(value, str | int)}
    host = make_host(
        host=about.get("machine"),
        cpu=about.get("cpu"),
        cpus_online=about.get("num_cpu"),
        arch=about.get("arch"),
        os=about.get("os"),
    )
    return FileContents(TOOL, tuple(series), host=host, skipped=skipped, failures=tuple(failures))


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else []


def _list_titles(name: str, params: Sequence[Sequence[str]]) -> Iterator[str]:
    if not params:
        yield name
        return
    for combination in itertools.product(*params):
        yield f"{name}({', '.join(map(str, combination))})"


def _read_values(results: Sequence[Any], samples: Sequence[Any], place: int) -> tuple[float, ...]:
    """Return the samples where they were recorded, else the result."""
    chosen = samples[place] if place < len(samples) else None
    values = chosen or ([results[place]] if place < len(results) else [])
    return tuple(float(value) for value in values if isinstance(value, int | float) and math.isfinite(value))
