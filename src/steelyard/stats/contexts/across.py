"""``AcrossContexts``: what a comparison looks like from context to context, and in the next one."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample
from steelyard.results.contexts import AcrossContexts, Components, InContext, Robust, Sides
from steelyard.results.interval import Interval
from steelyard.results.undefined import LARGEST_LOG, Undefined
from steelyard.stats.compare.block_noise import find_block_noise
from steelyard.stats.compare.bootstrap_t import studentised_groups
from steelyard.stats.contexts.components import crossed_components, nested_components
from steelyard.stats.contexts.visits import Visits, differences, visits
from steelyard.stats.distributions.monte_carlo import Studentised
from steelyard.stats.distributions.sign_test import order_of
from steelyard.stats.distributions.student import t_quantile
from steelyard.stats.planning.unseen import unseen_share
from steelyard.stats.rounding import constant

FEWEST_CONTEXTS: Final = 10
MOST_CONTEXTS: Final = 1000
"""Beyond, the interval of t needs no check."""
RESAMPLES: Final = 2000


def two_level(table: Visits, *, seed: int = 1, resamples: int = RESAMPLES) -> Interval | None:
    """Return the 95 % interval of the ratio over contexts, each counting once, studentised on its logarithm.

    ``None`` below 10 contexts, above 1,000, where they differ by rounding alone, or without a bound.
    """
    order = np.argsort(table.contexts, kind="stable")
    groups = np.split(table.values[order], np.cumsum(table.counts)[:-1])
    if not FEWEST_CONTEXTS <= len(groups) <= MOST_CONTEXTS:
        return None
    means = table.means
    if constant(means):
        return None
    se = float(means.std(ddof=1)) / math.sqrt(means.size)
    drawn = studentised_groups(groups, seed=seed, resamples=resamples)
    return Studentised(float(means.mean()), se, drawn).interval(0.05)


TRIMMED: Final = 0.2
"""Of the values, at each end."""
FEWEST: Final = 5
"""Below, nothing can be trimmed."""


def robust(values: Floats) -> Robust | None:
    """Return a robust ratio over contexts; ``None`` with fewer than five values."""
    x = np.sort(np.asarray(values, dtype=np.float64))
    n = x.size
    if n < FEWEST:
        return None
    cut = int(TRIMMED * n)
    inner = x[cut : n - cut]
    winsorised = np.clip(x, inner[0], inner[-1])
    trimmed = float(np.clip(inner.mean(), inner[0], inner[-1]))
    spread = float(winsorised.std(ddof=1)) if inner[0] < inner[-1] else 0.0
    half = t_quantile(inner.size - 1, 0.05) * spread / ((1 - 2 * TRIMMED) * math.sqrt(n))
    trimmed_interval = Interval(trimmed - half, trimmed + half)
    middle = median_interval(x)
    mean = float(x.mean())
    # Rounding must not move a mean out of an interval without width.
    slack = 64 * np.finfo(np.float64).eps * float(np.abs(x).max())
    differs = any(
        mean < interval.low - slack or mean > interval.high + slack
        for interval in (trimmed_interval, middle)
        if interval
    )
    return Robust(float(np.median(x)), middle, trimmed, trimmed_interval, differs)


def median_interval(ascending: Floats, alpha: float = 0.05) -> Interval | None:
    """Return the narrowest pair of order statistics that holds the median with at least 1 - ``alpha``.

    ``None`` where even the extremes do not.
    """
    k = order_of(ascending.size, alpha)
    return Interval(float(ascending[k - 1]), float(ascending[-k])) if k else None


MOST_EACH: Final = 10_000
"""Contexts that are told one by one: nobody reads more, and half a million take seconds and megabytes."""


def compare_across_contexts(
    baseline: Sample, treatment: Sample, *, default: int | None = None, seed: int = 1
) -> AcrossContexts | Undefined:
    """Two samples of one metric, paired within blocks, context by context.

    Parameters
    ----------
    default : int, optional
        The context that a user has who changes nothing.
    seed : int
        Of the bootstrap.
    """
    by_visit = differences(baseline, treatment)
    if isinstance(by_visit, Undefined):
        return by_visit
    means, ids, counts = by_visit.means, by_visit.ids, by_visit.counts
    n = ids.size
    if n < 2:
        return Undefined("one_context")
    centre = float(means.mean())
    if np.abs(means).max() > LARGEST_LOG:
        return Undefined("out_of_range")
    components = nested_components(by_visit)
    estimated = None if isinstance(components, Undefined) else components
    old = visits(baseline)
    common = Undefined("no_values") if isinstance(old, Undefined) else crossed_components(old)
    middle = robust(means)
    ranks = np.argsort(np.argsort(-means)) + 1
    return AcrossContexts(
        contexts=n,
        passes=int(counts.min()),
        speedup=math.exp(centre),
        interval=_compute_exp(centre, _compute_reach(by_visit) / math.sqrt(n)),
        prediction=_compute_exp(centre, _compute_reach(by_visit) * math.sqrt(1 + 1 / n)),
        sides=_make_sides(by_visit, estimated),
        components=estimated,
        common=None if isinstance(common, Undefined) else common.between,
        robust=_convert_to_ratios(middle) if middle else None,
        bootstrap=two_level(by_visit, seed=seed) if estimated else None,
        default_rank=int(ranks[ids == default][0])
        if default is not None and (ids == default).any()
        else None,
        unseen=unseen_share(n),
        singles=compare_each(by_visit, estimated) if n <= MOST_EACH else (),
    )


def _compute_reach(visited: Visits) -> float:
    """Return t times the SD of the mean of a context: by contexts, or by blocks where that is more."""
    means, noise = visited.means, find_block_noise(visited.values, visited.contexts)
    by_contexts = t_quantile(means.size - 1, 0.05) * float(means.std(ddof=1))
    if noise is None:
        return by_contexts
    return max(by_contexts, t_quantile(noise.nu, 0.05) * noise.se * math.sqrt(means.size))


def _compute_halves(table: Visits, components: Components | None) -> Floats | None:
    """Half-widths of the intervals of single contexts, on the scale of logarithms."""
    if components is None:
        return None
    return t_quantile(components.nu_within, 0.05) * components.within / np.sqrt(table.counts)


def compare_each(visited: Visits, components: Components | None) -> tuple[InContext, ...]:
    """Return the speedup in each context, in the order of their ids."""
    halves, means = _compute_halves(visited, components), visited.means
    intervals: list[Interval | None] = [None] * means.size
    if halves is not None:
        intervals = [_compute_exp(float(m), float(half)) for m, half in zip(means, halves, strict=True)]
    return tuple(
        InContext(int(context), int(count), math.exp(float(mean)), interval)
        for context, count, mean, interval in zip(visited.ids, visited.counts, means, intervals, strict=True)
    )


def _make_sides(table: Visits, components: Components | None) -> Sides:
    means, halves = table.means, _compute_halves(table, components)
    return Sides(
        faster=int((means > 0).sum()),
        slower=int((means < 0).sum()),
        faster_alone=None if halves is None else int((means > halves).sum()),
        slower_alone=None if halves is None else int((means < -halves).sum()),
    )


def _convert_to_ratios(middle: Robust) -> Robust:
    return Robust(
        math.exp(middle.median),
        _compute_ratio(middle.median_interval),
        math.exp(middle.trimmed),
        _compute_ratio(middle.trimmed_interval),
        middle.mean_differs,
    )


def _compute_ratio(logs: Interval | None) -> Interval | None:
    return None if logs is None else _compute_exp((logs.low + logs.high) / 2, (logs.high - logs.low) / 2)


def _compute_exp(centre: float, half: float) -> Interval | None:
    if abs(centre) + half > LARGEST_LOG:
        return None
    return Interval(math.exp(centre - half), math.exp(centre + half))
