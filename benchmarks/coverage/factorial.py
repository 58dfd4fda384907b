"""How often the tests of factorial effects err where nothing is true: the table of decision 025.

All treatments have the same mean of logarithms, and nothing but their shapes differ. Run as a program, it
prints the table; the tests run a part of it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Literal

import numpy as np
from scipy import stats as scipy_stats
from scipy.linalg import helmert

from steelyard.core.arrays import Floats
from steelyard.results.effects import LogEstimate
from steelyard.stats.effects.estimate import estimate_cells, estimate_units
from steelyard.stats.effects.omnibus import Omnibus, box, welch_james

Shape = Literal["normal", "unequal", "lognormal", "unequal lognormal", "bimodal"]
SHAPES: tuple[Shape, ...] = ("normal", "unequal", "lognormal", "unequal lognormal", "bimodal")


def draw(shape: Shape, blocks: int, cells: int, rng: np.random.Generator) -> Floats:
    """Blocks by treatments, every column with mean 0; the last one is the odd one."""
    values = rng.standard_normal((blocks, cells))
    if shape in ("lognormal", "unequal lognormal"):
        values = np.exp(values) - np.exp(0.5)
    if shape in ("unequal", "unequal lognormal"):
        values[:, -1] *= 5
    if shape == "bimodal":
        slow = rng.random(blocks) < 0.2
        values[:, -1] = np.where(slow, 4.0, -1.0) + 0.3 * rng.standard_normal(blocks)
    return values


INTERACTION = np.array([1.0, -1.0, -1.0, 1.0]) / 2
"""Of two factors with two levels."""


def _p(test: LogEstimate | Omnibus | None) -> float:
    if test is None or test.p is None:
        raise ValueError("there is nothing to test with")
    return test.p


def in_blocks(values: Floats) -> float:
    """P of the interaction by block contrasts and t."""
    return _p(estimate_units(values @ INTERACTION, by="block"))


def without_blocks(values: Floats) -> float:
    """P of the interaction by a contrast with separate variances."""
    return _p(estimate_cells(list(values.T), INTERACTION))


def levels_in_blocks(values: Floats) -> float:
    """P that any level differs, in blocks."""
    return _p(box(values @ helmert(values.shape[1]).T))


def levels_without_blocks(values: Floats) -> float:
    """P that any level differs, without blocks."""
    return _p(welch_james(list(values.T), helmert(values.shape[1])))


def rank_transform(values: Floats) -> float:
    """P of the interaction by analysis of variance of ranks, as it is often done."""
    ranks = scipy_stats.rankdata(values).reshape(values.shape)
    return _pooled(ranks)


def aligned_ranks(values: Floats) -> float:
    """P of the interaction by aligned ranks (ART): main effects are taken out first."""
    table = values.reshape(-1, 2, 2)
    mean = table.mean()
    aligned = table - table.mean(axis=(0, 2), keepdims=True) - table.mean(axis=(0, 1), keepdims=True) + mean
    ranks = scipy_stats.rankdata(aligned).reshape(values.shape)
    return _pooled(ranks)


def _pooled(values: Floats) -> float:
    n = len(values)
    error = values.var(axis=0, ddof=1).mean()
    t = values.mean(axis=0) @ INTERACTION / np.sqrt(error / n)
    return float(2 * scipy_stats.t.sf(abs(t), 4 * (n - 1)))


TESTS: dict[str, tuple[int, Callable[[Floats], float]]] = {
    "interaction, blocks": (4, in_blocks),
    "interaction, no blocks": (4, without_blocks),
    "rank transform": (4, rank_transform),
    "aligned ranks": (4, aligned_ranks),
    "4 levels, blocks": (4, levels_in_blocks),
    "8 levels, blocks": (8, levels_in_blocks),
    "4 levels, no blocks": (4, levels_without_blocks),
}


def rejections(name: str, shape: Shape, blocks: int, count: int, seed: int = 25) -> int:
    """How many of ``count`` experiments without any effect a test calls one, at 5 %."""
    cells, test = TESTS[name]
    rng = np.random.default_rng([seed, blocks, cells, SHAPES.index(shape)])
    return sum(test(draw(shape, blocks, cells, rng)) <= 0.05 for _ in range(count))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="experiments for each number")
    count = parser.parse_args().count
    print(f"| test, blocks | {' | '.join(SHAPES)} |\n|---|{'---|' * len(SHAPES)}")
    for name in TESTS:
        for blocks in (10, 30):
            shares = [f"{100 * rejections(name, shape, blocks, count) / count:.1f}" for shape in SHAPES]
            print(f"| {name}, {blocks} | {' | '.join(shares)} |", flush=True)


if __name__ == "__main__":
    main()
