"""Answers to present, and golden files: ``STEELYARD_REFRESH_GOLDEN=1 pytest tests/report`` writes them."""

from __future__ import annotations

import itertools
import math
import os
import random
from array import array
from pathlib import Path
from statistics import NormalDist

import pytest

from steelyard.factorial import Axis, Generator, Layout
from steelyard.sample import Failures, Sample, Treatment
from steelyard.stats.answer import answer
from steelyard.stats.declared import Declared
from steelyard.stats.facts import DesignFacts
from steelyard.stats.notice import Notice
from steelyard.stats.pace import Pace
from steelyard.stats.protocol.rules import Rules
from steelyard.stats.type_b import TypeB
from steelyard.units import Metric

METRICS = {
    metric.name: metric
    for metric in (
        Metric("wall_s", "s", "builtin", "lower", "elapsed time"),
        Metric("user_s", "s", "builtin", "lower", "user time"),
        Metric("rss_bytes", "B", "builtin", "lower", "peak memory"),
        Metric("minor_faults", "", "builtin", "lower"),
        Metric("major_faults", "", "builtin", "lower", "faults that read from a disk"),
        Metric("teps", "1/s", "user", "higher"),
        Metric("latency_s", "s", "user", "lower"),
    )
}
GOLDEN = Path(__file__).parent / "golden"


def noisy(seed, n=30, *, at=1e-3, spread=0.02, drift=0.0):
    """Log-normal values from a generator whose stream Python promises to keep."""
    stream, normal = random.Random(seed), NormalDist()
    return [at * math.exp(spread * normal.inv_cdf(stream.random()) + drift * i / n) for i in range(n)]


def make(values, treatment=1, label=None, *, metric="wall_s", **given):
    n = len(values)
    return Sample(
        metric=METRICS[metric],
        treatment=Treatment(treatment, label or f"t{treatment}", given.get("levels", {"t": treatment})),
        values=array("d", values),
        blocks=array("q", given.get("blocks", range(1, n + 1))),
        passes=array("q", given.get("passes", [1] * n)),
        contexts=array("q", given.get("contexts", [0] * n)),
        trials=array("q", range(1, n + 1)),
        labels=given.get("labels", {}),
        failures=given.get("failures", Failures(n, 0, 0)),
    )


BLOCKS = DesignFacts("randomized-blocks", 30, seed=1)


def two():
    return [make(noisy(1), label="old"), make(noisy(2, at=0.97e-3), 2, "new")]


def a_difference():
    return answer("a difference", two(), BLOCKS, Declared())


def a_ratio_of_means_by_fieller():
    declared = Declared(estimand="ratio_of_means", interval="fieller", uncertainty="sample")
    return answer("a ratio of means", two(), BLOCKS, declared)


def a_median_of_ratios():
    return answer("a median of ratios", two(), BLOCKS, Declared(estimand="median_ratio"))


def an_uncertainty_budget():
    errors = (TypeB("frequency", 1e-4, relative=True), TypeB("synchronisation", 1e-6, shared=True, nu=4))
    return answer("a budget", two(), BLOCKS, Declared(type_b=errors))


def a_ratio_of_speedups():
    """Two algorithms on two runtimes: the gain of the second is larger on the second runtime."""
    at = {("delta", "amqp"): 1e-3, ("kla", "amqp"): 0.9e-3, ("delta", "hpx"): 1.1e-3, ("kla", "hpx"): 0.8e-3}
    samples = [
        make(noisy(60 + t, at=value), t, f"{algo}, {run}", levels={"algorithm": algo, "runtime": run})
        for t, ((algo, run), value) in enumerate(at.items(), 1)
    ]
    declared = Declared(baseline={"algorithm": "delta"}, strata=("runtime",), ratio_across="runtime")
    return answer("a ratio of speedups", samples, BLOCKS, declared)


def problem_instances():
    """Two programs on four inputs; one input carries the spread."""
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
    declared = Declared(instances="input", baseline={"program": "old"})
    return answer("instances", samples, DesignFacts("randomized-blocks", 5, seed=1), declared)


