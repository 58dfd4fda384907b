"""Traces: how fast a run's events come from its start to its end, over runs, and between levels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from steelyard.core.arrays import Floats
from steelyard.extensions.observe.results import PartDifference, Trace
from steelyard.results.interval import Interval
from steelyard.stats.distributions.student import t_quantile, two_sided_p
from steelyard.stats.hypothesis.holm import holm

PARTS: Final = 24
"""At most; no more than a run has intervals, since two readings have nothing between them."""


class TracedRun(msgspec.Struct, frozen=True, eq=False):
    """One run, interval by interval.

    Attributes
    ----------
    block : int
    cpu_s : array of double
        CPU time of each interval, above 0: intervals in which the program did not run are left out.
    counts : Mapping[str, array of double]
        Event to its count in each interval; an event that was not counted in all of them is not here.
    """

    level: str
    block: int
    cpu_s: Floats
    counts: Mapping[str, Floats]


def profile(cpu_s: Floats, counts: Floats, parts: int) -> Floats:
    """Events per second in ``parts`` equal parts of the CPU time.

    What was counted by then is taken as linear between two readings, so that the parts together hold
    exactly what the run has.
    """
    times = np.concatenate(([0.0], np.cumsum(cpu_s)))
    counted = np.concatenate(([0.0], np.cumsum(counts)))
    edges = np.linspace(0.0, times[-1], parts + 1)
    return np.asarray(np.diff(np.interp(edges, times, counted)) / (times[-1] / parts), dtype=np.float64)


def traces(
    runs: Sequence[TracedRun], events: Sequence[str], levels: Sequence[str], *, alpha: float
) -> tuple[Trace, ...]:
    """Every event under every level that has it, the baseline the first of ``levels``.

    Runs are laid over each other by the share of their CPU time, so that neither a wait nor a longer run
    shifts them.
    """
    if not runs:
        return ()
    parts = max(1, min(PARTS, int(np.median([run.cpu_s.size for run in runs]))))
    return tuple(trace for event in events for trace in _examine_event(event, runs, levels, parts, alpha))


def _examine_event(
    event: str, runs: Sequence[TracedRun], levels: Sequence[str], parts: int, alpha: float
) -> list[Trace]:
    by_level = {
        level: {
            run.block: profile(run.cpu_s, run.counts[event], parts)
            for run in runs
            if run.level == level and event in run.counts
        }
        for level in levels
    }
    baseline = by_level[levels[0]]
    differences: dict[str, Floats] = {}
    for level in levels[1:]:
        shared = sorted(baseline.keys() & by_level[level].keys())
        if len(shared) >= 2:
            differences[level] = np.array([by_level[level][block] - baseline[block] for block in shared])
    compared = _compare(differences, alpha)
    tests = []
    for level in levels:
        samples_of = by_level[level]
        if not samples_of:
            continue
        table = np.array(list(samples_of.values()))
        tests.append(
            Trace(
                event=event,
                level=level,
                runs=len(samples_of),
                uncounted=sum(run.level == level for run in runs) - len(samples_of),
                rates=tuple(table.mean(axis=0).tolist()),
                s=tuple(table.std(axis=0, ddof=1).tolist()) if len(samples_of) > 1 else None,
                differences=compared.get(level, ()),
                blocks=len(differences.get(level, ())),
            )
        )
    return tests


def _compare(differences: Mapping[str, Floats], alpha: float) -> dict[str, tuple[PartDifference, ...]]:
    tests = {level: [_test(column) for column in table.T] for level, table in differences.items()}
    tested = [
        (level, i, p)
        for level, tests_of in tests.items()
        for i, (_, _, p) in enumerate(tests_of)
        if p is not None
    ]
    adjusted = {
        (level, i): test.p_holm
        for (level, i, _), test in zip(tested, holm([p for *_, p in tested], alpha), strict=True)
    }
    return {
        level: tuple(
            PartDifference(mean, ci95, adjusted.get((level, i))) for i, (mean, ci95, _) in enumerate(tests_of)
        )
        for level, tests_of in tests.items()
    }


def _test(values: npt.NDArray[np.float64]) -> tuple[float, Interval | None, float | None]:
    """Mean, 95 % interval and p of a mean of 0; neither of the two without a spread."""
    n, mean, s = values.size, float(values.mean()), float(values.std(ddof=1))
    if s <= 1e-12 * float(np.abs(values).max()):
        return mean, None, None
    u = s / math.sqrt(n)
    half = t_quantile(n - 1, 0.05) * u
    return mean, Interval(mean - half, mean + half), two_sided_p(mean / u, n - 1)
