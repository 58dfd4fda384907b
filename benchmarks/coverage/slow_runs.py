"""What stands beside the mean: how often a claim fails, or a benchmark is slower, although both the mean and
the typical run keep to it; and how often one slow run keeps a gate open. By the product itself.

``python benchmarks/coverage/slow_runs.py [--experiments N] [--seed S] [--only ROW ...]
[--equivalence | --within]``. Truth lies at the margin: of every noise the larger one of mean and typical run.
"""

from __future__ import annotations

import argparse
import math
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import Final

import numpy as np
from noises import S, autoregressive, samples

from steelyard.claims.mean import Mean, Runs, mean_of, runs_of
from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.core.look_schedule import looks_from
from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import BUILTIN
from steelyard.extensions.gate.suite import BenchmarkEvidence, SideValues, judge, look_again
from steelyard.results.comparison import Decider
from steelyard.stats.compare.bound import refute
from steelyard.stats.compare.comparison import admissible, compare, intervals, judge_beside
from steelyard.stats.compare.judgement import Judgement, judge_at_most
from steelyard.stats.sequential.looks import Looks

MARGIN: Final = 0.05
BLOCKS: Final = 20
GATE_BLOCKS: Final = 40
ALPHA: Final = 0.05
CENTRED: Final = 400_000
"""Values that the typical run of a noise is taken from: the median, and the median of averages of two."""


@dataclass(frozen=True, slots=True)
class Arms:
    """Two programs that are equal but for their noise.

    Attributes
    ----------
    draw : callable
        Logarithms of base and of head, experiments by blocks.
    bound : bool
        Whether the promise is about such noise: few blocks that wander tell of the time of the run.
    """

    draw: Callable[[np.random.Generator, tuple[int, int]], tuple[Floats, Floats]]
    bound: bool = True


def _both(draw: Callable[[np.random.Generator, tuple[int, int]], Floats], *, bound: bool = True) -> Arms:
    return Arms(lambda rng, shape: (draw(rng, shape), draw(rng, shape)), bound)


def _base(draw: Callable[[np.random.Generator, tuple[int, int]], Floats]) -> Arms:
    return Arms(lambda rng, shape: (draw(rng, shape), S * rng.normal(size=shape)))


def _head(draw: Callable[[np.random.Generator, tuple[int, int]], Floats]) -> Arms:
    return Arms(lambda rng, shape: (S * rng.normal(size=shape), draw(rng, shape)))


