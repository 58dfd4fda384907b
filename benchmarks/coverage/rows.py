"""Rows of docs/trust.md that no other bench makes, each by the product itself.

``python benchmarks/coverage/rows.py --only instances | qualify | quantile ... [--experiments N] [--seed S]``.
"""

from __future__ import annotations

import argparse
from array import array
from collections.abc import Callable, Iterator
from itertools import count as count_up
from typing import Final

import numpy as np
from scipy import stats as witness

from steelyard.claims.mean import Tail, tail_of
from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import BUILTIN, Scalar
from steelyard.stats.compare.comparison import compare
from steelyard.stats.describe.instances import pool
from steelyard.stats.hypothesis.clopper_pearson import clopper_pearson

MIXTURES: Final = ((0.02, 0.0), (0.0, 0.02), (0.02, 0.02), (0.01, 0.05))
"""Standard deviations of instances and of blocks; that of runs is 1 %."""
ESTIMANDS: Final = ("geomean_ratio", "ratio_of_means", "median_ratio", "quantile")
LEVEL: Final = 0.05


def _make_sample(
    values: Floats, levels: dict[str, Scalar], number: int, contexts: Floats | None = None
) -> Sample:
    n = values.size
    blocks, ones = array("q", range(1, n + 1)), array("q", [1] * n)
    drawn = array("q", [0] * n) if contexts is None else array("q", contexts.astype(int))
    treatment = Treatment(number, str(levels), levels)
    return Sample(BUILTIN["wall_s"], treatment, array("d", values), blocks, ones, drawn, blocks)


def cover_instances(count: int, seed: int) -> Iterator[str]:
    """How often the interval over 8 instances in 12 blocks holds the ratio of new instances and blocks, 1."""
    chosen = Analysis(instances="source", baseline={"new": 0})
    for of_instances, of_units in MIXTURES:
        cells = []
        for estimand in ESTIMANDS:
            rng = np.random.default_rng([seed, MIXTURES.index((of_instances, of_units))])
            declared = Analysis(baseline={"new": 0}, estimand=estimand, quantile=0.5)
            covered = 0
            for _ in range(count):
                d = rng.normal(0, of_instances, (8, 1)) + rng.normal(0, of_units, 12)
                d = d + rng.normal(0, 0.01, (8, 12))
                numbers = count_up(1)
                samples = [
                    _make_sample(values, {chosen.instances or "": i, "new": new}, next(numbers))
                    for i, row in enumerate(d)
                    for new, values in enumerate((np.exp(row), np.ones(row.size)))
                ]
                (result,) = compare(pool(samples, "source"), declared)
                covered += result.ci95 is not None and not result.ci95.excludes(1)
            cells.append(f"{estimand} {100 * covered / count:.1f}")
        yield f"instances {100 * of_instances:g} %, blocks {100 * of_units:g} %: {', '.join(cells)}"


def bound_sessions(count: int, seed: int) -> Iterator[str]:
    """How often "at most x %" of red gates, of 20 sessions, lies below the share that goes wrong."""
    rng = np.random.default_rng(seed)
    for share in (0.05, 0.1, 0.2):
        wrong = (rng.random((count, 20)) < share).sum(axis=1)
        by_session = sum(clopper_pearson(int(each), 20, 0.1).high < share for each in wrong)
        by_verdict = sum(clopper_pearson(20 * int(each), 400, 0.1).high < share for each in wrong)
        yield (
            f"{100 * share:g} % of sessions go wrong: below in {100 * by_session / count:.1f} %"
            f" (over verdicts {100 * by_verdict / count:.1f} %)"
        )


def _holds(sample: Sample, quantile: float, bound: float) -> bool:
    tail = tail_of(sample, quantile)
    return isinstance(tail, Tail) and tail.value <= bound and tail.p_of(bound) <= LEVEL


def limit_quantiles(count: int, seed: int) -> Iterator[str]:
    """How often a limit of the quantile .9 holds that the quantile just breaks, by runs and by machines."""
    rng = np.random.default_rng(seed)
    draws: dict[str, Callable[[int], Floats]] = {
        "normal": lambda n: np.exp(rng.normal(0, 0.1, n)),
        "exponential": lambda n: 1 + rng.exponential(1, n),
        "Pareto 1.5": lambda n: 1 + rng.pareto(1.5, n),
    }
    bounds = {
        "normal": float(np.exp(0.1 * witness.norm.ppf(0.9))),
        "exponential": 1 + float(witness.expon.ppf(0.9)),
        "Pareto 1.5": 1 + float(witness.lomax.ppf(0.9, 1.5)),
    }
    for name, draw in draws.items():
        cells = []
        for n in (30, 60, 200):
            held = sum(_holds(_make_sample(draw(n), {"t": 1}, 1), 0.9, bounds[name]) for _ in range(count))
            cells.append(f"{100 * held / count:.1f}")
        yield f"{name}, 30, 60 and 200 independent runs: {', '.join(cells)}"
    held = 0
    for _ in range(count):
        values = np.exp(np.repeat(rng.normal(0, 0.1, 40), 5) + rng.normal(0, 0.01, 200))
        sample = _make_sample(values, {"t": 1}, 1, np.repeat(np.arange(1, 41), 5))
        held += _holds(sample, 0.9, float(np.exp(np.hypot(0.1, 0.01) * witness.norm.ppf(0.9))))
    yield f"40 machines, five runs on each: {100 * held / count:.1f}"


ROWS: Final[dict[str, tuple[Callable[[int, int], Iterator[str]], int, str]]] = {
    "instances": (cover_instances, 300, "95 % CI over problem instances covers, %"),
    "qualify": (bound_sessions, 4_000, "red gates of --qualify, at most x %: below the truth"),
    "quantile": (limit_quantiles, 2_000, "limit of a quantile at the bound holds, %"),
}


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description="Rows of docs/trust.md")
    parser.add_argument("--only", nargs="+", choices=ROWS, default=list(ROWS))
    parser.add_argument("--experiments", type=int)
    parser.add_argument("--seed", type=int, default=404)
    options = parser.parse_args()
    for name in options.only:
        make, experiments, title = ROWS[name]
        count = options.experiments or experiments
        print(f"{title}; {count:,} experiments a cell, seed {options.seed}")
        for line in make(count, options.seed):
            print(f"  {line}", flush=True)


if __name__ == "__main__":
    main()
