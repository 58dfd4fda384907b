"""How often the second verdict, by CPU time, is wrong where elapsed time ends the run, and what it finds.

``python benchmarks/coverage/cpu_time.py [--experiments N] [--seed S]``; some minutes for 1,000. Two programs
of which each run waits for a CPU that others use: exponential waits of 7, 30 and 200 % of its time, beside
noise of CPU time of 3 % (normal). Elapsed time decides, at the looks of ``compare`` up to 100 blocks, when
the run ends; CPU time is judged once, over the same looks. Exits with 1 where equal programs are called
different by CPU time more often than 1 % allow.
"""

from __future__ import annotations

import argparse
import sys
from array import array
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from steelyard.core.analysis import Analysis
from steelyard.core.look_schedule import looks_from
from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import BUILTIN
from steelyard.lab.answer.cpu_time import LEVEL
from steelyard.stats.compare.comparison import compare
from steelyard.stats.sequential.looks import Looks

Floats = npt.NDArray[np.float64]

WAITS: Final = (0.07, 0.3, 2.0)
CPU_SD: Final = 0.03
EFFECTS: Final = (0.0, 0.05)
MOST: Final = 100
FIRST: Final = 10


def make_samples(metric: str, values: Floats) -> list[Sample]:
    """Samples of both programs, block by block."""
    n = values.shape[1]
    ids, ones, none = array("q", range(1, n + 1)), array("q", [1] * n), array("q", [0] * n)
    return [
        Sample(BUILTIN[metric], Treatment(place, name, {"side": name}), array("d", row), ids, ones, none, ids)
        for place, (name, row) in enumerate(zip(("old", "new"), values, strict=True), 1)
    ]


def play(rng: np.random.Generator, wait: float, effect: float) -> tuple[bool, bool, bool]:
    """Return whether elapsed time and CPU time called the programs different, and whether CPU time erred."""
    cpu = np.exp(rng.normal(0, CPU_SD, (2, MOST)))
    cpu[1] *= 1 + effect
    elapsed = cpu + wait * rng.exponential(1.0, (2, MOST))
    made: list[int] = []
    is_called, looks = False, Looks((MOST,), MOST)
    for look in looks_from(FIRST):
        blocks = min(look, MOST)
        made.append(blocks)
        looks = Looks(tuple(made), blocks if blocks == MOST else None)
        (first,) = compare(make_samples("wall_s", elapsed[:, :blocks]), Analysis(), looks=looks)
        is_called = first.difference != "not_resolved"
        if is_called or blocks == MOST:
            break
    second_analysis = Analysis(metric="cpu_s", alpha=LEVEL)
    (second,) = compare(make_samples("cpu_s", cpu[:, : made[-1]]), second_analysis, looks=looks)
    is_found = second.difference != "not_resolved"
    return is_called, is_found, is_found and (not effect or second.difference == "faster")


def main() -> int:
    """Print a row for each wait; 1 where the level is not held."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--experiments", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=566)
    options = parser.parse_args()
    most = binom.ppf(0.999, options.experiments, LEVEL)
    print("| waits, % of the time | slower by, % | called by elapsed time, % | by CPU time, % | wrong, % |")
    print("|---" * 5 + "|")
    missed = 0
    for wait in WAITS:
        for effect in EFFECTS:
            rng = np.random.default_rng([options.seed, round(100 * wait), round(100 * effect)])
            ends = np.array([play(rng, wait, effect) for _ in range(options.experiments)])
            called, found, wrong = ends.sum(axis=0)
            missed += bool(wrong > most)
            shares = " | ".join(f"{100 * count / len(ends):.1f}" for count in (called, found, wrong))
            print(f"| {100 * wait:g} | {100 * effect:g} | {shares} |", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
