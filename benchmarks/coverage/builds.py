"""What a gate says of one source that was built twice, where builds of it differ, by the product's code.

``python benchmarks/coverage/builds.py [--experiments N] [--seed S]``; some minutes for 400. One benchmark
with a margin of 3 %, noise of 1 % a run, at the looks of a gate up to 80 blocks. Builds differ by a normal
draw, or are of two kinds, half of them 5 % slower. With one build a side nothing is promised: what builds
differ by is a difference of these two. With layouts that are drawn for each block (``--layout``), "slower" or
"faster" is wrong. Exits with 1 where layouts are drawn and more gates are wrong than 5 % allow.
"""

from __future__ import annotations

import argparse
import sys
from itertools import takewhile
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from steelyard.core.look_schedule import looks_from
from steelyard.extensions.gate.suite import BenchmarkEvidence, SideValues, judge, look_again
from steelyard.stats.sequential.looks import Looks

Floats = npt.NDArray[np.float64]

MARGIN: Final = 0.03
ALPHA: Final = 0.05
NOISE: Final = 0.01
AT: Final = (*takewhile(lambda look: look <= 80, looks_from(6)),)


class Luck(NamedTuple):
    """What builds of one source differ by: a standard deviation, or half of them by so much."""

    words: str
    sd: float = 0.0
    slow: float = 0.0

    def draw(self, rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        """Logarithms of what builds add."""
        return rng.normal(0, self.sd, shape) + self.slow * (rng.random(shape) < 0.5)


LUCKS: Final = (
    Luck("0 %"),
    Luck("SD 0.5 %", 0.005),
    Luck("SD 1 %", 0.01),
    Luck("SD 2 %", 0.02),
    Luck("half 5 % slower", 0.002, 0.05),
)


def play(rng: np.random.Generator, luck: Luck, *, is_drawn: bool) -> str:
    """Return the decision of a gate on two builds of one source."""
    builds = luck.draw(rng, (2, AT[-1] if is_drawn else 1))
    old, new = rng.normal(0, NOISE, (2, AT[-1])) + builds
    evidence, values = BenchmarkEvidence(), SideValues(old, new)
    for k, n in enumerate(AT):
        looks = Looks(AT[: k + 1], n if n == AT[-1] else None)
        evidence = look_again(evidence, values.take(n), looks, MARGIN)
        (judged,) = judge([evidence], ALPHA)
        if judged.decision != "open":
            break
    return judged.decision


def main() -> int:
    """Print a row for each kind of builds; 1 where drawn layouts leave more than the level."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--experiments", type=int, default=400)
    parser.add_argument("--seed", type=int, default=567)
    options = parser.parse_args()
    most = binom.ppf(0.999, options.experiments, ALPHA)
    print("| builds differ by | layouts | slower or faster, % | within, % | open, % |\n" + "|---" * 5 + "|")
    missed = 0
    for luck in LUCKS:
        for is_drawn in (False, True):
            rng = np.random.default_rng([options.seed, LUCKS.index(luck), is_drawn])
            ends = [play(rng, luck, is_drawn=is_drawn) for _ in range(options.experiments)]
            wrong = sum(end in ("slower", "faster") for end in ends)
            missed += is_drawn and wrong > most
            shares = [wrong, ends.count("equivalent"), ends.count("open")]
            words = " | ".join(f"{100 * count / len(ends):.1f}" for count in shares)
            print(f"| {luck.words} | {'drawn' if is_drawn else 'one build'} | {words} |", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
