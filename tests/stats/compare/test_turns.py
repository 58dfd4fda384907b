"""Tests in turns: witness is scipy's t test of one sample, and a simulation of pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, ttest_1samp

from steelyard.stats.compare.turns import compare_turns

D = [0.08, 0.11, 0.05, 0.12, 0.09, 0.10]


def alone(differences, share=1.0):
    (turned,) = compare_turns({"f": differences}, {len(differences): share})
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
    both = compare_turns({"f": D, "g": [0.5, 0.5001]}, {6: 1.0})
    assert both[0].p_holm == pytest.approx(2 * alone(D).p_holm)
    assert both[1].outcome == "not_resolved"


def test_a_look_has_its_share_of_alpha_and_its_interval_agrees_with_the_test():
    shares, fifth = alone(D), alone(D, share=0.2)
    assert fifth.p == shares.p
    assert fifth.p_holm == pytest.approx(5 * shares.p_holm)
    open_ = [0.03, 0.06, 0.0, 0.07, 0.04, 0.01]
    assert 0.01 < alone(open_).p < 0.05
    assert (alone(open_).outcome, alone(open_, share=0.2).outcome) == ("slower", "not_resolved")
    assert alone(open_).interval.low > 1 > alone(open_, share=0.2).interval.low


def red(draw, sessions, tests, slower, sd):
    """How many of so many sessions call a test slower, by the plugin's own looks, screening and giving up."""
    from steelyard.extensions.pytest.turns import LEAST_SLOWER, LOOKS, SCREENED, is_promising

    count = 0
    for _ in range(sessions):
        all_pairs = draw.normal(math.log(slower), sd, (tests, max(LOOKS)))
        values = {
            str(i): list(pairs[:SCREENED] if pairs[:SCREENED].mean() <= LEAST_SLOWER else pairs[: min(LOOKS)])
            for i, pairs in enumerate(all_pairs)
        }
        for look in LOOKS:
            turned = compare_turns(values, LOOKS)
            for test in turned:
                if test.pairs == look and is_promising(test, screens=True):
                    result = next((later for later in LOOKS if later > look), look)
                    values[test.name] = list(all_pairs[int(test.name), :result])
        count += any(test.outcome == "slower" for test in turned)
    return count


@pytest.mark.extensions("pytest")
@pytest.mark.simulates
@pytest.mark.parametrize("tests", [1, 5])
def test_equal_versions_fail_at_most_one_session_in_twenty_whatever_the_noise(tests):
    draw = np.random.default_rng(1)
    for sd in (0.005, 0.03, 0.2):
        assert red(draw, 400, tests, 1.0, sd) <= binom.ppf(0.9999, 400, 0.05)


@pytest.mark.extensions("pytest")
@pytest.mark.simulates
def test_a_tenth_more_work_is_shown_in_19_of_20_at_five_percent_noise():
    assert red(np.random.default_rng(2), 400, 1, 1.1, 0.05) >= binom.ppf(0.0001, 400, 0.98)
