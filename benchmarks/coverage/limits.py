"""Limits of a mean: how often one holds although the mean is 1 % above it, and whether one holds where the
mean lies below. By the product itself.

``python benchmarks/coverage/limits.py [--experiments N] [--seed S]``; a minute for the default.
"""

from __future__ import annotations

import argparse
import math
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from noises import autoregressive

from steelyard.claims.mean import Mean, mean_of
from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import BUILTIN

ABOVE: Final = 1.01
"""The true mean over the limit that is wrong."""
SIZES: Final = (10, 30, 100)
BELOW: Final = ((0.3, 10), (0.2, 20), (0.1, 40), (0.05, 80))
"""How far the mean lies below a limit, and runs that are to show it."""
SPREADS: Final = (0.005, 0.02, 0.05)


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs of one treatment.

    Attributes
    ----------
    draw : callable
        Values in the order of time, experiments by runs.
    mean : float
        Of a run.
    bound : bool
        Whether the promise is about such runs: slow ones last at most twice the mean, and the third moment
        of the tail exists.
    """

    draw: Callable[[np.random.Generator, tuple[int, int]], Floats]
    mean: float
    bound: bool = True


def _slow(share: float, times: float, spread: float = 0.02, *, bound: bool = True) -> Runs:
    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        slow = np.where(rng.random(shape) < share, times, 1.0)
        return np.asarray(slow * (1 + spread * rng.normal(size=shape)))

    return Runs(draw, 1 + share * (times - 1), bound)


def _correlated(phi: float, spread: float, *, bound: bool = True) -> Runs:
    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        return 1 + spread * math.sqrt(1 - phi**2) * autoregressive(rng, phi, *shape)

    return Runs(draw, 1.0, bound)


def _lognormal(sigma: float, *, bound: bool = True) -> Runs:
    return Runs(lambda rng, shape: rng.lognormal(0, sigma, shape), math.exp(sigma**2 / 2), bound)


def _gamma(shape_parameter: float) -> Runs:
    return Runs(lambda rng, shape: rng.gamma(shape_parameter, 1, shape), shape_parameter)


def _pareto(a: float, *, bound: bool = True) -> Runs:
    return Runs(lambda rng, shape: 1 + rng.pareto(a, shape), a / (a - 1), bound)


ROWS: Final[dict[str, Runs]] = {
    "normal, CV 5 %": Runs(lambda rng, shape: 1 + 0.05 * rng.normal(size=shape), 1.0),
    "lognormal, σ 0.1": _lognormal(0.1),
    "lognormal, σ 0.5": _lognormal(0.5),
    "lognormal, σ 1": _lognormal(1),
    "lognormal, σ 1.5": _lognormal(1.5, bound=False),
    "gamma 0.5": _gamma(0.5),
    "gamma 2": _gamma(2),
    "bimodal 80/20, × 1.5": _slow(0.2, 1.5),
    "bimodal 50/50, × 1.5": _slow(0.5, 1.5),
    "5 % slow, × 1.5": _slow(0.05, 1.5),
    "5 % slow, × 2": _slow(0.05, 2),
    "10 % slow, × 1.5": _slow(0.1, 1.5),
    "10 % slow, × 2": _slow(0.1, 2),
    "10 % slow, × 2, CV 10 %": _slow(0.1, 2, 0.1),
    "5 % slow, × 4": _slow(0.05, 4, bound=False),
    "10 % slow, × 4": _slow(0.1, 4, bound=False),
    "AR(1) 0.5, CV 20 %": _correlated(0.5, 0.2),
    "AR(1) 0.7, CV 2 %": _correlated(0.7, 0.02),
    "AR(1) 0.7, CV 20 %": _correlated(0.7, 0.2),
    "AR(1) 0.9, CV 20 %": _correlated(0.9, 0.2, bound=False),
    "Pareto 3": _pareto(3),
    "Pareto 2.5": _pareto(2.5, bound=False),
    "Pareto 1.5": _pareto(1.5, bound=False),
}


def measured(values: Floats) -> Mean:
    """The mean of one treatment with these wall times."""
    n = values.size
    ids, ones, none = array("q", range(1, n + 1)), array("q", [1] * n), array("q", [0] * n)
    result = mean_of(
        Sample(BUILTIN["wall_s"], Treatment(1, "t", {"t": 1}), array("d", values), ids, ones, none, ids)
    )
    if not isinstance(result, Mean):
        raise TypeError(f"no mean of {n} values: {result.reason}")
    return result


def holds(runs: Runs, limit: float, n: int, experiments: int, seed: int) -> float:
    """Percent of experiments of n runs in which the mean is found to be at most ``limit``, at 5 %."""
    values = runs.draw(np.random.default_rng([seed, n]), (experiments, n))
    means = map(measured, values)
    return 100 * sum(mean.value <= limit and mean.p_of(limit) <= 0.05 for mean in means) / experiments


def wrong(name: str, n: int, experiments: int, seed: int) -> float:
    """Percent in which a limit holds that the mean exceeds."""
    return holds(ROWS[name], ROWS[name].mean / ABOVE, n, experiments, seed)


def right(below: float, spread: float, n: int, experiments: int, seed: int) -> float:
    """Percent in which a limit holds that normal values of this spread keep by so much."""
    runs = Runs(lambda rng, shape: 1 + spread * rng.normal(size=shape), 1.0)
    return holds(runs, 1 / (1 - below), n, experiments, seed)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="Limits of a mean")
    parser.add_argument("--experiments", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=213)
    options = parser.parse_args()
    print(f"{options.experiments:,} experiments a cell, seed {options.seed}; runs: {SIZES}")
    for name in ROWS:
        cells = (wrong(name, n, options.experiments, options.seed) for n in SIZES)
        print(f"{name}: {', '.join(f'{cell:.1f}' for cell in cells)}", flush=True)
    for below, n in BELOW:
        cells = (right(below, spread, n, options.experiments // 4, options.seed) for spread in SPREADS)
        print(f"{100 * below:g} % below, {n} runs: {', '.join(f'{cell:.1f}' for cell in cells)}", flush=True)


if __name__ == "__main__":
    main()
