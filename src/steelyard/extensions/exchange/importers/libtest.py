"""``#[bench]`` of Rust's libtest: what ``cargo bench`` prints, or its JSON, the median of one process each.

JSON has the digits that the printed line rounds: ``-Z unstable-options --format json``.
"""

from __future__ import annotations

import re
from typing import Final

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers.contents import (
    FailedRuns,
    FileContents,
    ImportedSeries,
    any_unit,
    name_metric,
    side_of,
)
from steelyard.files.reading import json_lines

TOOL: Final = "libtest"
MARK: Final = '"test_count"'
"""In the first line of libtest's JSON."""
_LINE: Final = re.compile(
    r"^test (?P<name>.+?) +\.\.\. bench: +(?P<value>[0-9][0-9,]*(?:\.[0-9]+)?) (?P<unit>\S+)/iter"
    r" \(\+/- [0-9.,]+\)(?: = (?P<rate>[0-9,]+) MB/s)?",
    re.MULTILINE,
)
_FAILED: Final = re.compile(r"^test (?P<name>.+?) +\.\.\. FAILED$", re.MULTILINE)
_RUNNING: Final = re.compile(r"^ *Running (?:unittests |benches )?(?P<source>\S+) \(\S+\)$", re.MULTILINE)
_AGAIN: Final = "run cargo bench again"


def is_output(text: str) -> bool:
    """Whether a line of the text is a result, or the text is libtest's JSON."""
    return _LINE.search(text) is not None


def read(text: str, place: str) -> FileContents:
    """All benchmarks of a printed text or of JSON; a target that is printed tells equal names apart.

    Raises
    ------
    UsageError
        A line that is not JSON.
    """
    if text.lstrip().startswith("{"):
        return _read_json(text, place)
    series: list[ImportedSeries] = []
    targets = [(match.start(), match["source"]) for match in _RUNNING.finditer(text)]
    for match in _LINE.finditer(text):
        target = next((name for start, name in reversed(targets) if start < match.start()), "")
        unit = any_unit(match["unit"])
        value = float(match["value"].replace(",", "")) * unit.scale
        rate = match["rate"]
        rate_mb_per_s = None if rate is None else float(rate.replace(",", ""))
        series += _make_series(match["name"], value, rate_mb_per_s, target, unit.si)
    return _make_contents(series, [match["name"] for match in _FAILED.finditer(text)])


def _read_json(text: str, place: str) -> FileContents:
    series: list[ImportedSeries] = []
    failed = []
    for number, event in enumerate(json_lines(text, place, hint=_AGAIN), start=1):
        if not isinstance(event, dict):
            continue
        name = str(event.get("name", ""))
        if event.get("type") == "test" and event.get("event") == "failed":
            failed.append(name)
        if event.get("type") != "bench":
            continue
        value, rate = event.get("median"), event.get("mib_per_second")
        if not isinstance(value, int | float):
            raise UsageError(f"{place}, line {number}: {name} has no median", hint=_AGAIN)
        series += _make_series(name, value * 1e-9, rate if isinstance(rate, int | float) else None, "")
    return _make_contents(series, failed)


def _make_contents(series: list[ImportedSeries], failed: list[str]) -> FileContents:
    failures = tuple(FailedRuns({"benchmark": name}, failed=1, name=name) for name in failed)
    skipped = dict.fromkeys(failed, "it failed")
    return FileContents(TOOL, tuple(series), skipped=skipped, failures=failures)


def _make_series(
    name: str, value: float, rate: float | None, target: str, unit: str = "s"
) -> list[ImportedSeries]:
    """Return the time, and the throughput where it is there: millions of bytes, whatever JSON calls it.

    A target that counts something else than time, as cycles, has a metric of that name.
    """
    levels: dict[str, Scalar] = {"benchmark": name}
    qualifiers: dict[str, Scalar] = {"target": target} if target else {}
    time = ImportedSeries(levels, name_metric(unit), unit, ((value,),), side_of(unit), name, qualifiers)
    if rate is None:
        return [time]
    bytes_per_s = ((rate * 1e6,),)
    return [time, ImportedSeries(levels, "throughput", "B/s", bytes_per_s, "higher", name, qualifiers)]
