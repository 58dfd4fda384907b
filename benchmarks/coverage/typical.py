"""How often the intervals of a typical run cover a true ratio of 1, how wide they are, and what their test
finds, beside t over the same blocks: the table of decision 024.

``python benchmarks/coverage/typical.py [--experiments N] [--seed S]``.
"""

from __future__ import annotations

import argparse
import math
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import BUILTIN
from steelyard.results.comparison import Speedup, Typical
from steelyard.stats.compare.contrast import Contrast, contrast
from steelyard.stats.compare.speedup import speedup
from steelyard.stats.compare.typical import typical

SIZE = 0.02
"""Of the noise, on the scale of logarithms; also the true difference where power is asked for."""

Noise = Callable[[np.random.Generator, int], Floats]
NOISE: Mapping[str, Noise] = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "skewed, exponential": lambda rng, n: rng.exponential(size=n),
    "heavy tails, t3": lambda rng, n: rng.standard_t(3, n) / math.sqrt(3),
    "a tenth of runs 10 s slower": lambda rng, n: 0.3 * rng.standard_normal(n) + 3 * (rng.random(n) < 0.1),
}


@dataclass(frozen=True, slots=True)
class Row:
    """Shares of experiments; ``width`` is the mean width of the typical run's interval over that of t."""

    covered_t: float
    covered: float
    width: float
    power_t: float
    power: float


def row(noise: Noise, blocks: int, experiments: int, seed: int) -> Row:
    """Simulate."""
    rng = np.random.default_rng([seed, blocks])
    covered_t = covered = power_t = power = 0
    wide_t = wide = 0.0
    for _ in range(experiments):
        old, new = SIZE * noise(rng, blocks), SIZE * noise(rng, blocks)
        t, run = _both(old, new)
        of_t, of_run = t.interval(), run.ci95
        if of_t is None or of_run is None:
            raise ValueError(f"{blocks} blocks give no interval")
        covered_t += not of_t.excludes(1)
        covered += not of_run.excludes(1)
        wide_t += math.log(of_t.high / of_t.low)
        wide += math.log(of_run.high / of_run.low)
        t, run = _both(old, new - SIZE)
        power_t += t.p <= 0.05
        power += run.p <= 0.05
    return Row(
        covered_t / experiments,
        covered / experiments,
        wide / wide_t,
        power_t / experiments,
        power / experiments,
    )


def _both(old: Floats, new: Floats) -> tuple[Speedup, Typical]:
    between = contrast(_sample(old, 1), _sample(new, 2))
    if isinstance(between, Contrast):
        t, run = speedup(between), typical(between)
        if isinstance(t, Speedup) and run is not None:
            return t, run
    raise ValueError("no contrast")


def _sample(logs: Floats, treatment: int) -> Sample:
    n = logs.size
    places, ones, none = array("q", range(1, n + 1)), array("q", [1] * n), array("q", [0] * n)
    named = Treatment(treatment, f"t{treatment}", {"t": treatment})
    return Sample(BUILTIN["wall_s"], named, array("d", np.exp(logs)), places, ones, none, places)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--experiments", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{'':<30}{'blocks':>7}{'covered: t':>12}{'typical':>9}{'width':>7}{'power: t':>10}{'typical':>9}")
    for name, noise in NOISE.items():
        for blocks in (10, 30):
            r = row(noise, blocks, options.experiments, options.seed)
            print(
                f"{name:<30}{blocks:7}{100 * r.covered_t:12.1f}{100 * r.covered:9.1f}{r.width:7.2f}"
                f"{100 * r.power_t:10.1f}{100 * r.power:9.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
