from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.analysis import Analysis
from steelyard.answers.undefined import Undefined
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.estimate import effects, estimate
from steelyard.stats.compare.speedup import speedup
from steelyard.stats.describe.autocorrelation import autocorrelation
from steelyard.stats.planning.precision import Precision, contrast_halfwidth, mean_halfwidth, precision


def noisy(rng, n=20, size=0.02, at=1.0):
    return at * np.exp(rng.normal(0, size, n))


def test_without_autocorrelation_it_is_the_half_width_of_the_interval_over_the_estimate(sample):
    # Differences that alternate have a negative r1, which is not held in their favour.
    old, new = sample([1.0, 1.02] * 6), sample([1.0] * 12, treatment=2)
    interval, value = speedup(contrast(old, new)).interval(), speedup(contrast(old, new)).value
    assert contrast_halfwidth(contrast(old, new)) == pytest.approx((interval.high - interval.low) / 2 / value)


def test_neighbouring_blocks_that_resemble_each_other_widen_it(sample):
    d = np.sin(np.arange(60)) * 0.02
    between = contrast(sample(np.exp(d)), sample(np.ones(60), treatment=2))
    n_eff = autocorrelation(between.differences).n_eff
    half = witness.t.isf(0.025, n_eff - 1) * d.std(ddof=1) / math.sqrt(n_eff)
    assert 5 < n_eff < 30
    assert contrast_halfwidth(between) == pytest.approx(math.sinh(half))


def test_contexts_are_in_no_order_and_get_no_correction(sample):
    contexts = list(range(1, 11)) * 2
    old = sample(np.exp(np.tile(np.arange(10) / 100, 2)), contexts=contexts)
    new = sample(np.ones(20), treatment=2, contexts=contexts)
    half = witness.t.isf(0.025, 9) * (np.arange(10) / 100).std(ddof=1) / math.sqrt(10)
    assert contrast_halfwidth(contrast(old, new)) == pytest.approx(math.sinh(half))


def test_every_declared_contrast_must_reach_the_target(sample):
    rng = np.random.default_rng(13)
    samples = [
        sample(noisy(rng, size=0.001)),
        sample(noisy(rng, size=0.001), treatment=2),
        sample(noisy(rng, size=0.1), treatment=3),
    ]
    result = precision(samples, Analysis())
    assert len(result.halfwidths) == 2
    assert result.widest == max(result.halfwidths)
    assert not result.reached(0.01)
    assert precision(samples[:2], Analysis()).reached(0.01)


def test_all_pairs_are_contrasts_too(sample):
    rng = np.random.default_rng(14)
    samples = [sample(noisy(rng), treatment=t) for t in (1, 2, 3, 4)]
    assert len(precision(samples, Analysis(family="all-pairs")).halfwidths) == 6


def test_metrics_that_are_not_the_primary_one_do_not_count(sample):
    rng = np.random.default_rng(15)
    times = [sample(noisy(rng, size=0.001), treatment=t) for t in (1, 2)]
    sizes = [sample(noisy(rng, size=0.5), treatment=t, metric="rss_bytes") for t in (1, 2)]
    assert precision([*times, *sizes], Analysis()).reached(0.01)


def test_a_single_treatment_is_as_precise_as_its_mean(sample):
    values = [1.0, 1.02] * 6
    expected = witness.t.isf(0.025, 11) * witness.sem(values) / np.mean(values)
    assert precision([sample(values)], Analysis()).widest == pytest.approx(expected)


def test_a_contrast_without_an_interval_is_never_precise_enough(sample):
    assert contrast_halfwidth(Undefined("zero_values")) is None
    assert contrast_halfwidth(contrast(sample([1.0]), sample([1.0], treatment=2))) is None
    result = Precision((0.001, None))
    assert result.widest is None
    assert not result.reached(1e9)
    assert not Precision(()).reached(1e9)


def test_contrasts_without_spread_are_precise(sample):
    assert contrast_halfwidth(contrast(sample([2.0] * 4), sample([1.0] * 4, treatment=2))) == 0.0


def test_the_order_of_a_sequential_run_has_no_pairs_to_profit_from(sample):
    rng = np.random.default_rng(16)
    drift = np.exp(rng.permutation(np.linspace(0, 0.2, 20)))
    old, new = sample(noisy(rng) * drift), sample(noisy(rng) * drift, treatment=2)
    blocked = precision([old, new], Analysis()).widest
    assert precision([old, new], Analysis(), order="sequential").widest > 2 * blocked


def test_a_drift_that_leaves_less_than_one_independent_value_leaves_no_interval(sample):
    assert precision([sample(np.exp(np.linspace(0, 0.2, 20)))], Analysis()).widest is None


@pytest.mark.parametrize("estimand", ["ratio_of_means", "median_ratio"])
@pytest.mark.parametrize("order", ["randomized-blocks", "sequential"])
def test_of_another_estimand_it_is_the_half_width_of_its_own_interval(sample, estimand, order):
    # Values that alternate have a negative r1, which is not held in their favour.
    old, new = sample([1.0, 1.3] * 10), sample([1.0, 1.1, 1.2, 1.0] * 5, treatment=2)
    between = contrast(old, new, order=order)
    found = estimate(between, estimand)
    half = math.sinh(math.log(found.interval().high / found.interval().low) / 2)
    if estimand == "ratio_of_means":  # where n_eff is n, so that nu is that of the interval
        assert autocorrelation(effects(between, estimand) if between.paired else between.old.raws).r1 < 0
    assert contrast_halfwidth(between, estimand) == pytest.approx(half, rel=0.02)
    declared = Analysis(estimand=estimand)
    assert precision([old, new], declared, order=order).widest == contrast_halfwidth(between, estimand)


def test_counts_of_zero_have_a_precision_where_their_means_are_compared(sample):
    pair = [sample([0.0, 2.0, 1.0, 3.0] * 4), sample([1.0, 0.0, 2.0, 2.0] * 4, treatment=2)]
    assert precision(pair, Analysis()).widest is None
    assert precision(pair, Analysis(estimand="ratio_of_means")).widest > 0


def test_neighbouring_blocks_that_resemble_each_other_widen_the_interval_of_a_median_too(sample):
    d = np.sin(np.arange(60)) * 0.02
    between = contrast(sample(np.exp(d)), sample(np.ones(60), treatment=2))
    likeness, interval = autocorrelation(between.differences), estimate(between, "median_ratio").interval()
    half = math.log(interval.high / interval.low) / 2 * math.sqrt(60 / likeness.n_eff)
    assert likeness.n_eff < 30
    assert contrast_halfwidth(between, "median_ratio") == pytest.approx(math.sinh(half))


@pytest.mark.parametrize("values", [[], [1.0, -1.0], [1.0, math.inf], [1.0, math.nan]])
def test_a_mean_of_nothing_of_0_or_of_no_number_has_no_precision(values):
    assert mean_halfwidth(np.array(values)) is None


def test_few_blocks_are_doubted_where_neighbours_resemble_each_other_and_few_contexts_are_not(sample):
    d = np.exp(np.sin(np.arange(60)) * 0.02)
    noise = noisy(np.random.default_rng(17), 60, 0.0001)
    blocks = [sample(d), sample(noise, treatment=2)]
    assert precision(blocks, Analysis()).doubts == ("autocorrelated",)
    contexts = [1 + i // 2 for i in range(60)]
    returning = [sample(d, contexts=contexts), sample(noise, treatment=2, contexts=contexts)]
    assert precision(returning, Analysis()).doubts == ()
