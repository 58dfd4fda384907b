"""Machines that each stopped when decided: bias of the mean over them, and how often its interval holds.

``python benchmarks/coverage/staged.py [--experiments N] [--seed S]``. Each machine looks as ``compare`` does
and ends when its verdict is decided and its interval narrow, at the latest after 300 blocks; by t, as in
answered.py.
"""

from __future__ import annotations

import argparse
import math
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from answered import ALPHA, schedule
from scipy.special import stdtrit

from steelyard.stats.planning.standing import NARROW, PART
from steelyard.stats.sequential.looks import Looks

MOST: Final = 300


class Machines(NamedTuple):
    """How many, their mean effect, SD between them and of a block: logarithms."""

    machines: int
    effect: float
    between: float
    within: float


ROWS: Final = (
    Machines(30, 0.02, 0.02, 0.05),
    Machines(30, 0.0, 0.02, 0.05),
    Machines(30, 0.02, 0.005, 0.05),
    Machines(30, 0.02, 0.02, 0.02),
    Machines(30, 0.03, 0.0, 0.05),
    Machines(10, 0.2, 0.1, 0.1),
)


@cache
def _find_level(looks: tuple[int, ...]) -> float:
    return Looks(looks, looks[-1] if looks[-1] == MOST else None).level(ALPHA)


def measure_machine(rng: np.random.Generator, effect: float, within: float) -> float:
    """Return the mean of the blocks at which a machine of this effect ends."""
    logs = effect + within * rng.normal(size=MOST)
    able: tuple[int, ...] = ()
    for blocks in schedule(MOST):
        mean, se = float(logs[:blocks].mean()), float(logs[:blocks].std(ddof=1)) / math.sqrt(blocks)
        half = float(stdtrit(blocks - 1, 1 - _find_level((*able, blocks)) / 2)) * se
        if half <= max(NARROW, PART * -math.expm1(-abs(mean))):
            if abs(mean) > half:
                break
            able = (*able, blocks)
    return mean


def count_held(rng: np.random.Generator, world: Machines, experiments: int) -> tuple[float, int]:
    """Return the mean estimate, and how many 95 % intervals over machines hold the effect."""
    estimates, held = [], 0
    for _ in range(experiments):
        effects = world.effect + world.between * rng.normal(size=world.machines)
        means = np.array([measure_machine(rng, float(effect), world.within) for effect in effects])
        half = stdtrit(world.machines - 1, 0.975) * means.std(ddof=1) / math.sqrt(world.machines)
        held += abs(float(means.mean()) - world.effect) <= half
        estimates.append(float(means.mean()))
    return float(np.mean(estimates)), held


def main() -> None:
    """Print a row for each kind of machines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=200)
    parser.add_argument("--seed", type=int, default=476)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    for world in ROWS:
        mean, held = count_held(rng, world, options.experiments)
        print(f"{world}: mean {mean:.4f}, {held} of {options.experiments} intervals hold", flush=True)


if __name__ == "__main__":
    main()
