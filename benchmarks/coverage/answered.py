"""The rule that ends a comparison when it is answered: how often equal programs are called different, and how
often the interval at the end covers the truth. The arithmetic of ``stats.planning.standing`` by t, for many
experiments at once.

``python benchmarks/coverage/answered.py [--experiments N] [--most BLOCKS] [--growth G] [--likeness PHI]``;
half a minute for the default. With ``--growth``, looks come G-fold instead of as in the product (1: at each
block); with ``--likeness``, neighbours are AR(1) with PHI, for which this arithmetic makes no allowance.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from noises import autoregressive
from scipy.special import stdtrit

from steelyard.core.arrays import Floats
from steelyard.design import looks
from steelyard.spec import experiment
from steelyard.stats.planning.standing import NARROW, PART
from steelyard.stats.sequential.looks import Looks

MOST = 500
"""Blocks after which time is over, by default."""
FIRST = 10
"""Blocks at the first look, where looks are not the product's."""
ALPHA = 0.05


Rule = Literal["over all looks", "of one look", "none"]
"""The interval that is to be narrow beside the verdict and is shown: the product's, or one that was not made;
with ``none``, only the verdict counts, and the interval is that of one look.
"""


class Ended(NamedTuple):
    """Fractions of the experiments, and of those with a verdict; median and mean blocks at the end."""

    called: float
    wrong_way: float
    covered: float
    covered_when_answered: float
    covered_beside_verdicts: float
    naive: float
    blocks: float
    mean_blocks: float


def schedule(most: int = MOST, growth: float | None = None) -> tuple[int, ...]:
    """The looks of ``compare``, or looks that grow otherwise, and the end of the time as the last."""
    spec_ = experiment(
        program={"commands": {"a": ["true"], "b": ["true"]}},
        design={"blocks": 5, "stop": {"decided": True}},
    )
    every = looks(spec_) if growth is None else growing(growth)
    return (*takewhile(lambda look: look < most, every), most)


def growing(growth: float) -> Iterator[int]:
    """Looks that are ``growth``-fold each, and a block apart at least."""
    look = FIRST
    while True:
        yield look
        look = max(look + 1, math.floor(look * growth))


def levels(at: tuple[int, ...], could_end: npt.NDArray[np.bool_], *, last: bool) -> Floats:
    """Level of the last of these looks in each experiment, by which of those before could have ended it."""
    patterns, inverse = np.unique(could_end, axis=0, return_inverse=True)
    looks = (tuple(n for n, able in zip(at, pattern, strict=False) if able) for pattern in patterns)
    result = [Looks((*item, at[-1]), at[-1] if last else None).level(ALPHA) for item in looks]
    return np.array(result)[inverse.reshape(-1)]


def as_they_come(spread: float, count: int, seed: int = 2) -> Floats:
    """Effects of which most are small: Laplace, of mean size one spread of a block."""
    return np.random.default_rng(seed).laplace(0, spread, count)


def simulate(
    effect: float | Floats,
    spread: float,
    count: int,
    at: Sequence[int],
    *,
    rule: Rule = "over all looks",
    likeness: float = 0.0,
    seed: int = 1,
    values: Floats | None = None,
) -> Ended:
    """Log ratios of blocks around ``effect``, one or one an experiment, looked at until answered, at the last
    look whatever it shows; of other ``values``, where they are given.
    """
    at = tuple(at)
    rng = np.random.default_rng(seed)
    effects = np.broadcast_to(effect, count)
    if values is None:
        drawn = math.sqrt(1 - likeness**2) * autoregressive(rng, likeness, count, at[-1])
        values = effects[:, np.newaxis] + spread * drawn
    going = np.ones(count, dtype=bool)
    called, sign, covered, naive = (np.zeros(count, dtype=bool) for _ in range(4))
    blocks, answered = np.zeros(count), np.zeros(count, dtype=bool)
    could_end = np.zeros((count, len(at)), dtype=bool)
    totals, squares = np.cumsum(values, axis=1), np.cumsum(values**2, axis=1)
    for place, n in enumerate(at):
        mean = totals[:, n - 1] / n
        u = np.sqrt((squares[:, n - 1] - n * mean**2) / (n - 1) / n)
        level = levels(at[: place + 1], could_end[:, :place], last=n == at[-1])
        half = -stdtrit(n - 1, level / 2) * u
        decided = np.abs(mean) > half
        alone = -stdtrit(n - 1, ALPHA / 2) * u
        wide = {
            "over all looks": half,
            "of one look": alone,
            "none": alone,
        }[rule]
        narrow = np.sinh(wide) <= np.maximum(NARROW, PART * -np.expm1(-np.abs(mean)))
        narrow |= rule == "none"
        could_end[:, place] = narrow
        ends = going & ((decided & narrow) | (n == at[-1]))
        called[ends], sign[ends] = decided[ends], mean[ends] > 0
        covered[ends] = np.abs(mean - effects)[ends] <= wide[ends]
        naive[ends] = np.abs(mean - effects)[ends] <= alone[ends]
        answered[ends], blocks[ends] = (decided & narrow)[ends], n
        going &= ~ends
    wrong = called & (sign != (effects > 0))
    return Ended(
        called.mean(),
        wrong.mean(),
        covered.mean(),
        covered[answered].mean() if answered.any() else math.nan,
        covered[called].mean() if called.any() else math.nan,
        naive.mean(),
        float(np.median(blocks)),
        float(blocks.mean()),
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=20_000)
    parser.add_argument("--growth", type=float)
    parser.add_argument("--likeness", type=float, default=0.0)
    parser.add_argument("--most", type=int, default=MOST)
    options = parser.parse_args()
    count, likeness = options.experiments, options.likeness
    at = schedule(options.most, options.growth)
    print(f"{count:,} experiments a row, looks {', '.join(map(str, at))}")
    print(
        "| effect | spread | called different | wrong way | covered | when answered | by t alone | blocks |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for effect in (0.0, 0.01, 0.02, 0.05, 0.2, math.log(2), math.log(8)):
        for spread in (0.02, 0.1):
            it = simulate(effect, spread, count, at, likeness=likeness)
            rates = (it.called, it.wrong_way, it.covered, it.covered_when_answered, it.naive)
            cells = " | ".join("–" if math.isnan(item) else f"{100 * item:.1f} %" for item in rates)
            print(f"| {math.exp(effect):.3g} × | {100 * spread:g} % | {cells} | {it.blocks:g} |")
    print("mean blocks until the verdict and an interval that is narrow (percent covered by it)")
    print("| effect | spread | over all looks | of one look | the verdict alone |")
    print("|---|---|---|---|---|")
    rules: tuple[Rule, ...] = ("over all looks", "of one look", "none")
    for deviations in (0.2, 0.5, 1, 2, 3, 5):
        for spread in (0.02, 0.1):
            ended = (
                simulate(deviations * spread, spread, count, at, rule=rule, likeness=likeness)
                for rule in rules
            )
            cells = " | ".join(f"{it.mean_blocks:.0f} ({100 * it.covered:.1f})" for it in ended)
            print(f"| {deviations:g} s | {100 * spread:g} % | {cells} |")


if __name__ == "__main__":
    main()