def no_difference():
    samples = [make(noisy(1), label="old"), make(noisy(3), 2, "new")]
    return answer("no difference", samples, BLOCKS, Declared())


def a_slowdown_beside_other_metrics():
    samples = [
        make(noisy(1), label="old"),
        make(noisy(4, at=1.4e-3), 2, "new"),
        make(noisy(5), 3, "newest"),
        *(make(noisy(5 + t, at=4e6, spread=0.001), t, name, metric="rss_bytes") for t, name in NAMES),
        *(make([120.0 + t] * 30, t, name, metric="minor_faults") for t, name in NAMES),
        *(make([0.0] * 30, t, name, metric="major_faults") for t, name in NAMES),
    ]
    return answer("three", samples, BLOCKS, Declared())


NAMES = ((1, "old"), (2, "new"), (3, "newest"))


def all_pairs_with_a_margin():
    samples = [
        make(noisy(10, spread=0.01), 1, "a"),
        make(noisy(11, spread=0.01), 2, "b"),
        make(noisy(12, spread=0.01, at=0.98e-3), 3, "c"),
        make(noisy(13, spread=0.01, at=2e-3), 4, "d"),
    ]
    return answer("pairs", samples, BLOCKS, Declared(family="all-pairs", margin=0.02))


def failing_runs():
    samples = [
        make(noisy(1), 1, "old"),
        make(noisy(2, at=0.5e-3), 2, "new", failures=Failures(33, 3, 1)),
        make([], 3, "never", failures=Failures(3, 3, 0)),
    ]
    return answer("failing", samples, BLOCKS, Declared())


def one_after_the_other():
    samples = [
        make(noisy(1, drift=0.2), 1, "first", blocks=[1] * 30),
        make(noisy(2, drift=0.1), 2, "same again", blocks=[1] * 30),
    ]
    return answer("as usual", samples, DesignFacts("sequential", 1, seed=3), Declared())


def one_treatment():
    return answer("alone", [make(noisy(1), 1, "ls -l")], BLOCKS, Declared())


def one_run():
    return answer(
        "once", [make([0.25], 1, "sleep .25")], DesignFacts("randomized-blocks", 1, seed=1), Declared()
    )


def long_names():
    options = "--threads=4 --input=/data/sets/large/graph.bin --output=/dev/null"
    samples = [
        make(noisy(20 + t, at=1e-3 * t), t, f"./solver-with-a-long-name --mode={mode} {options}")
        for t, mode in enumerate(("breadth", "depth", "random"), 1)
    ]
    return answer("long", samples, BLOCKS, Declared())


def many_treatments():
    samples = [make(noisy(100 + t, at=1e-3 * (1.2 if t % 9 == 0 else 1)), t, f"n={t}") for t in range(1, 61)]
    return answer("many", samples, BLOCKS, Declared())


def many_differences():
    samples = [make(noisy(200 + t, at=1e-3 * (1 + t / 100)), t, f"n={t}") for t in range(1, 21)]
    return answer("many", samples, BLOCKS, Declared())


def a_skewed_sample():
    values = noisy(60, spread=0.01)
    values[::4] = [8.7 * value for value in values[::4]]
    return answer("skewed", [make(noisy(61), 1, "old"), make(values, 2, "new")], BLOCKS, Declared())


