"""Columns of a table that carry a difference: a node, a day, an order, a first and cold iteration.

They differ beside what is compared. A level that is slower in every treatment, and one that the sides have
unequally often, are named; no verdict hangs on it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Final

import msgspec

from steelyard.core.units import Scalar, parse_float
from steelyard.stats.distributions.student import LogT

LEVEL: Final = 0.01
"""Probability of naming any level of a table without such effects, over all levels that are looked at."""
LEAST: Final = 0.02
"""Effects that are named, as a logarithm."""
MOST: Final = 4
"""Sentences; the largest effects come first."""
FEWEST: Final = 3
"""Levels on each side from which on levels that differ altogether are a sample, as jobs are."""

_ITERATIONS: Final = frozenset(
    {"iteration", "iter", "it", "rep", "repetition", "repeat", "round", "trial", "run", "index", "i", "step"}
)
"""Names of columns that number what follows each other; the first may be cold."""

Treatment = tuple[tuple[str, Scalar], ...]


class ColumnsBeside(msgspec.Struct, frozen=True):
    """Rows of a table with the columns that have no role: what differed beside what is compared.

    Attributes
    ----------
    levels : tuple of Mapping[str, Scalar]
        Of each row that has a value.
    values : tuple of float
        Of the first metric.
    columns : Mapping[str, tuple of str]
        Cells of each further column, row by row.
    """

    levels: tuple[Mapping[str, Scalar], ...]
    values: tuple[float, ...]
    columns: Mapping[str, tuple[str, ...]]


class Finding(msgspec.Struct, frozen=True):
    """A sentence, and the size by which findings are ordered."""

    size: float
    text: str


class Row(msgspec.Struct, frozen=True):
    """A row of a table: its treatment, the logarithm of its value, its cell of one column."""

    treatment: Treatment
    log: float
    cell: str


def examine_columns(table: ColumnsBeside, compared: str | None) -> list[str]:
    """Say which levels of further columns carry a difference.

    Parameters
    ----------
    table : ColumnsBeside
        Of positive values; others are not looked at.
    compared : str or None
        The factor whose levels are the sides.
    """
    if not all(value > 0 for value in table.values):
        return []
    treatments = [tuple(levels.items()) for levels in table.levels]
    logs = [math.log(value) for value in table.values]
    columns = {name: cells for name, cells in table.columns.items() if _has_levels(cells)}
    tests = sum(1 if name.lower() in _ITERATIONS else len(set(cells)) for name, cells in columns.items())
    findings: list[Finding] = []
    for name, cells in columns.items():
        rows = [Row(*entry) for entry in zip(treatments, logs, cells, strict=True)]
        if compared is not None:
            findings += _compare_sides(name, rows, compared)
        findings += _find_slow_levels(name, rows, LEVEL / tests)
    return [finding.text for finding in sorted(findings, key=lambda finding: -finding.size)[:MOST]]


def _has_levels(cells: Sequence[str]) -> bool:
    """Whether a column has several levels, of which most repeat: measurements and times of day do not."""
    return 2 <= len(set(cells)) <= len(cells) / 2


def _compare_sides(name: str, rows: Sequence[Row], compared: str) -> Iterator[Finding]:
    """Say of each pair of sides whether levels tell them apart, or carry their difference."""
    sides: dict[Treatment, dict[Scalar, list[Row]]] = {}
    for row in rows:
        rest = tuple(pair for pair in row.treatment if pair[0] != compared)
        sides.setdefault(rest, {}).setdefault(dict(row.treatment)[compared], []).append(row)
    for rest, groups in sides.items():
        (first, old), *treatments = groups.items()
        among = f" ({', '.join(f'{key}={level}' for key, level in rest)})" if len(sides) > 1 else ""
        for second, new in treatments:
            finding = _compare_pair(name, (str(first), old), (str(second), new), among)
            if finding is not None:
                yield finding


def _compare_pair(
    name: str, baseline: tuple[str, Sequence[Row]], treatment: tuple[str, Sequence[Row]], among: str
) -> Finding | None:
    (first, old), (second, new) = baseline, treatment
    counts = [Counter(row.cell for row in side) for side in (old, new)]
    common = counts[0].keys() & counts[1].keys()
    total = fmean(row.log for row in new) - fmean(row.log for row in old)
    if not common:
        if min(map(len, counts)) >= FEWEST:
            return None
        text = " and ".join(
            f"{side} has {_list_levels(count)}" for side, count in zip((first, second), counts, strict=True)
        )
        return Finding(
            abs(total),
            f"{name} tells the sides apart: {text}{among}. What differs may be the {name}; run both on each.",
        )
    inside, se = _estimate_inside(old, new, common)
    carried = total - inside
    if abs(carried) <= max(abs(total) / 2, 2 * se, LEAST):
        return None
    shares = " and ".join(
        f"{side} has {_list_counts(count)}" for side, count in zip((first, second), counts, strict=True)
    )
    return Finding(
        abs(carried),
        f"{name} carries a difference: {second} takes {math.exp(total):.3g} × {first} over all rows, and"
        f" {math.exp(inside):.3g} × within each {name}{among}. Rows: {shares}. --by {name} tells them apart.",
    )


def _estimate_inside(old: Sequence[Row], new: Sequence[Row], common: set[str]) -> tuple[float, float]:
    """Estimate the log ratio within levels that both sides have, and the standard error of that overall."""
    weights, differences, squares, freedom = [], [], 0.0, 0
    for cell in common:
        groups = [[row.log for row in side if row.cell == cell] for side in (old, new)]
        sizes = [len(group) for group in groups]
        weights.append(sizes[0] * sizes[1] / sum(sizes))
        differences.append(fmean(groups[1]) - fmean(groups[0]))
        squares += sum((log - fmean(group)) ** 2 for group in groups for log in group)
        freedom += sum(sizes) - 2
    inside = math.fsum(w * d for w, d in zip(weights, differences, strict=True)) / math.fsum(weights)
    variance = squares / freedom if freedom > 0 else math.inf
    return inside, math.sqrt(variance * (1 / len(old) + 1 / len(new)))


def _find_slow_levels(name: str, rows: Sequence[Row], level: float) -> Iterator[Finding]:
    """Say which level differs from the others in the treatments that have both."""
    cells = list(dict.fromkeys(row.cell for row in rows))
    is_iteration = name.lower() in _ITERATIONS
    if is_iteration:
        numbers = [parse_float(cell) for cell in cells]
        if not all(math.isfinite(number) for number in numbers):
            return
        cells = [cells[numbers.index(min(numbers))]]
    for cell in cells:
        effect = _estimate_effect(rows, cell)
        if effect is None or abs(effect.log) < LEAST or effect.p_of(1.0) > level:
            continue
        if len({row.cell for row in rows}) == 2 and not is_iteration and effect.log < 0:
            continue  # Of two levels, the one above the other is named.
        count = len({row.treatment for row in rows if row.cell == cell})
        treatments = f"{count} treatments" if count > 1 else "its treatment"
        subject = f"{name} {cell}, the first," if is_iteration else f"{name} {cell}"
        cure = "it may be cold: leave it out." if is_iteration else f"--by {name} tells them apart."
        yield Finding(
            abs(effect.log),
            f"{subject} has {math.exp(effect.log):.3g} × the values of the others in {treatments}; {cure}",
        )


def _estimate_effect(rows: Sequence[Row], cell: str) -> LogT | None:
    """Estimate the log ratio of a level to the others, treatment by treatment, with a common variance."""
    groups: dict[Treatment, tuple[list[float], list[float]]] = {}
    for row in rows:
        groups.setdefault(row.treatment, ([], []))[row.cell != cell].append(row.log)
    both = [(inside, outside) for inside, outside in groups.values() if inside and outside]
    squares = sum((log - fmean(side)) ** 2 for pair in both for side in pair for log in side)
    freedom = sum(len(side) - 1 for pair in both for side in pair)
    if freedom < 1:
        return None
    weights = [len(a) * len(b) / (len(a) + len(b)) for a, b in both]
    log = math.fsum(
        weight * (fmean(a) - fmean(b)) for weight, (a, b) in zip(weights, both, strict=True)
    ) / math.fsum(weights)
    se = math.sqrt(squares / freedom / math.fsum(weights))
    return LogT(log, se, freedom, 0.0) if se > 0 else None


def _list_levels(counts: Mapping[str, int]) -> str:
    names = list(counts)
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _list_counts(counts: Mapping[str, int]) -> str:
    texts = [f"{count} of {name}" for name, count in counts.items()]
    return ", ".join(texts[:3]) + (f" and {len(texts) - 3} more" if len(texts) > 3 else "")
