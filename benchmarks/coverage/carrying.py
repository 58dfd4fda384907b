"""Carry-over: how often a notice is wrong where nothing is carried over, and how often it comes where it is.

``python benchmarks/coverage/carrying.py [--experiments N] [--seed S]``. The first place of a block takes 20 %
longer, and 2 % where programs differ by 1 %: there, wrong notices are counted among the comparisons with a
verdict. Noises are of the machine in time, whatever program runs.
"""

from __future__ import annotations

import argparse
from array import array
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import numpy as np

from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import BUILTIN
from steelyard.stats.compare.carry_over import carry_over
from steelyard.stats.compare.comparison import compare

FIRST_PLACE: Final = 0.2
"""Logarithm by which the first run of a block takes longer."""

Noise = Callable[[np.random.Generator, int], Floats]


def _draw_correlated(rng: np.random.Generator, size: int) -> Floats:
    values, last = np.empty(size), 0.0
    for place, shock in enumerate(rng.normal(0, 0.02, size)):
        last = 0.8 * last + shock
        values[place] = last
    return values


NOISES: Final[Mapping[str, Noise]] = {
    "normal, 3 %": lambda rng, size: rng.normal(0, 0.03, size),
    "AR(1) 0.8": _draw_correlated,
    "exponential tail": lambda rng, size: rng.exponential(0.05, size),
    "10 % of runs × 1.65": lambda rng, size: (
        np.where(rng.random(size) < 0.1, 0.5, 0) + rng.normal(0, 0.01, size)
    ),
    "drift of 170 %": lambda rng, size: np.linspace(0, 1, size) + rng.normal(0, 0.02, size),
    "clock of 1 %": lambda rng, size: np.round(rng.normal(0, 0.02, size), 2),
}


class Design(NamedTuple):
    """Treatments of a block, blocks, and runs of each treatment in a block."""

    treatments: int
    blocks: int
    replicates: int = 1


DESIGNS: Final = (Design(2, 20), Design(2, 80), Design(3, 30), Design(5, 60), Design(2, 30, 3))


def draw(
    rng: np.random.Generator,
    design: Design,
    noise: Noise,
    *,
    carried: float = 0.0,
    shift: float = 0.0,
    first: float = FIRST_PLACE,
) -> list[Sample]:
    """Draw samples in which the second treatment takes longer right after the first.

    Parameters
    ----------
    carried : float
        Logarithm by which it does.
    shift : float
        Logarithm by which the second treatment takes longer always.
    first : float
        Logarithm by which the first run of a block takes longer.
    """
    size = design.treatments * design.blocks * design.replicates
    orders = [
        rng.permutation(np.repeat(np.arange(design.treatments), design.replicates))
        for _ in range(design.blocks)
    ]
    treatments = np.concatenate(orders)
    place = np.arange(size) % (size // design.blocks)
    follows = np.roll(treatments, 1)
    follows[0] = -1
    logs = noise(rng, size) + np.where(place == 0, first, 0)
    logs += np.where(treatments == 1, shift, 0) + np.where((treatments == 1) & (follows == 0), carried, 0)
    blocks = 1 + np.arange(size) // (size // design.blocks)
    return [
        _make_sample(number, np.flatnonzero(treatments == number), np.exp(logs), blocks)
        for number in range(design.treatments)
    ]


def _make_sample(number: int, trials: np.ndarray, values: Floats, blocks: np.ndarray) -> Sample:
    return Sample(
        BUILTIN["wall_s"],
        Treatment(number + 1, "ABCDE"[number], {"command": "ABCDE"[number]}),
        array("d", values[trials]),
        blocks=array("q", blocks[trials]),
        passes=array("q", [1] * trials.size),
        contexts=array("q", [0] * trials.size),
        trials=array("q", trials + 1),
    )


def count_wrong(design: Design, noise: Noise, experiments: int, seed: int) -> int:
    """Count notices of so many experiments without carry-over."""
    rng = np.random.default_rng([seed, *design])
    return sum(carry_over(draw(rng, design, noise)) is not None for _ in range(experiments))


def count_with_verdict(design: Design, noise: Noise, experiments: int, seed: int) -> tuple[int, int]:
    """Count comparisons with a verdict, and wrong notices among them."""
    rng = np.random.default_rng([seed, 2, *design])
    verdicts = wrong = 0
    for _ in range(experiments):
        samples = draw(rng, design, noise, shift=0.01, first=0.02)
        (result, *_) = compare(samples, Analysis())
        if result.verdict in ("faster", "slower"):
            verdicts += 1
            wrong += carry_over(samples) is not None
    return verdicts, wrong


def count_right(design: Design, carried: float, experiments: int, seed: int) -> int:
    """Count notices that name the treatment and its predecessor, of normal noise."""
    rng = np.random.default_rng([seed, 3, *design])
    results = (
        carry_over(draw(rng, design, NOISES["normal, 3 %"], carried=np.log1p(carried)))
        for _ in range(experiments)
    )
    return sum(
        result is not None and (result.treatment.label, result.predecessor.label) == ("B", "A")
        for result in results
    )


def main() -> None:
    """Print wrong notices of each design and noise, those beside a verdict, and right ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=475)
    options = parser.parse_args()
    count, seed = options.experiments, options.seed
    for design in DESIGNS:
        shares = [
            f"{name} {100 * count_wrong(design, noise, count, seed) / count:.1f}"
            for name, noise in NOISES.items()
        ]
        print(f"{design}, nothing carried over, percent: {', '.join(shares)}", flush=True)
    for name, noise in NOISES.items():
        verdicts, wrong = count_with_verdict(Design(2, 80), noise, count, seed)
        print(f"80 blocks of two, {name}: {wrong} wrong notices in {verdicts} with a verdict", flush=True)
    for design, carried in (
        (Design(2, 20), 0.24),
        (Design(2, 30), 0.24),
        (Design(2, 80), 0.1),
        (Design(2, 80), 0.05),
        (Design(5, 80), 0.1),
    ):
        right = count_right(design, carried, count // 4, seed)
        print(
            f"{design}, B {carried:.0%} slower after A: {100 * right / (count // 4):.0f} % named", flush=True
        )


if __name__ == "__main__":
    main()
