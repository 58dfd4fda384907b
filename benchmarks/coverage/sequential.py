"""Looking until the verdict is decided: errors over all looks, coverage at the end, and what it costs."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

import numpy as np
from noises import NOISES, Noise, S, samples, slow_runs, true_log
from scipy.special import stdtr

from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.design import looks
from steelyard.results.comparison import Comparison
from steelyard.spec import experiment
from steelyard.stats.compare.comparison import compare
from steelyard.stats.planning.precision import Precision
from steelyard.stats.planning.sample_size import n_paired
from steelyard.stats.planning.standing import standing
from steelyard.stats.sequential.looks import Looks

CAP: Final = 250
EFFECTS: Final = (0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
"""Differences in standard deviations of a block; the goal is about those from 1 on."""
SCREEN: Final = 6.0
"""Times the level of a look up to which p by t may be for the look to be judged by the product: of what t
is that far from rejecting, nothing here rejects (``--every`` judges all)."""


def schedule(first: int, cap: int) -> tuple[int, ...]:
    """Each block from ``first`` to 8, then each 1.25-fold, up to ``cap``."""

    def looks() -> Iterator[int]:
        look = first
        while look < cap:
            yield look
            look = look + 1 if look < 8 else math.floor(look * 1.25)

    return (*looks(), cap)


def levels(at: Sequence[int], alpha: float = 0.05) -> Floats:
    """Level of each look, where all before it were made."""
    return np.array([Looks(tuple(at[: k + 1])).level(alpha) for k in range(len(at))])


def by_t(d: Floats, at: Sequence[int]) -> Floats:
    """Two-sided p of t at each look, experiments by looks."""
    n = np.array(at)
    sums, squares = np.cumsum(d, axis=1)[:, n - 1], np.cumsum(d * d, axis=1)[:, n - 1]
    variances = np.maximum((squares - sums**2 / n) / (n - 1), 1e-300)
    result: Floats = 2 * stdtr(n - 1, -np.abs(sums / np.sqrt(n * variances)))
    return result


def judged(old: Floats, new: Floats, at: Sequence[int], k: int) -> Comparison:
    """What the product says at the look ``k``."""
    n = at[k]
    return compare(samples(old[:n], new[:n]), Analysis(), looks=Looks(tuple(at[: k + 1])))[0]


def called(noise: Noise, seed: int, experiments: int, first: int, *, every: bool = False) -> float:
    """Percent of experiments with equal geometric means that are called different at any look; of a mode that
    has not shown, and may be as frequent, runs outside of it are what is told of.
    """
    at = schedule(first, CAP)
    old, new = noise.draw(np.random.default_rng([seed, first]), experiments, CAP)
    near = by_t(old - new, at) <= (1.0 if every else SCREEN * levels(at))
    arms = zip(old, new, near, strict=True)
    return 100 * float(np.mean([_wrong(noise, first, second, at, truth) for first, second, truth in arms]))


def _wrong(noise: Noise, old: Floats, new: Floats, at: Sequence[int], near: Floats) -> bool:
    for k in map(int, np.flatnonzero(near)):
        result = judged(old, new, at, k)
        if result.verdict == "not_resolved":
            continue
        truth = true_log(slow_runs(old[: at[k]])) if noise.mode else 0.0
        return result.ci95 is None or result.ci95.excludes(math.exp(truth))
    return False


@dataclass(frozen=True, slots=True)
class Answered:
    """Percent of experiments decided, and of intervals at the end that hold the truth: of all, and of those
    beside a verdict; mean blocks.
    """

    decided: float
    held: float
    held_beside_verdicts: float
    blocks: float


def answered(noise: Noise, seed: int, experiments: int, most: int, moved: float = 1.0) -> Answered:
    """Experiments of treatments that differ by so many standard deviations of a block of normal noise, looked
    at as ``compare`` does until that is answered, or there are so many blocks.
    """
    spec_ = experiment(
        program={"commands": {"a": ["true"], "b": ["true"]}},
        design={"blocks": 5, "stop": {"decided": True}},
    )
    at = (*takewhile(lambda look: look < most, looks(spec_)), most)
    rng = np.random.default_rng([seed, at[0], 1])
    truth = moved * math.sqrt(2) * S
    held, decided, blocks = (np.zeros(experiments) for _ in range(3))
    for place, (old, new) in enumerate(zip(*noise.draw(rng, experiments, most), strict=True)):
        result = ended(old + truth, new, at)
        outside = true_log(slow_runs(old[: result.blocks])) if noise.mode else 0.0
        held[place] = result.ci95 is None or not result.ci95.excludes(math.exp(truth + outside))
        decided[place] = result.verdict != "not_resolved"
        blocks[place] = result.blocks
    beside = held[decided > 0]
    return Answered(
        100 * float(decided.mean()),
        100 * float(held.mean()),
        100 * float(beside.mean()) if beside.size else math.nan,
        float(blocks.mean()),
    )


def ended(old: Floats, new: Floats, at: Sequence[int]) -> Comparison:
    """The comparison at the end of a run that is looked at as ``compare`` does, to the last of these."""
    able: list[int] = []
    for n in at:
        schedule = Looks((*able, n), n if n == at[-1] else None)
        (result,) = compare(samples(old[:n], new[:n]), Analysis(), looks=schedule)
        reached = standing(Precision(()), [result], None)
        if reached.relied_on(n, verdicts=True):
            return result
        if reached.halfwidth is not None and reached.halfwidth <= reached.target:
            able.append(n)
    return result


@dataclass(frozen=True, slots=True)
class Price:
    """Blocks until the verdict.

    Attributes
    ----------
    mean : float
        All end with one.
    most, given_up : int, float
        By which 80 % have one, and the mean where the others are given up there.
    fixed : int
        Of the fixed test with 80 % power.
    """

    mean: float
    most: int
    given_up: float
    fixed: int


def fixed(effect: float) -> int:
    """Blocks of the fixed test with 80 % power, by t."""
    return n_paired(effect) or 0


def price(effect: float, seed: int, experiments: int, first: int) -> Price:
    """Normal differences, by t; all end with a verdict."""
    at = schedule(first, CAP)
    d = np.random.default_rng(seed).normal(effect, 1, (experiments, CAP))
    rejections = by_t(d, at) <= levels(at)
    blocks = np.where(rejections.any(axis=1), np.array(at)[rejections.argmax(axis=1)], CAP)
    most = int(np.sort(blocks)[math.ceil(0.8 * experiments) - 1])
    return Price(float(blocks.mean()), most, float(np.minimum(blocks, most).mean()), fixed(effect))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Looking until the verdict is decided")
    parser.add_argument("--experiments", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=122)
    parser.add_argument("--first", type=int, default=4)
    parser.add_argument("--most", type=int, default=60, help="blocks after which nothing is waited for")
    parser.add_argument("--rows", nargs="*", default=list(NOISES), help="noises, by name")
    parser.add_argument("--every", action="store_true", help="judge every look by the product")
    options = parser.parse_args()
    print(
        f"first look at {options.first} blocks, seed {options.seed}; {options.experiments} experiments a row"
    )
    for effect in EFFECTS:
        cost = price(effect, options.seed, 20_000, options.first)
        print(
            f"{effect:g} s: fixed {cost.fixed}, mean {cost.mean:.1f} ({cost.mean / cost.fixed:.2f}),"
            f" 80 % by {cost.most} ({cost.most / cost.fixed:.2f}), given up there"
            f" {cost.given_up / cost.fixed:.2f}",
            flush=True,
        )
    for name in options.rows:
        noise = NOISES[name]
        wrong = called(noise, options.seed, options.experiments, options.first, every=options.every)
        arms, equal = (
            answered(noise, options.seed, options.experiments // 20, options.most, moved) for moved in (1, 0)
        )
        print(
            f"{name}: called {wrong:.2f}; answered: equal {equal.decided:.1f}, decided "
            f"{arms.decided:.1f}, held {arms.held:.1f}, beside verdicts {arms.held_beside_verdicts:.1f},"
            f" {arms.blocks:.1f} blocks",
            flush=True,
        )


if __name__ == "__main__":
    main()