def _normal(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return S * rng.normal(size=shape)


def _tail(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return S * rng.exponential(1, shape)


def _slow(share: float, times: float) -> Callable[[np.random.Generator, tuple[int, int]], Floats]:
    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        slow: Floats = S * rng.normal(size=shape) + math.log(times) * (rng.random(shape) < share)
        return slow

    return draw


def _wandering(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return S * math.sqrt(1 - 0.5**2) * autoregressive(rng, 0.5, *shape)


ROWS: Final[dict[str, Arms]] = {
    "normal": _both(_normal),
    "exponential tails of both": _both(_tail),
    "exponential tail of base": _base(_tail),
    "exponential tail of head": _head(_tail),
    "AR(1) 0.5 of each": _both(_wandering, bound=False),
    "bimodal 70/30, × 1.5, of both": _both(_slow(0.3, 1.5)),
    "bimodal 50/50, × 1.5, of both": _both(_slow(0.5, 1.5)),
    "5 % slow, × 3, of both": _both(_slow(0.05, 3)),
    "5 % slow, × 30, of base": _base(_slow(0.05, 30)),
    "10 % slow, × 2, of base": _base(_slow(0.1, 2)),
    "5 % slow, × 30, of head": _head(_slow(0.05, 30)),
    "20 % slow, × 2, of head": _head(_slow(0.2, 2)),
}


def worst(arms: Arms, seed: int) -> float:
    """How much slower head is than base where it is so most: on average, or in a typical run."""
    base, head = arms.draw(np.random.default_rng([seed, CENTRED]), (CENTRED // 20, 20))
    d = (head - base).ravel()
    averages = (d + np.random.default_rng(seed).permutation(d)) / 2
    return float(max(d.mean(), np.median(d), np.median(averages)))


def _refute(base: Floats, head: Floats, *, beside: bool = True) -> Decider | None:
    """By what the claim fails that head is not slower than base by the margin."""
    declared = Analysis(baseline={"t": 1})
    (result,) = intervals(samples(head, base), declared, metric="wall_s", beside=beside)
    judged = judge_beside(partial(judge_at_most, by=1 + MARGIN), result, declared)
    is_judged = judged.by == "typical" or admissible(result.flags, declared)
    is_failing = is_judged and judged.indicated == "fails" and judged.p is not None and judged.p <= ALPHA
    return judged.by if is_failing else None


def _moved(arms: Arms, count: int, n: int, seed: int) -> tuple[Floats, Floats]:
    base, head = arms.draw(np.random.default_rng([seed, n]), (count, n))
    return base, head + math.log1p(MARGIN) - worst(arms, seed)


def claims(arms: Arms, count: int, seed: int) -> tuple[float, float]:
    """Percent of claims "not slower by 5 %" at the margin that fail; and by the mean alone."""
    pairs = [*zip(*_moved(arms, count, BLOCKS, seed), strict=True)]
    both, alone = (
        sum(_refute(*pair, beside=beside) is not None for pair in pairs) for beside in (True, False)
    )
    return 100 * both / count, 100 * alone / count


def compared(arms: Arms, count: int, seed: int) -> float:
    """Percent that ``compare`` with a margin calls slower by more than it, at any look."""
    at = [*takewhile(lambda look: look <= GATE_BLOCKS, looks_from(6))]
    wrong = 0
    for base, head in zip(*_moved(arms, count, at[-1], seed), strict=True):
        for k, n in enumerate(at):
            looks = Looks(tuple(at[: k + 1]), n if n == at[-1] else None)
            (result,) = compare(samples(base[:n], head[:n]), Analysis(margin=MARGIN), looks=looks)
            if result.verdict == "slower":
                wrong += 1
                break
    return 100 * wrong / count


def gated(arms: Arms, count: int, seed: int) -> tuple[float, float]:
    """Percent of benchmarks at the margin that a gate calls slower at any look; by the mean alone."""
    at = [*takewhile(lambda look: look <= GATE_BLOCKS, looks_from(6))]
    base, head = _moved(arms, count, at[-1], seed)
    wrong = alone = 0
    for old, new in zip(base, head, strict=True):
        evidence, values = BenchmarkEvidence(), SideValues(old, new)
        for k, n in enumerate(at):
            looks = Looks(tuple(at[: k + 1]), n if n == at[-1] else None)
            evidence = look_again(evidence, values.take(n), looks, MARGIN)
        (judged,) = judge([evidence], ALPHA)
        wrong += judged.decision == "slower"
        alone += evidence.worse <= ALPHA
    return 100 * wrong / count, 100 * alone / count


UNSHOWN: Final[dict[str, tuple[float, float]]] = {
    "5 % × 2": (0.05, 2.0),
    "10 % × 1.5": (0.1, 1.5),
    "10 % × 2": (0.1, 2.0),
    "20 % × 1.5": (0.2, 1.5),
}
"""Slow runs of head, of all and how long: 3.5, 4.1, 7.2 and 8.4 % slower on average."""
EQUIVALENCE_MARGIN: Final = 0.03
NOISE: Final = 0.005


def equivalent(share: float, times: float, n: int, count: int, seed: int) -> tuple[float, float]:
    """Percent of heads with slow runs that ``compare`` calls equivalent within 3 % after ``n`` blocks; and
    percent in which the interval lies inside of it, so that it would without them.
    """
    rng = np.random.default_rng([seed, n])
    declared = Analysis(margin=EQUIVALENCE_MARGIN)
    called = inside = 0
    for _ in range(count):
        base, head = NOISE * rng.normal(size=(2, n))
        head = head + math.log(times) * (rng.random(n) < share)
        (result,) = compare(samples(base, head), declared)
        called += result.verdict == "equivalent"
        inside += result.verdict == "equivalent" or result.blocks_to_show is not None
    return 100 * called / count, 100 * inside / count


def within(share: float, times: float, moved: float, count: int, seed: int) -> float:
    """Percent of heads with slow runs that a gate calls equivalent within 3 % at any look up to 80 blocks.

    Runs that are not slow take ``moved`` times as long as those of base.
    """
    rng = np.random.default_rng([seed, 80])
    called = 0
    for _ in range(count):
        base, head = NOISE * rng.normal(size=(2, 80))
        head = head + math.log(moved) + math.log(times) * (rng.random(80) < share)
        evidence, values = BenchmarkEvidence(), SideValues(base, head)
        at = [*takewhile(lambda look: look < 80, looks_from(6)), 80]
        for k, n in enumerate(at):
            looks = Looks(tuple(at[: k + 1]), n if n == at[-1] else None)
            evidence = look_again(evidence, values.take(n), looks, EQUIVALENCE_MARGIN)
        called += judge([evidence], ALPHA)[0].decision == "equivalent"
    return 100 * called / count


def given_a_verdict(arms: Arms, count: int, seed: int) -> tuple[float, float]:
    """Percent of claims that fail, of changes as they come (Laplace, of mean size the margin); of these, the
    percent in which mean and typical run keep to it.
    """
    moved = np.random.default_rng([seed, 3]).laplace(0, MARGIN, count)
    base, head = arms.draw(np.random.default_rng([seed, 4]), (count, BLOCKS))
    head = head + moved[:, np.newaxis] - worst(arms, seed)
    failing = np.array([_refute(*pair) is not None for pair in zip(base, head, strict=True)])
    is_true = moved <= math.log1p(MARGIN)
    return 100 * float(failing.mean()), 100 * float(is_true[failing].mean()) if failing.any() else math.nan


def _make_sample(values: Floats) -> Sample:
    n = values.size
    ids, ones, none = array("q", range(1, n + 1)), array("q", [1] * n), array("q", [0] * n)
    return Sample(BUILTIN["wall_s"], Treatment(1, "t", {"t": 1}), array("d", values), ids, ones, none, ids)


def limits(arms: Arms, count: int, seed: int, *, is_max: bool = True) -> tuple[float, float]:
    """Percent of limits that mean and typical run just keep, and that fail; by the mean alone."""
    base, _ = arms.draw(np.random.default_rng([seed, BLOCKS, 1]), (count, BLOCKS))
    values = np.exp(base)
    many = np.exp(arms.draw(np.random.default_rng([seed, 2]), (20_000, 20))[0])
    pick = max if is_max else min
    bound = float(pick(many.mean(), np.median(many)))
    wrong = alone = 0
    for row in values:
        sample = _make_sample(row)
        mean, runs = mean_of(sample), runs_of(sample)
        assert isinstance(mean, Mean)  # noqa: S101 -- of twenty finite values
        assert isinstance(runs, Runs)  # noqa: S101
        is_true = mean.value <= bound if is_max else mean.value >= bound
        by_mean = Judgement(
            "not_resolved", "holds" if is_true else "fails", mean.p_of(bound), None, ALPHA, None
        )
        judged = refute(runs.values, bound, "above" if is_max else "below").close(by_mean)
        wrong += judged.indicated == "fails" and judged.p is not None and judged.p <= ALPHA
        alone += not is_true and mean.p_of(bound) <= ALPHA
    return 100 * wrong / count, 100 * alone / count


def opened(slow: int, count: int, seed: int) -> tuple[float, float]:
    """Percent of heads that take three times as long and pass, where so many runs of base are slow (30 to 300
    times), of 20: by mean and typical run, and by the mean alone.
    """
    rng = np.random.default_rng([seed, slow])
    base, head = (S * 3 * rng.exponential(1, (count, BLOCKS)) for _ in range(2))
    base[:, :slow] += rng.uniform(math.log(30), math.log(300), (count, slow))
    base, head = rng.permuted(base, axis=1), head + math.log(3)
    both = alone = 0
    for pair in zip(base, head, strict=True):
        both += _refute(*pair) is None
        alone += _refute(*pair, beside=False) is None
    return 100 * both / count, 100 * alone / count


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Slow runs, and what stands beside the mean")
    parser.add_argument("--experiments", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=373)
    parser.add_argument("--only", nargs="*", default=list(ROWS))
    parser.add_argument("--equivalence", action="store_true")
    parser.add_argument("--within", action="store_true", help="how often a gate says within, wrongly")
    options = parser.parse_args()
    count, seed = options.experiments, options.seed
    if options.within:
        print(f"{count // 10} gates a row, seed {seed}: equivalent within 3 % at any look up to 80 blocks, %")
        for name, (part, times) in {"at the margin": (0.0, 1.0), **UNSHOWN}.items():
            moved = 1.0 if part else 1 + EQUIVALENCE_MARGIN
            print(f"{name}: {within(part, times, moved, count // 10, seed):.1f}", flush=True)
        return
    if options.equivalence:
        print(f"{count // 10} a cell, seed {seed}: equivalent within 3 % after 6, 10, 30 and 80 blocks;")
        print("in parentheses by the interval alone")
        for name, (share, times) in {"equal programs": (0.0, 1.0), **UNSHOWN}.items():
            row = (equivalent(share, times, n, count // 10, seed) for n in (6, 10, 30, 80))
            print(f"{name}: {', '.join(f'{now:.1f} ({before:.1f})' for now, before in row)}", flush=True)
        return
    print(f"{count:,} experiments a cell ({count // 10:,} by compare), seed {seed}; by the mean alone in ()")
    for name in options.only:
        arms = ROWS[name]
        cells = {
            "claims": claims(arms, count, seed),
            "gate": gated(arms, count, seed),
            "max": limits(arms, count, seed),
            "min": limits(arms, count, seed, is_max=False),
        }
        text = ", ".join(f"{door} {both:.2f} ({alone:.2f})" for door, (both, alone) in cells.items())
        failing, wrong = given_a_verdict(arms, count, seed)
        text += f", compare {compared(arms, count // 10, seed):.2f}"
        print(f"{name}: {text}, fail {failing:.1f}, of these wrong {wrong:.2f}", flush=True)
    for slow in (1, 2, 3):
        both, alone = opened(slow, count // 4, seed)
        print(f"{slow} slow of {BLOCKS}: open {both:.1f}, by the mean alone {alone:.1f}")


if __name__ == "__main__":
    main()
