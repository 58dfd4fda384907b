"""``AcrossContexts``: what a comparison looks like from context to context, and in the next one."""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np

from steelyard.answers.interval import Interval
from steelyard.answers.undefined import LARGEST_LOG, Undefined
from steelyard.arrays import Floats
from steelyard.sample import Sample
from steelyard.stats.contexts.components import Components, crossed_components, nested_components
from steelyard.stats.contexts.visits import Visits, differences, visits
from steelyard.stats.distributions.bootstrap_t import studentised_groups
from steelyard.stats.distributions.monte_carlo import Studentised
from steelyard.stats.distributions.student import t_quantile
from steelyard.stats.planning.unseen import unseen_share
from steelyard.stats.rounding import constant

FEWEST_CONTEXTS: Final = 10
MOST_CONTEXTS: Final = 1000
"""Beyond, the interval of t needs no check."""
RESAMPLES: Final = 2000


def two_level(of: Visits, *, seed: int = 1, resamples: int = RESAMPLES) -> Interval | None:
    """The 95 % interval of the ratio over contexts, each counting once, studentised on its logarithm.
    ``None`` below 10 contexts, above 1,000, where they differ by rounding alone, or without a bound.
    """
    order = np.argsort(of.contexts, kind="stable")
    groups = np.split(of.values[order], np.cumsum(of.counts)[:-1])
    if not FEWEST_CONTEXTS <= len(groups) <= MOST_CONTEXTS:
        return None
    means = of.means
    if constant(means):
        return None
    se = float(means.std(ddof=1)) / math.sqrt(means.size)
    drawn = studentised_groups(groups, seed=seed, resamples=resamples)
    return Studentised(float(means.mean()), se, drawn).interval(0.05)


TRIMMED: Final = 0.2
"""Of the values, at each end."""
FEWEST: Final = 5
"""Below, nothing can be trimmed."""


class Robust(msgspec.Struct, frozen=True):
    """Median and trimmed mean, with 95 % intervals.

    Attributes
    ----------
    median_interval : Interval or None
        Between order statistics, exact for every distribution; ``None`` with fewer than six values.
    trimmed, trimmed_interval : float, Interval or None
        Mean without the lowest and the highest fifth; Yuen 1974, DOI 10.1093/biomet/61.1.165: winsorised
        standard deviation over 0.6 sqrt(n), t with n - 2 floor(n/5) - 1 degrees of freedom.
    mean_differs : bool
        The mean lies outside one of the two intervals: a few values make it what it is. Of 20,000 samples of
        normal values none does at n = 10 to 100.
    """

    median: float
    median_interval: Interval | None
    trimmed: float
    trimmed_interval: Interval | None
    mean_differs: bool


def robust(values: Floats) -> Robust | None:
    """``None`` with fewer than five values."""
    x = np.sort(np.asarray(values, dtype=np.float64))
    n = x.size
    if n < FEWEST:
        return None
    cut = int(TRIMMED * n)
    kept = x[cut : n - cut]
    winsorised = np.clip(x, kept[0], kept[-1])
    trimmed = float(np.clip(kept.mean(), kept[0], kept[-1]))
    spread = float(winsorised.std(ddof=1)) if kept[0] < kept[-1] else 0.0
    half = t_quantile(kept.size - 1, 0.05) * spread / ((1 - 2 * TRIMMED) * math.sqrt(n))
    trimmed_interval = Interval(trimmed - half, trimmed + half)
    middle = median_interval(x)
    mean = float(x.mean())
    # Rounding must not move a mean out of an interval without width.
    slack = 64 * np.finfo(np.float64).eps * float(np.abs(x).max())
    differs = any(
        mean < each.low - slack or mean > each.high + slack for each in (trimmed_interval, middle) if each
    )
    return Robust(float(np.median(x)), middle, trimmed, trimmed_interval, differs)


