"""Long tails of one treatment, where many looks make the most of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.core.analysis import Analysis
from steelyard.results.analysis import DesignFacts
from steelyard.stats.compare.comparison import compare
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.estimate import estimate
from steelyard.stats.compare.lopsided import allow_for_tail
from steelyard.stats.distributions.student import detectable
from steelyard.stats.planning.fresh_run import fresh_run
from steelyard.stats.sequential.looks import Looks

AT = (4, 5, 6, 7, 8, 10, 12, 15, 18, 22)


def both(sample, old, new, better="lower"):
    metric = "rate" if better == "higher" else "wall_s"
    return [
        sample(np.exp(logs), treatment=place, metric=metric, better=better)
        for place, logs in enumerate((old, new), 1)
    ]


def judged(pair, estimand="geomean_ratio"):
    between = contrast(*pair)
    plain = estimate(between, estimand)
    return plain, allow_for_tail(plain, between, estimand)


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_the_treatment_that_varies_more_is_called_better_with_more_care(sample, better):
    rng = np.random.default_rng(4)
    restless, calm = 0.1 * rng.lognormal(0, 0.5, 12), 0.01 * rng.normal(size=12)
    if better == "higher":  # a rate has its long tail below
        restless, calm = -restless, -calm
    plain, result = judged(both(sample, restless, calm, better))
    d = restless - calm if better == "lower" else calm - restless
    skewness = witness.skew(d) + math.sqrt(6 / 12)
    a = skewness / math.sqrt(12)

    def p_of_hall(at):
        t = (plain.log - math.log(at)) / plain.se
        return 2 * witness.t.sf(abs(t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6), 11)

    for at in np.exp(plain.log + plain.se * np.array([-4, -2, -1, 1, 2, 4])):
        assert result.p_of(at) == pytest.approx(max(plain.p_of(at), p_of_hall(at)))
    # A restless old treatment seems faster than it is: the new one may be better than it looks.
    first, second = plain.interval(0.01), result.interval(0.01)
    assert second.low == pytest.approx(first.low)
    assert second.high > 1.01 * first.high


def test_the_other_way_round_the_interval_is_the_reciprocal(sample):
    rng = np.random.default_rng(2)
    restless, calm = 0.1 * rng.lognormal(0, 0.5, 12), 0.01 * rng.normal(size=12)
    _, first = judged(both(sample, restless, calm))
    _, second = judged(both(sample, calm, restless))
    turned = second.interval(0.01).reciprocal()
    assert (turned.low, turned.high) == pytest.approx((first.interval(0.01).low, first.interval(0.01).high))


@pytest.mark.parametrize("estimand", ["geomean_ratio", "ratio_of_means", "median_ratio"])
def test_treatments_that_vary_alike_are_judged_as_ever(sample, estimand):
    rng = np.random.default_rng(8)
    plain, result = judged(both(sample, *(0.1 * rng.lognormal(0, 0.5, (2, 12)))), estimand)
    assert result is plain


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_a_ratio_of_means_has_the_tail_of_its_parts(sample, better):
    rng = np.random.default_rng(4)
    restless, calm = 0.1 * rng.lognormal(0, 0.5, 12), 0.01 * rng.normal(size=12)
    if better == "higher":
        restless, calm = -restless, -calm
    plain, result = judged(both(sample, restless, calm, better), "ratio_of_means")
    assert result.interval(0.01).high > plain.interval(0.01).high
    assert result.interval(0.01).low == pytest.approx(plain.interval(0.01).low)


def test_one_look_at_a_number_of_blocks_that_was_fixed_asks_for_the_same_care(sample):
    rng = np.random.default_rng(5)
    # Of a heavier tail, which lies below the mean of the few that are seen: the calm one seems slower.
    pair = both(sample, 0.1 * (rng.lognormal(0, 0.5, 12) - 2), np.zeros(12))
    plain, _ = judged(pair)
    assert plain.log < 0
    (fixed,), (looked,) = (compare(pair, Analysis(), looks=item) for item in (None, Looks((12,))))
    (within,) = compare(pair, Analysis(margin=0.2))
    assert within.p >= fixed.p > plain.p  # Few blocks at a margin allow for differences that wander, too.
    assert within.ci95.low <= fixed.ci95.low
    assert within.ci95.high >= fixed.ci95.high
    assert looked.p == Looks((12,)).overall(fixed.p)


def test_one_lognormal_arm_is_called_different_at_any_look_in_at_most_5_of_100(sample, perfect_passes):
    """N = 300 of equal geometric means; by flipped signs and t alone it is 8 by 22 blocks."""
    count, most = 300, 23
    assert perfect_passes(count, 0.045, 0, most) > 0.98
    rng = np.random.default_rng(6)
    wrong = 0
    for _ in range(count):
        old = 0.1 * (rng.lognormal(0, 0.5, AT[-1]) - math.exp(0.125))
        wrong += any(
            compare(both(sample, old[:n], np.zeros(n)), Analysis(), looks=Looks(AT[: k + 1]))[0].verdict
            != "not_resolved"
            for k, n in enumerate(AT)
            if witness.ttest_1samp(old[:n], 0).pvalue < 0.1  # of the others none is
        )
    assert wrong <= most


@pytest.mark.parametrize("looks", [None, Looks(AT[:6])])
def test_what_a_tail_leaves_open_is_below_what_these_runs_could_have_detected(sample, looks):
    """One slow run of base of ten: by t alone, half the difference that was seen would have shown."""
    noise = np.random.default_rng(1).normal(size=(2, 10))
    old, new = 0.05 * noise[0] - 2.3, 0.02 * noise[1]
    old[3] += 4
    (comparison,) = compare(both(sample, old, new), Analysis(), looks=looks)
    ratio = comparison.speedup
    assert comparison.verdict == "not_resolved"
    assert "tail" in ratio.allowances
    by_t = math.expm1(detectable(9, 0.05) * ratio.se)
    assert by_t < math.expm1(abs(ratio.log)) < (comparison.resolvable or math.inf)
    facts = DesignFacts("randomized-blocks", 10, 1)
    planned = fresh_run(ratio, 1, Analysis(), facts, by_context=False)
    assert planned is None or planned.blocks > 10
