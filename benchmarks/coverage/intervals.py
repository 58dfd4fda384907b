"""Coverage of the 95 % intervals of a speedup, each by the product's arithmetic, where the truth is known.

Two samples of n launches whose means have the ratio 1.5; unpaired, and in blocks that share a disturbance.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.estimand import Estimand, IntervalKind
from steelyard.results.comparison import Speedup
from steelyard.results.interval import Interval
from steelyard.stats.compare.contrast import Contrast, Units
from steelyard.stats.compare.estimate import estimate
from steelyard.stats.compare.means import means_of
from steelyard.stats.compare.ratio_of_means import gum_draws
from steelyard.stats.distributions.monte_carlo import MonteCarlo

TRUTH: Final = 1.5


@dataclass(frozen=True, slots=True)
class Shape:
    """Two distributions with equal means, of old and of new.

    Attributes
    ----------
    alike : bool
        Equal but for scale, so that every estimand has the same truth.
    most : float
        The share covered that is still right; few bimodal values are covered too often by every method.
    """

    name: str
    old: Callable[[np.random.Generator, tuple[int, int]], Floats]
    new: Callable[[np.random.Generator, tuple[int, int]], Floats]
    alike: bool = True
    most: float = 0.97


def _normal(cv: float) -> Callable[[np.random.Generator, tuple[int, int]], Floats]:
    return lambda rng, shape: np.abs(1 + cv * rng.standard_normal(shape))


def _lognormal(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return np.exp(0.5 * rng.standard_normal(shape) - 0.125)


def _bimodal(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    modes = np.where(rng.random(shape) < 0.2, 1.5, 1.0) / 1.1
    return modes * (1 + 0.02 * rng.standard_normal(shape))


SHAPES: Final = (
    Shape("normal, CV 5 %", _normal(0.05), _normal(0.05)),
    Shape("normal, CV 25 %", _normal(0.25), _normal(0.25)),
    Shape("lognormal, σ 0.5", _lognormal, _lognormal),
    Shape("bimodal 80/20, × 1.5", _bimodal, _bimodal, most=0.99),
    Shape("lognormal against normal", _lognormal, _normal(0.05), alike=False),
)
SIZES: Final = (5, 8, 30)

METHODS: Final[dict[str, tuple[Estimand, IntervalKind]]] = {
    "means, log-delta": ("ratio_of_means", "log-delta"),
    "means, Fieller": ("ratio_of_means", "fieller"),
    "means, GUM-S1": ("ratio_of_means", "gum-s1"),
    "means, bootstrap-t": ("ratio_of_means", "bootstrap-t"),
    "geometric, t on logs": ("geomean_ratio", "log-delta"),
    "geometric, flipped signs": ("geomean_ratio", "sign-flip"),
}
ONLY_IN_BLOCKS: Final = "geometric, flipped signs"
"""Launches that nothing pairs have no signs."""
DRAWN: Final = frozenset({"means, GUM-S1", "means, bootstrap-t"})
"""Take a hundred times as long as the others, so that fewer experiments are made."""

DISTURBANCE: Final = 0.3
"""Standard deviation of what a block shares, on the scale of logarithms: far more than noise."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often a bounded interval covered the truth, and how often there was none."""

    covered: int
    unbounded: int
    experiments: int

    @property
    def percent(self) -> float:
        """Of all experiments; an interval without a bound covers."""
        return 100 * (self.covered + self.unbounded) / self.experiments

    @property
    def bounded(self) -> str:
        """What the bounded ones cover, where some are not."""
        if not self.unbounded:
            return ""
        bounded = self.experiments - self.unbounded
        return f" ({100 * self.covered / max(1, bounded):.1f} of {100 * bounded / self.experiments:.0f} %)"


def coverage(shape: Shape, n: int, method: str, experiments: int, seed: int, *, blocks: bool) -> Coverage:
    """How often the interval of a method covers the ratio 1.5 of the means."""
    rng = np.random.default_rng(seed)
    old, new = TRUTH * shape.old(rng, (experiments, n)), shape.new(rng, (experiments, n))
    if blocks:
        shared = np.exp(DISTURBANCE * rng.standard_normal((experiments, n)))
        old, new = old * shared, new * shared
    covered = unbounded = 0
    for number, (a, b) in enumerate(zip(old, new, strict=True)):
        bounds = _interval(_contrast(a, b, blocks=blocks), method, seed=number + 1)
        unbounded += bounds is None
        covered += bounds is not None and not bounds.excludes(TRUTH)
    return Coverage(covered, unbounded, experiments)


def _interval(contrast: Contrast, method: str, seed: int) -> Interval | None:
    if method == "means, GUM-S1":
        # With a fiftieth of the draws, which leaves an error of a quarter of a point in each interval.
        means = means_of(contrast)
        assert means is not None  # noqa: S101 -- positive values have means
        return MonteCarlo(gum_draws(means, seed=seed, draws=4000)).interval(0.05)
    result = estimate(contrast, *METHODS[method], seed=seed)
    assert isinstance(result, Speedup), result  # noqa: S101 -- two samples of positive values have a ratio
    return result.interval()


def _contrast(old: Floats, new: Floats, *, blocks: bool) -> Contrast:
    ids, ones = np.arange(1, old.size + 1), np.ones(old.size, dtype=np.int64)
    by: Literal["block", "launch"] = "block" if blocks else "launch"
    return Contrast(
        Units(by, ids, np.log(old), old, ones), Units(by, ids, np.log(new), new, ones), 1, old.size
    )


def methods(*, blocks: bool) -> tuple[str, ...]:
    """Those of one table."""
    return tuple(method for method in METHODS if blocks or method != ONLY_IN_BLOCKS)


def rows(experiments: int, seed: int, *, blocks: bool) -> dict[tuple[Shape, int], dict[str, Coverage]]:
    """All cells of one table; methods that draw are given an eighth of the experiments."""
    return {
        (shape, n): {
            method: coverage(
                shape, n, method, experiments // (8 if method in DRAWN else 1), seed + place, blocks=blocks
            )
            for method in methods(blocks=blocks)
            if shape.alike or not method.startswith("geometric")
        }
        for place, (shape, n) in enumerate((shape, n) for shape in SHAPES for n in SIZES)
    }


def standard_error(experiments: int) -> float:
    """Of a coverage of 95 %, in points."""
    return 100 * math.sqrt(0.95 * 0.05 / experiments)