def contexts_in_passes():
    where = {"contexts": [1 + i % 10 for i in range(30)], "passes": [1 + i // 10 for i in range(30)]}
    favoured = [x * math.exp(0.04 * (i % 10 - 4)) for i, x in enumerate(noisy(33))]
    samples = [make(noisy(32), 2, "-O2", **where), make(favoured, 3, "-O3", **where)]
    facts = DesignFacts(
        "randomized-blocks", 30, 1, contexts=10, passes=3, pace=Pace(0.003, 0.0004), layout_per_launch=True
    )
    return answer("passes", samples, facts, Declared())


def a_rare_slow_context():
    contexts = list(range(1, 21))
    rare = noisy(72, 20, spread=0.01)
    rare[7] *= 2.5
    samples = [
        make(noisy(71, 20, spread=0.01), 1, "old", contexts=contexts),
        make(rare, 2, "new", contexts=contexts),
        make(noisy(73, 20, spread=0.01, at=0.9e-3), 3, "newest", contexts=contexts),
    ]
    facts = DesignFacts("randomized-blocks", 20, 1, contexts=20, default_context=3)
    return answer("rare", samples, facts, Declared())


def a_context_for_each_block():
    samples = [make(noisy(30 + t, at=1e-2 / t), t, f"-O{t}", contexts=list(range(1, 31))) for t in (2, 3)]
    return answer("contexts", samples, DesignFacts("randomized-blocks", 30, 1, contexts=30), Declared())


def rates():
    def of(seed, at, t, name):
        return make(noisy(seed, at=at), t, name, metric="teps")

    return answer("rates", [of(1, 2e9, 1, "old"), of(2, 3e9, 2, "new")], BLOCKS, Declared(metric="teps"))


def memory():
    samples = [
        make(noisy(1, at=3e8, spread=0.001), 1, "old", metric="rss_bytes"),
        make(noisy(2, at=5e8, spread=0.001), 2, "new", metric="rss_bytes"),
    ]
    return answer("memory", samples, BLOCKS, Declared(metric="rss_bytes"))


def zeros():
    samples = [
        make([0.0] * 30, 1, "old", metric="major_faults"),
        make([2.0] * 30, 2, "new", metric="major_faults"),
    ]
    return answer("zeros", samples, BLOCKS, Declared(metric="major_faults"))


def strata_and_labels():
    samples = [
        make(
            noisy(40 + 10 * t + p + n, at=1e-5 * (1.3 if t == 2 and op == "bcast" else 1)),
            t + 2 * (n == 2),
            f"{'ab'[t - 1]}, n={n}",
            metric="latency_s",
            levels={"library": "ab"[t - 1], "n": n},
            labels={"op": op},
        )
        for n in (1, 2)
        for t in (1, 2)
        for p, op in enumerate(("bcast", "reduce"))
    ]
    return answer("strata", samples, BLOCKS, Declared(metric="latency_s", strata=("n",)))


def hostile_names():
    samples = [
        make(noisy(1), 1, "a\nfake line: verified\x1b[31m"),
        make(noisy(2), 2, "\u202etxt.exe {who} 测试测试测试测试测试测试测试测试 \udcff"),
    ]
    return answer("hostile \x07", samples, BLOCKS, Declared())


def a_run_that_was_cut_short():
    facts = DesignFacts(
        "randomized-blocks",
        8,
        seed=1,
        state="precision_not_reached",
        looks=(10, 12),
        target=0.005,
        reached=0.0123,
        cap="max_time",
    )
    samples = [make(noisy(1, 8), 1, "old"), make(noisy(2, 8), 2, "new")]
    said = [Notice("note", fields={"text": "The kernel changed between the runs of this record."})]
    unseen = [Notice("counters", fields={"names": "cycles, instructions"}), Notice("queue_wait")]
    return answer("cut short", samples, facts, Declared(), warnings=said, unobserved=unseen)


def everything_odd():
    values = noisy(50)
    values[7] = 8.7e-3
    levels = [{"o": 2, "n": 1}, {"o": 3, "n": 1}, {"o": 3, "n": 2}, {"o": 2, "n": 3}]
    ticks = [round(x, 2) for x in noisy(52, at=1.0, spread=0.01)]
    rows = [values, noisy(51, drift=0.3), ticks, [float("nan"), *noisy(53, 29)]]
    samples = [
        make(row, t, f"t{t}", levels=level)
        for t, (row, level) in enumerate(zip(rows, levels, strict=True), 1)
    ]
    samples += [make([0.004] * 30, t, f"t{t}", metric="user_s", levels=levels[t - 1]) for t in (1, 2)]
    facts = DesignFacts("randomized-blocks", 30, seed=1, state="interrupted")
    return answer("odd", samples, facts, Declared(baseline={"o": 2}))


def many_programs_by_the_protocol():
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
    declared = Declared(family="all-pairs", strata=["program", "opt"], protocol=Rules())
    return answer("programs", samples, BLOCKS, declared)


def the_protocol_on_odd_samples():
    samples = [
        make(noisy(1), 1, "old"),
        make(noisy(2, spread=0.3), 2, "wide"),
        make([1e-3] * 30, 3, "constant"),
        make([2e-3] * 30, 4, "twice that"),
        make([float("nan"), *noisy(3, 29)], 5, "not finite"),
    ]
    declared = Declared(family="all-pairs", protocol=Rules(on_shape="veto"))
    return answer("odd", samples, DesignFacts("sequential", 1, seed=3), declared)


def crossed(kind, name, at, *, generators=(), blocks=30, declared=None, **levels):
    """An experiment with several factors; ``at`` gives the mean of a treatment with these levels."""
    axes = tuple(Axis(factor, tuple({factor: level} for level in each)) for factor, each in levels.items())
    layout = Layout(kind, axes, generators)
    samples = [
        make(
            noisy(300 + t, blocks, at=1e-3 * at(cell), spread=0.01),
            t,
            ", ".join(f"{factor}={level}" for factor, level in cell.items()),
            levels=cell,
        )
        for t, cell in enumerate(layout.cells(), 1)
    ]
    facts = DesignFacts("randomized-blocks", blocks, seed=1)
    return answer(name, samples, facts, declared or Declared(), layout=layout)


def solver(cell):
    quick = 0.8 if cell["opt"] == "O3" else 1.0
    bound = 0.93 if cell["affinity"] == "compact" and cell["opt"] == "O3" else 1.0
    return quick * bound * {1: 1.0, 2: 0.6, 4: 0.4}[cell["threads"]]


SOLVER = {"opt": ["O2", "O3"], "affinity": ["scatter", "compact"], "threads": [1, 2]}


def two_levels_of_three_factors():
    return crossed("two-level", "three factors", solver, **SOLVER)


def three_levels_and_a_contrast():
    declared = Declared(contrasts={"bend of threads": {"threads": [1, -2, 1]}})
    return crossed("full", "three levels", solver, declared=declared, **{**SOLVER, "threads": [1, 2, 4]})


def half_a_fraction():
    return crossed("fraction", "half", solver, generators=(Generator(2, 0b011),), **SOLVER)


def a_screening():
    return crossed(
        "plackett-burman",
        "screening",
        lambda cell: 1 + 0.2 * cell["huge_pages"] - 0.1 * cell["prefetch"],
        **{name: [0, 1] for name in ("huge_pages", "prefetch", "nice", "affinity", "aslr")},
    )


def factors_in_one_block():
    return crossed("two-level", "one block", solver, blocks=1, **SOLVER)


CASES = (
    a_difference,
    a_ratio_of_means_by_fieller,
    a_median_of_ratios,
    an_uncertainty_budget,
    a_ratio_of_speedups,
    problem_instances,
    no_difference,
    a_slowdown_beside_other_metrics,
    all_pairs_with_a_margin,
    failing_runs,
    one_after_the_other,
    one_treatment,
    one_run,
    long_names,
    many_treatments,
    many_differences,
    a_skewed_sample,
    contexts_in_passes,
    a_context_for_each_block,
    a_rare_slow_context,
    rates,
    memory,
    zeros,
    strata_and_labels,
    hostile_names,
    a_run_that_was_cut_short,
    everything_odd,
    many_programs_by_the_protocol,
    the_protocol_on_odd_samples,
    two_levels_of_three_factors,
    three_levels_and_a_contrast,
    half_a_fraction,
    a_screening,
    factors_in_one_block,
)


@pytest.fixture(params=CASES, ids=lambda case: case.__name__)
def presented(request):
    """The name of a case, and its answer."""
    return request.param.__name__, request.param()


@pytest.fixture(scope="session")
def case():
    """The answer of one case, by name."""
    by_name = {each.__name__: each for each in CASES}
    return lambda name: by_name[name]()


@pytest.fixture(scope="session")
def golden():
    """Hold a text against its golden file, or write that file where the environment asks for it."""

    def hold(name, text):
        path = GOLDEN / name
        if os.environ.get("STEELYARD_REFRESH_GOLDEN") == "1":
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return hold