def median_interval(ascending: Floats, alpha: float = 0.05) -> Interval | None:
    """The narrowest pair of order statistics that holds the median with at least 1 - ``alpha``; ``None``
    where even the extremes do not.
    """
    from scipy.special import bdtr

    n = ascending.size
    ranks = np.arange(n // 2)
    # P(fewer than r + 1 values below the median) for the pair of the (r + 1)-th from either end.
    fits = ranks[2 * bdtr(ranks.astype(np.float64), n, 0.5) <= alpha]
    if fits.size == 0:
        return None
    return Interval(float(ascending[fits[-1]]), float(ascending[n - 1 - fits[-1]]))


MOST_EACH: Final = 10_000
"""Contexts that are told one by one: nobody reads more, and half a million take seconds and megabytes."""


class InContext(msgspec.Struct, frozen=True):
    """The speedup in one context, as one person with that set-up would see it.

    Attributes
    ----------
    interval : Interval or None
        95 %, from the spread of visits pooled over contexts; ``None`` where no context was visited twice.
    """

    context: int
    visits: int
    speedup: float
    interval: Interval | None

    @property
    def alone(self) -> int:
        """1: faster by its own interval; -1: slower; 0: neither, or no interval."""
        if self.interval is None or not self.interval.excludes(1):
            return 0
        return 1 if self.speedup > 1 else -1


class Sides(msgspec.Struct, frozen=True):
    """Number of contexts on each side of 1, and of those whose own interval excludes it."""

    faster: int
    slower: int
    faster_alone: int | None
    slower_alone: int | None


class AcrossContexts(msgspec.Struct, frozen=True):
    """One comparison, by contexts. Ratios of geometric means, above 1 where the treatment is better.

    Attributes
    ----------
    contexts, passes : int
        Contexts with a value of both, and the fewest visits of one of them.
    speedup, interval : float, Interval or None
        Over all contexts, each counting once, with t(contexts - 1).
    prediction : Interval or None
        95 % for one new context of the same kind: exp(mean -+ t s sqrt(1 + 1/C)); what one person with one
        set-up will see, visited as often as these were.
    interaction, noise : float or None
        Standard deviations of log ratios: what contexts do to the comparison (D), and a single visit.
        ``None`` where no context was visited twice: then one cannot be told from the other.
    components : Components or None
        Of the differences, with the F test of the interaction.
    common : float or None
        What contexts do to the baseline, which a comparison within blocks does not see.
    robust : Robust or None
        Of the contexts' speedups; ``None`` with fewer than five contexts.
    bootstrap : Interval or None
        Two-level, as a cross-check; from 10 contexts on, where one was visited twice.
    default_rank : int or None
        Place of the default context among the contexts, 1 where the treatment looks best; ``None`` where that
        was not among those drawn.
    unseen : float
        The largest share of contexts that could be of a kind that is not among these (95 %).
    each : tuple of InContext
        By context; empty where there are more than 10,000 of them.
    """

    contexts: int
    passes: int
    speedup: float
    interval: Interval | None
    prediction: Interval | None
    sides: Sides
    components: Components | None
    common: float | None
    robust: Robust | None
    bootstrap: Interval | None
    default_rank: int | None
    unseen: float
    each: tuple[InContext, ...]

    @property
    def interaction(self) -> float | None:
        """The standard deviation D; see above."""
        return self.components.between if self.components else None

    @property
    def noise(self) -> float | None:
        """Of one visit's difference; see above."""
        return self.components.within if self.components else None


def across_contexts(
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
    found = differences(baseline, treatment)
    if isinstance(found, Undefined):
        return found
    means, ids, counts = found.means, found.ids, found.counts
    n = ids.size
    if n < 2:
        return Undefined("one_context")
    centre = float(means.mean())
    if np.abs(means).max() > LARGEST_LOG:
        return Undefined("out_of_range")
    s, t = float(means.std(ddof=1)), t_quantile(n - 1, 0.05)
    components = nested_components(found)
    known = None if isinstance(components, Undefined) else components
    old = visits(baseline)
    common = Undefined("no_values") if isinstance(old, Undefined) else crossed_components(old)
    middle = robust(means)
    ranks = np.argsort(np.argsort(-means)) + 1
    return AcrossContexts(
        contexts=n,
        passes=int(counts.min()),
        speedup=math.exp(centre),
        interval=_exp(centre, t * s / math.sqrt(n)),
        prediction=_exp(centre, t * s * math.sqrt(1 + 1 / n)),
        sides=_sides(found, known),
        components=known,
        common=None if isinstance(common, Undefined) else common.between,
        robust=_as_ratios(middle) if middle else None,
        bootstrap=two_level(found, seed=seed) if known else None,
        default_rank=int(ranks[ids == default][0])
        if default is not None and (ids == default).any()
        else None,
        unseen=unseen_share(n),
        each=_each(found, known) if n <= MOST_EACH else (),
    )


def _halves(of: Visits, known: Components | None) -> Floats | None:
    """Half-widths of the intervals of single contexts, on the scale of logarithms."""
    if known is None:
        return None
    return t_quantile(known.nu_within, 0.05) * known.within / np.sqrt(of.counts)


def _each(of: Visits, known: Components | None) -> tuple[InContext, ...]:
    halves, means = _halves(of, known), of.means
    intervals: list[Interval | None] = [None] * means.size
    if halves is not None:
        intervals = [_exp(float(m), float(half)) for m, half in zip(means, halves, strict=True)]
    return tuple(
        InContext(int(context), int(count), math.exp(float(mean)), interval)
        for context, count, mean, interval in zip(of.ids, of.counts, means, intervals, strict=True)
    )


def _sides(of: Visits, known: Components | None) -> Sides:
    means, halves = of.means, _halves(of, known)
    return Sides(
        faster=int((means > 0).sum()),
        slower=int((means < 0).sum()),
        faster_alone=None if halves is None else int((means > halves).sum()),
        slower_alone=None if halves is None else int((means < -halves).sum()),
    )


def _as_ratios(middle: Robust) -> Robust:
    return Robust(
        math.exp(middle.median),
        _ratio(middle.median_interval),
        math.exp(middle.trimmed),
        _ratio(middle.trimmed_interval),
        middle.mean_differs,
    )


def _ratio(logs: Interval | None) -> Interval | None:
    return None if logs is None else _exp((logs.low + logs.high) / 2, (logs.high - logs.low) / 2)


def _exp(centre: float, half: float) -> Interval | None:
    if abs(centre) + half > LARGEST_LOG:
        return None
    return Interval(math.exp(centre - half), math.exp(centre + half))
