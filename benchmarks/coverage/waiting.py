"""Whether the time that a trial waited for a CPU may correct its elapsed time, as a covariate within blocks.

Others who want the CPU delay both treatments of a block, by chance one of them more: what their waits differ
by tells most of the noise. A program can make itself wait as well, with more threads than CPUs; the runner
cannot tell that wait from the other one. Every rule is judged where the second program makes itself wait by
so much of its time, which is part of what it takes.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import stdtr, stdtrit

from steelyard.core.arrays import Floats

OTHERS: Final = 0.07
"""Standard deviation of what others make one trial wait, relative to its time: an exponential one. Beside one
load process, log ratios of blocks had an sd of 9 % in elapsed time, and of 4 % in CPU time."""
REST: Final = 0.03
"""Of all else in a trial."""
SELF: Final = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1)
"""Waits that the second program makes for itself."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """Log ratios of blocks, and by how much the waits of both differ; experiments by blocks."""

    d: Floats
    w: Floats


@dataclass(frozen=True, slots=True)
class Estimates:
    """A log ratio of each experiment, and half of its 95 % interval."""

    value: Floats
    half: Floats


def draw(rng: np.random.Generator, itself: float, count: int, n: int) -> Blocks:
    """Two programs of which the second takes longer by what it makes itself wait, and by nothing else."""
    waits = rng.exponential(OTHERS, (2, count, n))
    waits[1] += itself * rng.exponential(1, (count, n))
    elapsed = np.log(1 + waits) + rng.normal(0, REST, (2, count, n))
    return Blocks(elapsed[1] - elapsed[0], np.log1p(waits[1]) - np.log1p(waits[0]))


def plain(blocks: Blocks) -> Estimates:
    """Elapsed times as they are."""
    n = blocks.d.shape[1]
    return Estimates(blocks.d.mean(axis=1), _t(n - 1) * blocks.d.std(axis=1, ddof=1) / math.sqrt(n))


def less_wait(blocks: Blocks) -> Estimates:
    """Elapsed times without the wait."""
    return plain(Blocks(blocks.d - blocks.w, blocks.w))


def ancova(blocks: Blocks) -> Estimates:
    """The ratio at equal waits: the intercept of the regression of d on w."""
    n, w = blocks.d.shape[1], blocks.w
    centred = w - w.mean(axis=1, keepdims=True)
    squares = (centred**2).sum(axis=1)
    slope = (centred * blocks.d).sum(axis=1) / squares
    residuals = blocks.d - blocks.d.mean(axis=1, keepdims=True) - slope[:, np.newaxis] * centred
    s = np.sqrt((residuals**2).sum(axis=1) / (n - 2))
    half = _t(n - 2) * s * np.sqrt(1 / n + w.mean(axis=1) ** 2 / squares)
    return Estimates(blocks.d.mean(axis=1) - slope * w.mean(axis=1), half)


def centred(blocks: Blocks) -> Estimates:
    """The ratio at the mean difference of waits, as where a covariate is known before treatments are given
    (Lin 2013, DOI 10.1214/12-AOAS583): the estimate does not move, and the interval shrinks.
    """
    at_zero = Blocks(blocks.d, blocks.w - blocks.w.mean(axis=1, keepdims=True))
    return ancova(at_zero)


def if_equal(blocks: Blocks) -> Estimates:
    """At equal waits where the waits do not significantly differ, else as they are."""
    n = blocks.w.shape[1]
    t = blocks.w.mean(axis=1) / blocks.w.std(axis=1, ddof=1) * math.sqrt(n)
    differ = 2 * stdtr(n - 1, -np.abs(t)) <= 0.05
    unadjusted, adjusted = plain(blocks), ancova(blocks)
    return Estimates(
        np.where(differ, unadjusted.value, adjusted.value), np.where(differ, unadjusted.half, adjusted.half)
    )


RULES: Final[tuple[Callable[[Blocks], Estimates], ...]] = (plain, less_wait, ancova, centred, if_equal)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="The wait for a CPU as a covariate of elapsed time")
    parser.add_argument("--experiments", type=int, default=8_000)
    parser.add_argument("--blocks", type=int, default=20)
    parser.add_argument("--seed", type=int, default=169)
    options = parser.parse_args()
    print(f"{options.experiments} experiments of {options.blocks} blocks, seed {options.seed};")
    print("percent that hold the true ratio; mean error in percent; width over that of elapsed times")
    for itself in SELF:
        blocks = draw(np.random.default_rng(options.seed), itself, options.experiments, options.blocks)
        # The mean of log ratios of very many blocks.
        many = draw(np.random.default_rng([options.seed, 1]), itself, 1000, 2000)
        truth = float(many.d.mean())
        width = float(plain(blocks).half.mean())
        for rule in RULES:
            result = rule(blocks)
            held = 100 * float((np.abs(result.value - truth) <= result.half).mean())
            error = 100 * float(result.value.mean() - truth)
            print(
                f"waits {100 * itself:g} % by itself, {rule.__name__}: {held:.1f};"
                f" {error:+.2f}; {float(result.half.mean()) / width:.2f}"
            )


def _t(nu: float) -> float:
    return -float(stdtrit(nu, 0.025))


if __name__ == "__main__":
    main()
