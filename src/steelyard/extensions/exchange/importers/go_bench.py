"""``go test -bench`` as benchstat reads it.

A line is the mean over the iterations of one repetition, and ``-count`` repeats in one process.

``BenchmarkSort/n=1024-8`` is ``benchmark``, ``n`` and ``procs``. Units that ``b.ReportMetric`` made up are
kept as plain numbers under their name.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import Final

from steelyard.core.errors import UsageError
from steelyard.core.units import Better, Scalar
from steelyard.extensions.exchange.importers.contents import (
    FailedRuns,
    FileContents,
    ImportedSeries,
    identifier,
    level,
    read_number,
    unit_of,
)

TOOL = "go-bench"
AGAIN: Final = "write the file again: go test -bench"

_LINE: Final = re.compile(r"(Benchmark\S*)\s+(\d+)\s+(.+)")
_ENDS_IN_NUMBER: Final = re.compile(r"-\d+$")
_NAME: Final = re.compile(r"Benchmark\S*")
_ORPHAN: Final = re.compile(r"(?P<before>|.*\s)\d+\s+\S+ ns/op\b.*")
"""A result whose name stands before what the benchmark printed, or beside that."""
_UNIT: Final = re.compile(r"^Unit[ \t]+(\S+)[ \t]+(?:\S+[ \t]+)*?better=(higher|lower)\b", re.MULTILINE)
"""What a file says of a unit: ``Unit recall better=higher assume=exact``."""
_ABOUT: Final = re.compile(r"([a-z]\S*):\s*(.*)")
_HOST: Final = {"goos": "os", "goarch": "arch"}
_METRICS: Final = {
    "ns/op": "time_s",
    "B/op": "bytes_per_op",
    "allocs/op": "allocs_per_op",
    "MB/s": "throughput",
}


_FAILED: Final = re.compile(r"(?:Benchmark\S*\s+)?--- FAIL: +(\S.*)")
"""A benchmark that failed; its name may stand before it, as it does where it had begun to print."""
_REASON: Final = "go test: FAIL"
_BROKEN: Final = re.compile(r"(?:panic: |FAIL\t(\S+))")
"""A test program that ended before its end: by a panic, or with a failure."""


def reads(text: str) -> bool:
    """Whether a line of the text is a result."""
    return re.search(r"^Benchmark\S*\s+\d+\s+\S+ ns/op", text, re.MULTILINE) is not None


class _Endings:
    """Benchmarks that failed, and test programs that ended before their end."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.failed: list[tuple[str, str]] = []
        """Package and name."""

    def read(self, line: str, package: str) -> None:
        """Note what a line says of that."""
        if (ending := _FAILED.match(line)) is not None:
            self.notes.append(f"{ending[1].strip()} failed; it has no value.")
            self.failed.append((package, ending[1].split()[0]))
        elif (broken := _BROKEN.match(line)) is not None:
            name = broken[1] or package or "the test program"
            self.notes.append(f"{name} failed ({line.strip()}): what it had still to run is missing.")


def read(text: str, place: str) -> FileContents:
    """All benchmarks of the file.

    Raises
    ------
    UsageError
        A line is incomplete, as the last of a file that was cut off is.
    """
    values: dict[tuple[str, str, str], list[list[float]]] = {}
    units: dict[str, tuple[str, Better]] = {}
    declared: dict[str, Better] = {
        name: "higher" if side == "higher" else "lower" for name, side in _UNIT.findall(text)
    }
    host: dict[str, Scalar] = {}
    strange: dict[str, None] = {}
    ended = _Endings()
    package, process = "", 0
    processes: dict[tuple[str, str, str], int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if about := _ABOUT.fullmatch(line):
            if about[1] == "pkg":
                # A test program for each package: its lines are of one process.
                package, process = about[2], process + 1
            else:
                host[_HOST.get(about[1], about[1])] = about[2]
        ended.read(line, package)
        match = _LINE.fullmatch(line.strip())
        if match is None:
            continue
        words = match[3].split()
        if len(words) % 2:
            raise UsageError(
                f"{place}, line {number}: {line.strip()!r} is incomplete: a value without its unit",
                hint="the file was cut off: write it again, or delete that line",
            )
        for value, unit_text in zip(words[::2], words[1::2], strict=True):
            metric = _METRICS.get(unit_text) or identifier(unit_text)
            unit = unit_of(unit_text) if unit_text in _METRICS else None
            if unit_text not in _METRICS:
                strange[unit_text] = None
            is_cost = unit is not None or metric in _METRICS.values()
            better: Better = "higher" if unit_text.endswith("/s") else "lower" if is_cost else "neither"
            units[metric] = (unit.si if unit else "", declared.get(unit_text, better))
            key = (package, match[1], metric)
            launches = values.setdefault(key, [])
            if processes.get(key) != process:
                launches.append([])
            processes[key] = process
            launches[-1].append(
                read_number(value, f"{place}, line {number}", hint=AGAIN) * (unit.scale if unit else 1.0)
            )
    own_units = f"Units of the program's own are kept as plain numbers: {', '.join(strange)}."
    named = {*((package, name) for package, name, _ in values), *ended.failed}
    procs = {place: _find_procs({name for part, name in named if part == place}) for place, _ in named}
    series = tuple(
        ImportedSeries(
            _get_levels(name, procs[package]),
            metric,
            units[metric][0],
            tuple(map(tuple, launches)),
            units[metric][1],
            name,
            {"package": package} if package else {},
        )
        for (package, name, metric), launches in values.items()
    )
    return FileContents(
        TOOL,
        series,
        host=host,
        notes=(*ended.notes, *([own_units] if strange else [])),
        failures=tuple(
            FailedRuns(_get_levels(name, procs[package]), failed=1, reason=_REASON, name=name)
            for package, name in ended.failed
        ),
        skipped={**{name: _REASON for _, name in ended.failed}, **_find_broken(text)},
    )


def _find_broken(text: str) -> dict[str, str]:
    """Return the benchmarks whose result stands behind or beside what they printed."""
    broken, last = {}, "a benchmark"
    for line in text.splitlines():
        named = _NAME.search(line)
        last = named[0] if named else last
        result = None if _LINE.fullmatch(line.strip()) else _ORPHAN.fullmatch(line)
        # A line with other words and no name is of no benchmark of go.
        if result is not None and (named or not result["before"].strip()):
            broken[last] = "what it printed broke the line of its result"
    return broken


def _find_procs(names: AbstractSet[str]) -> set[str]:
    """Return the ends of names that are numbers of CPUs, which go writes unless it is one.

    ``-cpu`` holds for all benchmarks of a package: where some names have no number, as on one CPU, a number
    is one of CPUs only if all of these have it, too. ``BenchmarkAES-128`` is a name then.
    """
    plain = {name for name in names if not _ENDS_IN_NUMBER.search(name)}
    ends = {name.rpartition("-")[2] for name in names - plain}
    return {end for end in ends if all(f"{name}-{end}" in names for name in plain)}


def _get_levels(name: str, numbers: AbstractSet[str]) -> dict[str, Scalar]:
    end = name.rpartition("-")[2] if _ENDS_IN_NUMBER.search(name) else ""
    name, dash, procs = name.rpartition("-") if end in numbers else (name, "", "")
    first, *parts = name.removeprefix("Benchmark").split("/")
    levels: dict[str, Scalar] = {"benchmark": first}
    for part in parts:
        key, sign, text = part.partition("=")
        if sign and key:
            levels[key] = level(text)
        else:
            levels["benchmark"] = f"{levels['benchmark']}/{part}"
    return levels | ({"procs": int(procs)} if dash else {})
