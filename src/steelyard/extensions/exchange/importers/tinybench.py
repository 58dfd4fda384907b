"""What ``console.table(bench.table())`` of tinybench prints: mean and median of one process for each task."""

from __future__ import annotations

import re
from typing import Final

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers.contents import (
    FailedRuns,
    FileContents,
    ImportedSeries,
    read_unit,
)

TOOL = "tinybench"

_NAME: Final = "task name"
_LATENCY: Final = re.compile(r"(?:latency|average time)\b.*\((?P<unit>\w+)\)", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?")


def is_output(text: str) -> bool:
    """Whether the text has the head of such a table."""
    return any(_NAME in (cell.lower() for cell in _split(line)) for line in text.splitlines())


def read(text: str, origin: str) -> FileContents:
    """All tasks, by their medians where the table has them.

    Raises
    ------
    UsageError
        A table without a latency, or a latency in an unknown unit.
    """
    series = []
    failed: dict[str, str] = {}
    titles: list[str] = []
    name_column = value_column = 0
    unit_name = ""
    for line in text.splitlines():
        cells = _split(line)
        lower = [cell.lower() for cell in cells]
        if _NAME in lower:
            titles, name_column = lower, lower.index(_NAME)
            value_column, unit_name = _find_latency(cells, origin)
        elif unit_name and len(cells) >= len(titles):
            cells = _join_name(cells, name_column, len(titles))
            number = _NUMBER.search(cells[value_column])
            name = _unquote(cells[name_column])
            if number is None:
                error = cells[titles.index("error")] if "error" in titles else cells[value_column]
                failed[name] = _unquote(error) or "it failed"
                continue
            unit = read_unit(unit_name, f"{origin}: {name}")
            value = float(number[0].replace(",", "")) * unit.scale
            series.append(ImportedSeries({"benchmark": name}, "time_s", unit.si, ((value,),), name=name))
    failures = tuple(
        FailedRuns({"benchmark": name}, failed=1, reason=why, name=name) for name, why in failed.items()
    )
    return FileContents(TOOL, tuple(series), skipped=failed, failures=failures)


def _join_name(cells: list[str], column: int, count: int) -> list[str]:
    """Return as many cells as the table has columns: a name may hold the bar that separates them."""
    surplus = len(cells) - count
    return [*cells[:column], " │ ".join(cells[column : column + surplus + 1]), *cells[column + surplus + 1 :]]


def _unquote(cell: str) -> str:
    """Return a text as it was before node quoted it by a mark that is not in it."""
    return cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] and cell[0] in "'\"`" else cell


def _find_latency(cells: list[str], origin: str) -> tuple[int, str]:
    """Return the column of the median, or else of the mean, and its unit."""
    latencies = {place: match["unit"] for place, cell in enumerate(cells) if (match := _LATENCY.search(cell))}
    if not latencies:
        raise UsageError(
            f"{origin}: tinybench's table has no column of a latency",
            hint="console.table(bench.table()), without columns of your own",
        )
    median = next((place for place in latencies if " med" in cells[place].lower()), next(iter(latencies)))
    return median, latencies[median]


def _split(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("│").split("│")] if "│" in line else []
