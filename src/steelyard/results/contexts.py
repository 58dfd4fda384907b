"""``ContextFinding`` and ``ByContext``: effects of contexts on a comparison, and on each treatment.

The documents are a part of ``steelyard/comparison``, and ``steelyard/by-context``. History of the latter:
version 1, the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

import msgspec

from steelyard.core.sample import Treatment
from steelyard.core.units import Metric, Scalar
from steelyard.results.document import Format, Lines
from steelyard.results.interval import Interval
from steelyard.results.machines import Machines


class Components(msgspec.Struct, frozen=True):
    """Standard deviations on the scale of logarithms, so that 0.02 is 2 %.

    Attributes
    ----------
    contexts : int
        That count here; ``visits`` of each (the mean number, where they differ).
    between : float
        Of what a context does; 0 where its mean square is below that of visits.
    within : float
        Of a single visit around its context.
    passes : float or None
        Of what a pass (a stretch of time) does to all contexts of a round alike; ``None`` where it was not
        separated.
    f, p : float or None
        Of the hypothesis that contexts do nothing: F = mean square of contexts / of visits. ``None`` where
        nothing varies.
    nu_between, nu_within : int
        Degrees of freedom of both mean squares.
    """

    contexts: int
    visits: float
    between: float
    within: float
    f: float | None
    p: float | None
    nu_between: int
    nu_within: int
    passes: float | None = None
    __lines__: ClassVar[Lines] = ("between", "within", "f", "p", "nu_between", "nu_within")

    @property
    def share(self) -> float | None:
        """Share of contexts in the variance of a single visit; ``None`` where nothing varies."""
        total = self.between**2 + self.within**2
        return self.between**2 / total if total else None


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
    __lines__: ClassVar[Lines] = (
        "median",
        "median_ci95=median_interval",
        "trimmed",
        "trimmed_ci95=trimmed_interval",
        "mean_differs",
    )


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
    __lines__: ClassVar[Lines] = ("context", "visits", "speedup", "ci95=interval")

    @property
    def alone(self) -> int:
        """1: faster by its own interval; -1: slower; 0: neither, or no interval."""
        if self.interval is None or not self.interval.excludes(1):
            return 0
        return 1 if self.speedup > 1 else -1


class Sides(msgspec.Struct, frozen=True):
    """Number of contexts on each side of 1, and of those that are so by their own interval."""

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
    singles : tuple of InContext
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
    singles: tuple[InContext, ...]
    __lines__: ClassVar[Lines] = (
        *("contexts", "passes", "speedup", "ci95=interval", "prediction95=prediction", "*sides"),
        *("components", "common", "robust", "bootstrap95=bootstrap", "default_rank", "unseen"),
    )

    @property
    def interaction(self) -> float | None:
        """The standard deviation D; see above."""
        return self.components.between if self.components else None

    @property
    def noise(self) -> float | None:
        """Noise of one visit's difference; see above."""
        return self.components.within if self.components else None


class Split(msgspec.Struct, frozen=True):
    """Contexts, and runs of each treatment in one, that reach a half-width at the least cost.

    Attributes
    ----------
    rel_halfwidth : float
        The precision that it is for: that of the stop rule, or else the one reached.
    """

    rel_halfwidth: float
    contexts: int
    runs: int
    seconds: float


class ContextFinding(msgspec.Struct, frozen=True):
    """One comparison of the primary metric, by contexts.

    Attributes
    ----------
    split : Split or None
        The cheapest contexts and runs for a precision; ``None`` where costs are not known, or contexts are
        not seen to move the ratio: an interaction around 0 would ask for runs without end in one context.
    machines : Machines or None
        Where the contexts are machines.
    """

    baseline: Treatment
    treatment: Treatment
    labels: Mapping[str, Scalar]
    across: AcrossContexts
    split: Split | None = None
    machines: Machines | None = None
    __lines__: ClassVar[Lines] = (
        *("baseline", "treatment", "labels", "*across", "split", "each=across.singles", "machines"),
    )


class AtContext(msgspec.Struct, frozen=True):
    """One context.

    Attributes
    ----------
    ratio : float
        Geometric mean of the metric over its visits, over that of all contexts.
    interval : Interval or None
        95 %, from the spread of visits pooled over contexts; ``None`` where no context was visited twice.
    """

    context: int
    settings: Mapping[str, Scalar]
    visits: int
    ratio: float
    interval: Interval | None
    __lines__: ClassVar[Lines] = ("context", "settings", "visits", "ratio", "ci95=interval")


class Profile(msgspec.Struct, frozen=True):
    """One treatment in all contexts, in the order of their ids."""

    treatment: Treatment
    metric: Metric
    at: tuple[AtContext, ...]


class ByContext(msgspec.Struct, frozen=True):
    """A record by contexts: each treatment alone, and each comparison."""

    experiment: str
    profiles: tuple[Profile, ...]
    comparisons: tuple[ContextFinding, ...]


def _get_label(treatment: Treatment) -> str:
    return treatment.label


BY_CONTEXT: Final = Format(
    "steelyard/by-context",
    1,
    ByContext,
    {
        Treatment: _get_label,
        ContextFinding: (
            *("baseline", "treatment", "speedup=across.speedup", "ci95=across.interval"),
            *("prediction95=across.prediction", "single=across.singles"),
        ),
        InContext: ("context", "speedup", "ci95=interval"),
    },
)
