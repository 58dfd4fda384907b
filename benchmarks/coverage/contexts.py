"""Coverage of 95 % intervals where contexts favour one of two treatments: the product's and others'."""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from steelyard.core.arrays import Floats
from steelyard.stats.contexts.across import two_level
from steelyard.stats.contexts.visits import Visits


@dataclass(frozen=True, slots=True)
class World:
    """Standard deviations on the scale of logarithms.

    ``interaction`` is what a context does to the difference, ``common`` to both treatments, ``noise`` a run;
    ``shape`` is that of the interaction.
    """

    contexts: int
    runs: int
    interaction: float = 0.02
    noise: float = 0.01
    common: float = 0.03
    shape: str = "normal"


ROWS = (
    World(5, 5),
    World(10, 5),
    World(20, 5),
    World(40, 2),
    World(20, 5, shape="t3"),
    World(8, 30, common=0.0),
    World(20, 5, common=0.0),
)


def draw(rng: np.random.Generator, world: World, experiments: int) -> tuple[Floats, Floats]:
    """Logarithms of old and new, experiments by contexts by runs; equal in the mean."""
    shape = (experiments, world.contexts, 1)
    if world.shape == "t3":
        favour = rng.standard_t(3, shape) * world.interaction / math.sqrt(3)
    else:
        favour = rng.normal(0, world.interaction, shape)
    common = rng.normal(0, world.common, shape) if world.common else np.zeros(shape)
    runs = (experiments, world.contexts, world.runs)
    return common + rng.normal(0, world.noise, runs), common + favour + rng.normal(0, world.noise, runs)


def coverage(rng: np.random.Generator, world: World, experiments: int) -> dict[str, float]:
    """Share of intervals that cover 0, by method."""
    old, new = draw(rng, world, experiments)
    d = (old - new).mean(axis=2)
    n, c = world.runs, world.contexts
    within = (old.var(axis=2, ddof=1) + new.var(axis=2, ddof=1)) / n
    welch = np.sqrt((old.var(axis=(1, 2), ddof=1) + new.var(axis=(1, 2), ddof=1)) / (c * n))
    result = np.sqrt(within[:, 0])
    return {
        "t over contexts": _share(d.mean(axis=1), d.std(axis=1, ddof=1) / math.sqrt(c), c - 1),
        "contexts fixed": _share(d.mean(axis=1), np.sqrt(within.sum(axis=1)) / c, 2 * c * (n - 1)),
        "all runs pooled": _share(d.mean(axis=1), welch, 2 * (c * n - 1)),
        "one context": _share(d[:, 0], result, 2 * (n - 1)),
    }


def bootstrap_coverage(rng: np.random.Generator, world: World, experiments: int) -> float | None:
    """The product's two-level bootstrap; ``None`` where it does not answer."""
    old, new = draw(rng, world, experiments)
    contexts = np.repeat(np.arange(world.contexts), world.runs)
    passes = np.tile(np.arange(world.runs), world.contexts)
    result = []
    for i, table in enumerate(old - new):
        interval = two_level(Visits(table.ravel(), contexts, passes, np.arange(contexts.size)), seed=i)
        if interval is None:
            return None
        result.append(not interval.excludes(1))
    return float(np.mean(result))


def rare_coverage(
    rng: np.random.Generator, contexts: int, experiments: int, *, share: float = 1 / 64, ratio: float = 2.5
) -> float:
    """The t interval where one context in 64 makes one arm 2.5 times as slow."""
    slow = rng.random((experiments, contexts)) < share
    d = rng.normal(0, 0.01, (experiments, contexts)) + (slow - share) * math.log(ratio)
    return _share(d.mean(axis=1), d.std(axis=1, ddof=1) / math.sqrt(contexts), contexts - 1)


def _share(estimates: Floats, errors: Floats, nu: int) -> float:
    return float((np.abs(estimates) <= -stdtrit(nu, 0.025) * errors).mean())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Coverage where contexts favour one of two treatments")
    parser.add_argument("--experiments", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    print(f"{options.experiments} experiments a row (bootstrap: a twentieth), seed {options.seed}; percent")
    for world in ROWS:
        cells = coverage(rng, world, options.experiments)
        drawn = bootstrap_coverage(rng, world, options.experiments // 20)
        result = "  ".join(f"{name}: {100 * share:.1f}" for name, share in cells.items())
        print(f"{world}\n    {result}  two-level bootstrap: {'–' if drawn is None else f'{100 * drawn:.1f}'}")
    for contexts in (20, 50, 100):
        share = rare_coverage(rng, contexts, options.experiments)
        print(f"one context in 64 x 2.5, {contexts} contexts: {100 * share:.1f}")


if __name__ == "__main__":
    main()
