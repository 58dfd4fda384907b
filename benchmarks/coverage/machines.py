"""Coverage, wrong verdicts and false names where machines are drawn, by the product's own code."""

from __future__ import annotations

import argparse
import math
from array import array
from dataclasses import dataclass

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import BUILTIN
from steelyard.results.undefined import Undefined
from steelyard.stats.contexts.across import compare_across_contexts
from steelyard.stats.contexts.machines import compare_machines


@dataclass(frozen=True, slots=True)
class World:
    """Machines and blocks on each (from 2 to 40 where ``blocks`` is 0); standard deviations of log ratios
    between machines and of a block. ``shape`` is that of machines.
    """

    machines: int
    blocks: int
    between: float = 0.02
    within: float = 0.02
    shape: str = "normal"


ROWS = (
    World(2, 10),
    World(3, 10),
    World(5, 10),
    World(5, 10, between=0.0),
    World(5, 0),
    World(10, 20, between=0.03, within=0.01),
    World(10, 0, between=0.003),
    World(10, 10, shape="t3"),
    World(30, 0, within=0.05),
    World(100, 5),
    World(1000, 3, within=0.05),
)


def draw(rng: np.random.Generator, world: World) -> tuple[Floats, Floats]:
    """Log ratios of blocks, whose mean is 0, and the machine of each."""
    counts = np.full(world.machines, world.blocks) if world.blocks else rng.integers(2, 41, world.machines)
    if world.shape == "t3":
        machines = rng.standard_t(3, world.machines) * world.between / math.sqrt(3)
    else:
        machines = rng.normal(0, world.between, world.machines)
    place = np.repeat(np.arange(world.machines), counts)
    return machines[place] + rng.normal(0, world.within, place.size), (place + 1).astype(np.float64)


def pair(logs: Floats, place: Floats) -> tuple[Sample, Sample]:
    """Two treatments whose log speedups are ``logs``."""
    blocks, ones = array("q", range(1, logs.size + 1)), array("q", [1]) * logs.size
    contexts = array("q", place.astype(np.int64).tolist())

    def make_sample(treatment: int, values: Floats) -> Sample:
        named = Treatment(treatment, str(treatment), {})
        return Sample(BUILTIN["wall_s"], named, array("d", values), blocks, ones, contexts, blocks)

    return make_sample(1, np.exp(logs)), make_sample(2, np.ones(logs.size))


def measure(rng: np.random.Generator, world: World, experiments: int) -> dict[str, float]:
    """Percentages over so many experiments."""
    counts = dict.fromkeys(("mean", "next machine", "share", "wrong verdict", "a machine named"), 0)
    for _ in range(experiments):
        old, new = pair(*draw(rng, world))
        across = compare_across_contexts(old, new)
        if isinstance(across, Undefined):
            raise SystemExit(f"undefined: {world}")
        fresh = float(draw(rng, World(1, world.blocks, world.between, world.within, world.shape))[0].mean())
        if across.interval is None or across.prediction is None:
            raise SystemExit(f"unbounded: {world}")
        counts["mean"] += not across.interval.excludes(1)
        counts["wrong verdict"] += across.interval.excludes(1)
        counts["next machine"] += across.prediction.low <= math.exp(fresh) <= across.prediction.high
        result = compare_machines(old, new, {place: str(place) for place in range(1, world.machines + 1)})
        truth = world.between**2 / (world.between**2 + world.within**2)
        if result is None or result.spread is None:
            raise SystemExit(f"undefined: {world}")
        counts["share"] += result.spread.interval.low <= truth <= result.spread.interval.high
        counts["a machine named"] += any(machine.differs for machine in result.members)
    return {name: 100 * count / experiments for name, count in counts.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Machines as a random effect")
    parser.add_argument("--experiments", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    print(f"{options.experiments} experiments a row (1,000 machines: a tenth), seed {options.seed}; percent")
    head = ("machines", "blocks on each", "SD between", "SD within")
    print(f"| {' | '.join((*head, 'mean', 'next machine', 'share', 'wrong', 'named'))} |")
    print("|---|---|---|---|---|---|---|---|---|")
    for world in ROWS:
        cells = measure(rng, world, options.experiments // (10 if world.machines >= 1000 else 1))
        blocks = world.blocks or "2 to 40"
        between = f"{100 * world.between:g} %" + (", t(3)" if world.shape == "t3" else "")
        result = " | ".join(f"{value:.1f}" for value in cells.values())
        print(
            f"| {world.machines} | {blocks} | {between} | {100 * world.within:g} % | {result} |", flush=True
        )


if __name__ == "__main__":
    main()
