"""The power that flipped signs have at the difference that is said to show with 80 %: by t, and by the
critical value that has their power.
"""

from __future__ import annotations

import argparse
import math
from typing import Final

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.stats.distributions.student import detectable, detectable_beyond
from steelyard.stats.hypothesis.sign_flip_critical import sign_flip_critical
from steelyard.stats.hypothesis.sign_flips import SignFlips
from steelyard.stats.planning.power import POWER

SIZES: Final = (7, 8, 10, 12, 14, 16, 20, 30, 40, 64)
LEVELS: Final = (0.05, 0.05 / 2, 0.05 / 3, 0.01, 0.05 / 10, 0.05 / 28, 0.05 / 100)


def least_ratios(rng: np.random.Generator, n: int, experiments: int) -> Floats:
    """A row an experiment, a column a level: how far, in standard errors, the true mean of differences with a
    spread of 1 must be above 0 to be told from it, with what chance has made of this experiment.
    """
    needed = np.empty((experiments, len(LEVELS)))
    for row in needed:
        d = rng.normal(size=n)
        se = float(d.std(ddof=1)) / math.sqrt(n)
        law = SignFlips(float(d.mean()), se, n - 1, d, int(rng.integers(2**31)))
        for column, level in enumerate(LEVELS):
            interval = law.interval(level)
            row[column] = math.log(interval.high) * math.sqrt(n) if interval else math.inf
    return needed


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="The power of what is said to show")
    parser.add_argument("--experiments", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    error = 100 * math.sqrt(POWER * (1 - POWER) / options.experiments)
    print(f"{options.experiments} experiments a row, seed {options.seed}, standard error {error:.1f}")
    print("power in percent at the difference of t, of the signs; the second over the first")
    print(" n  " + "".join(f"{f'{100 * level:.2g} %':>20}" for level in LEVELS))
    for n in SIZES:
        needed = least_ratios(np.random.default_rng([options.seed, n]), n, options.experiments)
        cells = []
        for column, level in enumerate(LEVELS):
            by_t = detectable(n - 1, level, POWER)
            by_signs = detectable_beyond(sign_flip_critical(n, level), n - 1, POWER)
            before, after = (100 * float((needed[:, column] < shift).mean()) for shift in (by_t, by_signs))
            cells.append(f"{before:6.1f} {after:5.1f} {by_signs / by_t:6.3f} ")
        print(f"{n:>2}  " + "".join(f"{cell:>20}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
