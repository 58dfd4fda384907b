"""Files of another tool: how often an unchanged program is called different, by its launches and by sessions.

``python benchmarks/coverage/sessions.py [--experiments N] [--seed S]``. Sessions differ by 3 %, launches of
one by 1 %; 20 launches a file, one to ten files of a side. By the product's own comparison.
"""

from __future__ import annotations

import argparse
from typing import Final, NamedTuple

import numpy as np
from noises import samples

from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.stats.compare.comparison import compare

BETWEEN: Final = 0.03
WITHIN: Final = 0.01
LAUNCHES: Final = 20
CHANGE: Final = 0.1
CHANGED: Final = 0.1
"""Of programs, for how often a verdict is wrong."""


class Called(NamedTuple):
    """Percent called different: unchanged programs, and changed ones; of verdicts, the wrong ones."""

    wrong: float
    right: float
    given_a_verdict: float


def call(files: int, count: int, seed: int, *, by_session: bool) -> Called:
    """Compare programs with so many files of a side."""
    rng = np.random.default_rng([seed, files])
    rates = []
    for change in (0.0, CHANGE):
        differing = sum(_is_different(rng, files, change, by_session=by_session) for _ in range(count))
        rates.append(differing / count)
    wrong, right = rates
    verdicts = (1 - CHANGED) * wrong + CHANGED * right
    return Called(100 * wrong, 100 * right, 100 * (1 - CHANGED) * wrong / verdicts if verdicts else 0.0)


def _is_different(rng: np.random.Generator, files: int, change: float, *, by_session: bool) -> bool:
    arms: list[Floats] = []
    for shift in (0.0, change):
        session = shift + BETWEEN * rng.normal(size=(files, 1))
        times = np.exp(session + WITHIN * rng.normal(size=(files, LAUNCHES)))
        # ``samples`` takes logarithms.
        arms.append(np.log(times.mean(axis=1) if by_session else times.ravel()))
    (result,) = compare(samples(*arms), Analysis(), order="sequential")
    return result.verdict in ("faster", "slower")


def main() -> None:
    """Print a row for each number of files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=416)
    options = parser.parse_args()
    for files in (1, 2, 3, 6, 10):
        for by_session in (False, True):
            called = call(files, options.experiments, options.seed, by_session=by_session)
            units = "sessions" if by_session else "launches"
            print(
                f"{files} files, {units}: unchanged {called.wrong:.1f}, changed {called.right:.1f},"
                f" wrong given a verdict {called.given_a_verdict:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
