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
from steelyard.stats.contexts.bootstrap import two_level
from steelyard.stats.contexts.components import Components, crossed_components, nested_components
from steelyard.stats.contexts.robust import Robust, robust
from steelyard.stats.contexts.visits import Visits, differences, visits
from steelyard.stats.distributions.student import t_quantile
from steelyard.stats.planning.unseen import unseen_share

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
    """How many contexts lie on each side of 1, and how many do so by their own interval."""

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
