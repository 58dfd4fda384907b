"""``#[bench]`` of Rust's libtest: what ``cargo bench`` prints, or its JSON, the median of one process each.

JSON has the digits that the printed line rounds: ``-Z unstable-options --format json``.
"""

from __future__ import annotations

import re
from typing import Final

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers.contents import FileContents, ImportedSeries, read_unit
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
        A time in an unknown unit, or a line that is not JSON.
    """
    if text.lstrip().startswith("{"):
        return _read_json(text, place)
    series: list[ImportedSeries] = []
    targets = [(match.start(), match["source"]) for match in _RUNNING.finditer(text)]
    for match in _LINE.finditer(text):
        target = next((name for start, name in reversed(targets) if start < match.start()), "")
        unit = read_unit(match["unit"], f"{place}: {match['name']}")
        value = float(match["value"].replace(",", "")) * unit.scale
        rate = match["rate"]
        rate_mb_per_s = None if rate is None else float(rate.replace(",", ""))
        series += _make_series(match["name"], value, rate_mb_per_s, target)
    skipped = {match["name"]: "it failed" for match in _FAILED.finditer(text)}
    return FileContents(TOOL, tuple(series), skipped=skipped)


def _read_json(text: str, place: str) -> FileContents:
    series: list[ImportedSeries] = []
    skipped = {}
    for number, event in enumerate(json_lines(text, place, hint=_AGAIN), start=1):
        if not isinstance(event, dict):
            continue
        name = str(event.get("name", ""))
        if event.get("type") == "test" and event.get("event") == "failed":
            skipped[name] = "it failed"
        if event.get("type") != "bench":
            continue
        value, rate = event.get("median"), event.get("mib_per_second")
        if not isinstance(value, int | float):
            raise UsageError(f"{place}, line {number}: {name} has no median", hint=_AGAIN)
        series += _make_series(name, value * 1e-9, rate if isinstance(rate, int | float) else None, "")
    return FileContents(TOOL, tuple(series), skipped=skipped)


def _make_series(name: str, value_s: float, rate: float | None, target: str) -> list[ImportedSeries]:
    """Return the time, and the throughput where it is there: millions of bytes, whatever JSON calls it."""
    levels: dict[str, Scalar] = {"benchmark": name}
    qualifiers: dict[str, Scalar] = {"target": target} if target else {}
    time = ImportedSeries(levels, "time_s", "s", ((value_s,),), name=name, qualifiers=qualifiers)
    if rate is None:
        return [time]
    bytes_per_s = ((rate * 1e6,),)
    return [time, ImportedSeries(levels, "throughput", "B/s", bytes_per_s, "higher", name, qualifiers)]
