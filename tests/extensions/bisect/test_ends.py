"""Both ends of a search, judged by the steps of a comparison."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.core.errors import ProgramError
from steelyard.extensions.bisect.ends import LOOKS, compare_ends, decide


def test_ends_of_many_blocks_have_the_ratio_and_the_interval_of_a_t_test(draw_ends):
    rng = np.random.default_rng(561)
    good, bad = rng.normal(0, 0.02, 80), rng.normal(0.03, 0.02, 80)
    ends = compare_ends(*draw_ends(good, bad), 0.05)
    test = witness.ttest_rel(bad, good)
    interval = test.confidence_interval(0.95)
    assert ends.ratio == pytest.approx(math.exp(float((bad - good).mean())))
    # Neighbours are allowed for, which widens by half at most here.
    assert math.log(ends.ci95.low) <= interval.low < interval.high <= math.log(ends.ci95.high)
    assert math.log(ends.ci95.high / ends.ci95.low) <= 1.5 * (interval.high - interval.low)
    assert ends.differs
    assert ends.p < 1e-6


@pytest.mark.simulates
def test_equal_ends_with_slow_runs_are_called_different_no_more_often_than_stated(draw_ends, perfect_passes):
    count, most = 200, 17
    assert perfect_passes(count, 0.05, 0, most) > 0.98
    rng = np.random.default_rng(562)
    wrong = 0
    for _ in range(count):
        draws = rng.normal(0, 0.02, (2, 80)) + 0.7 * (rng.random((2, 80)) < 0.1)
        for look, batches in enumerate(LOOKS):
            decided = decide(look, compare_ends(*draw_ends(*draws[:, : 5 * batches]), 0.05))
            if decided is not None:
                break
        wrong += bool(decided)
    assert wrong <= most


def test_ends_that_never_vary_differ_by_their_ratio_exactly(draw_ends):
    ends = compare_ends(*draw_ends(np.zeros(20), np.full(20, math.log(2)), "rss_bytes"), 0.05)
    assert ends.differs
    assert (ends.ratio, ends.ci95.low, ends.ci95.high) == pytest.approx((2, 2, 2))
    equal = compare_ends(*draw_ends(np.zeros(20), np.zeros(20), "rss_bytes"), 0.05)
    assert (equal.differs, equal.p, equal.resolvable) == (False, 1, 0)


def test_a_few_slow_runs_of_one_end_get_no_verdict(draw_ends):
    rng = np.random.default_rng(563)
    good, bad = rng.normal(0, 0.001, (2, 40))
    bad -= 0.05
    bad[[7, 22]] += 2.0
    ends = compare_ends(*draw_ends(good, bad), 0.05)
    assert ends.refused
    assert not ends.differs


def test_where_no_ratio_is_defined_the_error_says_why(draw_ends):
    with pytest.raises(ProgramError, match="wall_s: no ratio of both ends, since"):
        compare_ends(*draw_ends(np.zeros(1), np.zeros(1)), 0.05)


def test_ends_are_looked_at_again_until_the_last_look(draw_ends):
    equal = compare_ends(*draw_ends(np.zeros(20), np.zeros(20)), 0.05)
    assert [decide(look, equal) for look in range(len(LOOKS))] == [None, None, False]
