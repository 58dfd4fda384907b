"""The rule that ends a comparison when it is answered: how often equal programs are called different, and how
often the interval at the end covers the truth. The arithmetic of ``stats.planning.standing`` by t, for many
experiments at once.

``python benchmarks/coverage/answered.py [--experiments N]``; half a minute for the default.
"""

from __future__ import annotations

import argparse
import math
from itertools import takewhile
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import stdtrit

from steelyard.design import looks
from steelyard.spec import experiment
from steelyard.stats.planning.standing import NARROW, PART
from steelyard.stats.sequential.looks import Looks

MOST = 500
"""Blocks after which time is over."""
ALPHA = 0.05


Rule = Literal["over all looks", "of one look", "none"]
"""The interval that is to be narrow beside the verdict: the product's, or one that was not made."""


class Ended(NamedTuple):
    """Fractions of the experiments, and blocks at the end: median and mean."""

    called: float
    wrong_way: float
    covered: float
    covered_when_answered: float
    naive: float
    blocks: float
    mean_blocks: float


def schedule() -> tuple[int, ...]:
    """The looks of ``compare``, and the end of the time as the last."""
    asked = experiment(
        program={"commands": {"a": ["true"], "b": ["true"]}},
        design={"blocks": 5, "stop": {"decided": True}},
    )
    return (*takewhile(lambda look: look < MOST, looks(asked)), MOST)


def simulate(
    effect: float, spread: float, count: int, seed: int, narrow_is: Rule = "over all looks"
) -> Ended:
    """Log ratios of blocks around ``effect`` with this spread, looked at until answered."""
    at = schedule()
    rng = np.random.default_rng(seed)
    going = np.ones(count, dtype=bool)
    called, sign, covered, naive = (np.zeros(count, dtype=bool) for _ in range(4))
    blocks, answered = np.zeros(count), np.zeros(count, dtype=bool)
    total, squares, n = np.zeros(count), np.zeros(count), 0
    for place, look in enumerate(at):
        fresh = rng.normal(effect, spread, (count, look - n))
        total, squares, n = total + fresh.sum(axis=1), squares + (fresh**2).sum(axis=1), look
        mean = total / n
        u = np.sqrt((squares - n * mean**2) / (n - 1) / n)
        level = Looks(at[: place + 1]).level(ALPHA)
        half = -stdtrit(n - 1, level / 2) * u
        decided = np.abs(mean) > half
        alone = -stdtrit(n - 1, ALPHA / 2) * u
        wide = {"over all looks": half, "of one look": alone, "none": np.zeros(count)}[narrow_is]
        narrow = np.sinh(wide) <= np.maximum(NARROW, PART * -np.expm1(-np.abs(mean)))
        ends = going & ((decided & narrow) | (look == MOST))
        called[ends], sign[ends] = decided[ends], mean[ends] > 0
        covered[ends] = np.abs(mean - effect)[ends] <= half[ends]
        naive[ends] = np.abs(mean - effect)[ends] <= alone[ends]
        answered[ends], blocks[ends] = (decided & narrow)[ends], look
        going &= ~ends
    wrong = called & (sign != (effect > 0))
    return Ended(
        called.mean(),
        wrong.mean(),
        covered.mean(),
        covered[answered].mean() if answered.any() else math.nan,
        naive.mean(),
        float(np.median(blocks)),
        float(blocks.mean()),
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=20_000)
    count = parser.parse_args().experiments
    print(f"{count:,} experiments a row, looks {', '.join(map(str, schedule()))}")
    print(
        "| effect | spread | called different | wrong way | covered | when answered | by t alone | blocks |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for effect in (0.0, 0.01, 0.02, 0.05, 0.2, math.log(2), math.log(8)):
        for spread in (0.02, 0.1):
            it = simulate(effect, spread, count, seed=1)
            shown = (it.called, it.wrong_way, it.covered, it.covered_when_answered, it.naive)
            cells = " | ".join("–" if math.isnan(each) else f"{100 * each:.1f} %" for each in shown)
            print(f"| {math.exp(effect):.3g} × | {100 * spread:g} % | {cells} | {it.blocks:g} |")
    print("mean blocks until the verdict and an interval that is narrow (percent covered by t alone)")
    print("| effect | spread | narrow over all looks | narrow at one look | the verdict alone |")
    print("|---|---|---|---|---|")
    rules: tuple[Rule, ...] = ("over all looks", "of one look", "none")
    for deviations in (1, 1.5, 2, 3, 4):
        for spread in (0.02, 0.1):
            ended = (simulate(deviations * spread, spread, count, 1, rule) for rule in rules)
            cells = " | ".join(f"{it.mean_blocks:.0f} ({100 * it.naive:.1f})" for it in ended)
            print(f"| {deviations:g} s | {100 * spread:g} % | {cells} |")


if __name__ == "__main__":
    main()
