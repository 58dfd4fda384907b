"""``hyperfine --export-json``: elapsed times of launches, one command after the other.

User and system time are means over the launches and stay out: one value a launch is what a record holds.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from steelyard.exchange.importers.contents import Contents, Series, level, summary_note
from steelyard.units import Scalar

TOOL = "hyperfine"
KEYS = frozenset({"results"})


class _Result(msgspec.Struct, frozen=True):
    command: str
    mean: float | None = None
    times: list[float] | None = None
    memory_usage_byte: list[int] | None = None
    exit_codes: list[int | None] | None = None
    parameters: dict[str, str] = {}


class _File(msgspec.Struct, frozen=True):
    results: list[_Result]


def read(document: object, _where: str) -> Contents:
    """All commands; parameters are the factors where they alone tell the commands apart."""
    results = msgspec.convert(document, _File).results
    by_parameters = _tell_apart(results)
    series, means, failed = [], [], []
    for each in results:
        levels: Mapping[str, Scalar] = {"benchmark": each.command}
        if by_parameters:
            levels = {name: level(text) for name, text in each.parameters.items()}
        times = each.times or ([] if each.mean is None else [each.mean])
        if not each.times:
            means.append(each.command)
        if codes := [code for code in each.exit_codes or () if code != 0]:
            failed.append(f"{each.command!r} ended with another exit code than 0 in {len(codes)} runs")
        series.append(Series(levels, "wall_s", "s", tuple((time,) for time in times)))
        if each.times and len(each.memory_usage_byte or ()) == len(each.times):
            sizes = tuple((float(size),) for size in each.memory_usage_byte or ())
            series.append(Series(levels, "rss_bytes", "B", sizes))
    notes = (*summary_note(means), *(f"{text}; hyperfine counted them." for text in failed))
    return Contents(TOOL, tuple(series), "launch", notes=notes)


def _tell_apart(results: list[_Result]) -> bool:
    names = {frozenset(each.parameters) for each in results}
    distinct = {tuple(sorted(each.parameters.items())) for each in results}
    return len(names) == 1 and all(names) and len(distinct) == len(results)
