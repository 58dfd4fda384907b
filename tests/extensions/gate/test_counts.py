"""Counts that repeat, and how often counts that vary are taken for such."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from steelyard.extensions.gate.counts import (
    bound_chance,
    count_change,
    count_processes_needed,
    repeats,
    weigh_exact,
    weigh_signs,
)
from steelyard.extensions.gate.request import ALPHA
from steelyard.extensions.gate.suite import BenchmarkEvidence, judge


def exact_chance(shares, processes):
    """Probability that both sides repeat and head has more, each drawn from these shares: a closed form."""
    powers = np.asarray(shares) ** processes
    return sum(powers[low] * powers[low + 1 :].sum() for low in range(len(powers)))


@pytest.mark.parametrize("processes", range(1, 9))
def test_no_distribution_makes_equal_sides_differ_more_often_than_bounded(processes):
    rng = np.random.default_rng(processes)
    shares = [
        *(
            rng.dirichlet(np.full(size, mass))
            for size in (2, 3, 5, 20)
            for mass in (0.1, 1, 100)
            for _ in range(50)
        ),
        [0.5, 0.5],
        [0.9, 0.1],
    ]
    assert max(exact_chance(entry, processes) for entry in shares) <= bound_chance(processes)


def test_a_count_that_varies_in_one_process_of_ten_is_hardly_ever_called_exact():
    """The closed form of n processes, 0.09**n on either side, is what gates of one benchmark would do."""
    rng = np.random.default_rng(1)
    wrong = 0
    gates = 4000
    for values in np.where(rng.random((gates, 2, 7)) < 0.1, 10.0, 9.0):
        base, head = map(list, values)
        n = next((n for n in range(1, 8) if not repeats(base[:n], head[:n])), 7)
        if n == 7 and repeats(base, head):
            (judged,) = judge([weigh_exact(base, head, 0.0, "lower")], ALPHA)
            wrong += judged.decision != "equivalent"
    assert wrong == 0
    assert 2 * 0.09**7 * gates < 0.001
    # After three processes a single benchmark is decided: that is the least that the level takes.
    assert count_processes_needed(ALPHA) == 3
    assert exact_chance([0.9, 0.1], 3) < ALPHA / 50


def test_one_process_a_side_decides_nothing_that_differs_and_all_that_is_the_same():
    one_more = weigh_exact([9.0], [10.0], 0.0, "lower")
    assert judge([one_more], ALPHA)[0].decision == "open"
    zeros = weigh_exact([0.0], [0.0], 0.0, "lower")
    assert judge([zeros], ALPHA)[0].decision == "equivalent"


@pytest.mark.parametrize(
    ("base", "head", "margin", "better", "decision"),
    [
        (9, 10, 0.0, "lower", "slower"),
        (10, 9, 0.0, "lower", "faster"),
        (9, 10, 0.0, "higher", "faster"),
        (0, 1, 0.0, "lower", "slower"),
        (0, 0, 0.0, "lower", "equivalent"),
        (0, 1, 0.5, "lower", "slower"),
        (1000, 1010, 0.01, "lower", "equivalent"),
        (1000, 1011, 0.01, "lower", "slower"),
        (3.0, 3.3, 0.1, "lower", "equivalent"),
        (-2, -1, 0.0, "lower", "slower"),
    ],
)
def test_the_digit_decides(base, head, margin, better, decision):
    evidence = weigh_exact([float(base)] * 4, [float(head)] * 4, margin, better)
    assert judge([evidence], ALPHA)[0].decision == decision


def test_more_benchmarks_take_more_processes():
    for size in (1, 10, 200):
        needed = count_processes_needed(ALPHA / size)
        suite = [weigh_exact([1.0] * needed, [2.0] * needed, 0.0, "lower")] + [BenchmarkEvidence()] * (
            size - 1
        )
        assert judge(suite, ALPHA)[0].decision == "slower"
        fewer = [weigh_exact([1.0] * (needed - 1), [2.0] * (needed - 1), 0.0, "lower"), *suite[1:]]
        assert judge(fewer, ALPHA)[0].decision == "open"


def test_a_change_from_zero_has_no_size():
    assert count_change(0.0, 0.0) == 0.0
    assert count_change(0.0, 3.0) == math.inf
    assert count_change(10.0, 9.0) == pytest.approx(-0.1)


def test_signs_are_a_binomial_whose_level_the_looks_share():
    base, head = [0.0] * 8, [1, 0, 2, 3, 1, 1, 4, 2]
    evidence = weigh_signs(base, head, 0.0, "lower", looks=1)
    assert evidence.worse == pytest.approx(2 * binom.sf(6, 8, 0.5))
    assert evidence.better == 1.0
    assert weigh_signs(base, head, 0.0, "lower", looks=2).worse == pytest.approx(4 * binom.sf(6, 8, 0.5))
    assert weigh_signs(base, head, 0.0, "higher", looks=1).better == evidence.worse


def test_signs_over_looks_are_wrong_at_most_as_often_as_stated():
    rng = np.random.default_rng(2)
    wrong = 0
    for values in rng.integers(0, 2, size=(1500, 2, 24)).astype(float):
        ends = [
            weigh_signs(values[0, :n], values[1, :n], 0.0, "lower", look)
            for look, n in enumerate((6, 8, 10, 13, 17, 22), start=1)
        ]
        wrong += min(min(entry.worse, entry.better) for entry in ends) <= ALPHA
    assert wrong / 1500 < 0.05
