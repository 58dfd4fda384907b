"""Comparisons within levels, over labels, and over problem instances."""

from __future__ import annotations

import itertools

from answers.made import BLOCKS, PROTOCOL, make, noisy
from steelyard.core.analysis import Analysis
from steelyard.core.sample import Sample
from steelyard.results.analysis import Answer, DesignFacts
from steelyard.stats.answer import answer


def a_ratio_of_speedups() -> Answer:
    """Two algorithms on two runtimes: the gain of the second is larger on the second runtime."""
    at = {("delta", "amqp"): 1e-3, ("kla", "amqp"): 0.9e-3, ("delta", "hpx"): 1.1e-3, ("kla", "hpx"): 0.8e-3}
    samples = [
        make(noisy(60 + t, at=value), t, f"{algo}, {run}", levels={"algorithm": algo, "runtime": run})
        for t, ((algo, run), value) in enumerate(at.items(), 1)
    ]
    declared = Analysis(baseline={"algorithm": "delta"}, strata=("runtime",), ratio_across="runtime")
    return answer("a ratio of speedups", samples, BLOCKS, declared)


def on_instances() -> tuple[list[Sample], DesignFacts, Analysis]:
    """Two programs on four inputs, of which one carries the spread: samples, design and analysis."""
    samples = [
        make(
            noisy(80 + 4 * p + i, 5, at=(1 + 4 * (i == 2)) * (1 - 0.1 * p) * 1e-3),
            4 * p + i + 1,
            f"{name}, {i}",
            levels={"program": name, "input": i},
        )
        for p, name in enumerate(("old", "new"))
        for i in range(4)
    ]
    declared = Analysis(instances="input", baseline={"program": "old"})
    return samples, DesignFacts("randomized-blocks", 5, seed=1), declared


def problem_instances() -> Answer:
    return answer("instances", *on_instances())


def strata_and_labels() -> Answer:
    samples = [
        make(
            noisy(40 + 10 * t + p + n, at=1e-5 * (1.3 if t == 2 and op == "bcast" else 1)),
            t + 2 * (n == 2),
            f"{'ab'[t - 1]}, n={n}",
            metric="latency_s",
            levels={"library": "ab"[t - 1], "n": n},
            labels={"op": op, "compute": "real"},
        )
        for n in (1, 2)
        for t in (1, 2)
        for p, op in enumerate(("bcast", "reduce"))
    ]
    return answer("strata", samples, BLOCKS, Analysis(metric="latency_s", strata=("n",)))


def many_programs_by_the_protocol() -> Answer:
    samples = [
        make(
            noisy(300 + t, at=1e-3 * (1.012 if size == 64 and program != "dc" else 1)),
            t,
            f"{program},{opt},{size}",
            levels={"program": program, "opt": opt, "env": size},
        )
        for t, (program, opt, size) in enumerate(
            itertools.product(["bt", "cg", "dc"], ["O2", "O3"], [0, 64, 128]), 1
        )
    ]
    declared = Analysis(family="all-pairs", strata=("program", "opt"), protocol=PROTOCOL)
    return answer("programs", samples, BLOCKS, declared)
