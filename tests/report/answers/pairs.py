"""Two treatments, or several against one, in one context."""

from __future__ import annotations

from answers.made import BLOCKS, make, noisy
from steelyard.core.analysis import Analysis, TypeB
from steelyard.core.sample import Sample
from steelyard.results.analysis import Answer, DesignFacts
from steelyard.stats.answer import answer


def two() -> list[Sample]:
    return [make(noisy(1), label="old"), make(noisy(2, at=0.97e-3), 2, "new")]


def a_difference() -> Answer:
    return answer("a difference", two(), BLOCKS, Analysis())


def a_ratio_of_means_by_fieller() -> Answer:
    declared = Analysis(estimand="ratio_of_means", interval="fieller", uncertainty="sample")
    return answer("a ratio of means", two(), BLOCKS, declared)


def a_median_of_ratios() -> Answer:
    return answer("a median of ratios", two(), BLOCKS, Analysis(estimand="median_ratio"))


def an_uncertainty_budget() -> Answer:
    errors = (TypeB("frequency", 1e-4, relative=True), TypeB("synchronisation", 1e-6, shared=True, nu=4))
    return answer("a budget", two(), BLOCKS, Analysis(type_b=errors))


def no_difference() -> Answer:
    samples = [make(noisy(1), label="old"), make(noisy(3), 2, "new")]
    return answer("no difference", samples, BLOCKS, Analysis())


def a_slowdown_beside_other_metrics() -> Answer:
    samples = [
        make(noisy(1), label="old"),
        make(noisy(4, at=1.4e-3), 2, "new"),
        make(noisy(5), 3, "newest"),
        *(make(noisy(5 + t, at=4e6, spread=0.001), t, name, metric="rss_bytes") for t, name in NAMES),
        *(make([120.0 + t] * 30, t, name, metric="minor_faults") for t, name in NAMES),
        *(make([0.0] * 30, t, name, metric="major_faults") for t, name in NAMES),
    ]
    return answer("three", samples, BLOCKS, Analysis())


NAMES = ((1, "old"), (2, "new"), (3, "newest"))


def all_pairs_with_a_margin() -> Answer:
    samples = [
        make(noisy(10, spread=0.01), 1, "a"),
        make(noisy(11, spread=0.01), 2, "b"),
        make(noisy(12, spread=0.01, at=0.98e-3), 3, "c"),
        make(noisy(13, spread=0.01, at=2e-3), 4, "d"),
    ]
    return answer("pairs", samples, BLOCKS, Analysis(family="all-pairs", margin=0.02))


def one_after_the_other() -> Answer:
    samples = [
        make(noisy(1, drift=0.2), 1, "first", blocks=[1] * 30),
        make(noisy(2, drift=0.1), 2, "same again", blocks=[1] * 30),
    ]
    return answer("as usual", samples, DesignFacts("sequential", 1, seed=3), Analysis())


def long_names() -> Answer:
    options = "--threads=4 --input=/data/sets/large/graph.bin --output=/dev/null"
    samples = [
        make(noisy(20 + t, at=1e-3 * t), t, f"./solver-with-a-long-name --mode={mode} {options}")
        for t, mode in enumerate(("breadth", "depth", "random"), 1)
    ]
    return answer("long", samples, BLOCKS, Analysis())


def many_treatments() -> Answer:
    samples = [make(noisy(100 + t, at=1e-3 * (1.2 if t % 9 == 0 else 1)), t, f"n={t}") for t in range(1, 61)]
    return answer("many", samples, BLOCKS, Analysis())


def many_differences() -> Answer:
    samples = [make(noisy(200 + t, at=1e-3 * (1 + t / 100)), t, f"n={t}") for t in range(1, 21)]
    return answer("many", samples, BLOCKS, Analysis())


def a_skewed_sample() -> Answer:
    values = noisy(60, spread=0.01)
    values[::4] = [8.7 * value for value in values[::4]]
    return answer("skewed", [make(noisy(61), 1, "old"), make(values, 2, "new")], BLOCKS, Analysis())


def rates() -> Answer:
    def of(seed: int, at: float, t: int, name: str) -> Sample:
        return make(noisy(seed, at=at), t, name, metric="teps")

    return answer("rates", [of(1, 2e9, 1, "old"), of(2, 3e9, 2, "new")], BLOCKS, Analysis(metric="teps"))


def memory() -> Answer:
    samples = [
        make(noisy(1, at=3e8, spread=0.001), 1, "old", metric="rss_bytes"),
        make(noisy(2, at=5e8, spread=0.001), 2, "new", metric="rss_bytes"),
    ]
    return answer("memory", samples, BLOCKS, Analysis(metric="rss_bytes"))
