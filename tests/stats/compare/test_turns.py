"""Tests in turns: witness is scipy's t test of one sample, and a simulation of pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, ttest_1samp

from steelyard.stats.compare.turns import compare_turns

D = [0.08, 0.11, 0.05, 0.12, 0.09, 0.10]


def alone(differences, **options):
    (turned,) = compare_turns({"f": differences}, **options)
    return turned


def test_p_and_interval_are_those_of_a_t_test_over_pairs():
    witness = ttest_1samp(D, 0)
    low, high = witness.confidence_interval()
    turned = alone(D)
    assert turned.p_holm == pytest.approx(witness.pvalue)
    assert turned.ratio == pytest.approx(math.exp(np.mean(D)))
    assert (turned.interval.low, turned.interval.high) == pytest.approx((math.exp(low), math.exp(high)))
    assert (turned.outcome, turned.pairs) == ("slower", 6)


def test_exchanging_the_versions_turns_the_verdict_round():
    turned = alone([-d for d in D])
    assert turned.outcome == "faster"
    assert turned.ratio == pytest.approx(1 / alone(D).ratio)


def test_one_pair_decides_nothing_however_large_the_difference():
    turned = alone([5.0])
    assert (turned.outcome, turned.interval, turned.p_holm) == ("not_resolved", None, 1.0)


def test_equal_differences_are_a_difference_and_none_is_none():
    assert alone([0.1, 0.1, 0.1]).outcome == "slower"
    assert alone([0.0, 0.0, 0.0]).outcome == "not_resolved"


def test_several_tests_are_one_family_with_those_that_were_given_up():
    both = compare_turns({"f": D, "g": [0.5, 0.5001]}, ended={"g"})
    assert both[0].p_holm == pytest.approx(2 * alone(D).p_holm)
    assert both[1].outcome == "not_resolved"


def red(draw, sessions, tests, slower, sd):
    """How many of so many sessions call a test slower, by the plugin's own pairs and screening."""
    from steelyard.testing.turns import LEAST_SLOWER, PAIRS, SCREENED

    count = 0
    for _ in range(sessions):
        all_pairs = draw.normal(math.log(slower), sd, (tests, PAIRS))
        ended = {i for i in range(tests) if all_pairs[i, :SCREENED].mean() <= LEAST_SLOWER}
        its = {i: pairs[:SCREENED] if i in ended else pairs for i, pairs in enumerate(all_pairs)}
        turned = compare_turns({str(i): list(d) for i, d in its.items()}, ended=set(map(str, ended)))
        count += any(it.outcome == "slower" for it in turned)
    return count


@pytest.mark.simulates
@pytest.mark.parametrize("tests", [1, 5])
def test_equal_versions_fail_at_most_one_session_in_twenty_whatever_the_noise(tests):
    draw = np.random.default_rng(1)
    for sd in (0.005, 0.03, 0.2):
        assert red(draw, 400, tests, 1.0, sd) <= binom.ppf(0.9999, 400, 0.05)


@pytest.mark.simulates
def test_a_tenth_more_work_is_shown_in_nineteen_of_twenty_at_three_percent_from_pair_to_pair():
    assert red(np.random.default_rng(2), 400, 1, 1.1, 0.03) >= binom.ppf(0.0001, 400, 0.97)
