from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.core.analysis import Analysis
from steelyard.stats.compare.comparison import compare
from steelyard.stats.describe.autocorrelation import autocorrelation
from steelyard.stats.describe.dependence import allowance
from steelyard.stats.describe.sample_mean import SampleMean
from steelyard.stats.planning.precision import Precision, mean_halfwidth, precision

DEFAULT = Analysis()


def noisy(rng, n=20, size=0.02, at=1.0):
    return at * np.exp(rng.normal(0, size, n))


def shown(pair, declared=DEFAULT, order="randomized-blocks"):
    """The half-width of the interval that the answer prints, over its estimate."""
    (result,) = compare(pair, declared, order=order)
    return (result.ci95.high - result.ci95.low) / 2 / result.speedup.value


@pytest.mark.parametrize("estimand", ["geomean_ratio", "ratio_of_means", "median_ratio"])
@pytest.mark.parametrize("order", ["randomized-blocks", "sequential"])
@pytest.mark.parametrize(("n", "margin"), [(8, None), (8, 0.05), (30, None), (80, None)])
def test_it_is_the_half_width_of_the_interval_that_is_printed(sample, estimand, order, n, margin):
    rng = np.random.default_rng(12)
    pair = [sample(noisy(rng, n)), sample(noisy(rng, n, 0.1), treatment=2)]
    declared = Analysis(estimand=estimand, margin=margin)
    assert precision(pair, declared, order=order).widest == shown(pair, declared, order)


def test_neighbouring_blocks_that_resemble_each_other_widen_it(sample):
    d = np.sin(np.arange(60)) * 0.02
    shared = np.cos(np.arange(60)) * 0.05  # so that both treatments vary alike
    pair = [sample(np.exp(shared + d / 2)), sample(np.exp(shared - d / 2), treatment=2)]
    result = allowance(autocorrelation(d))
    half = witness.t.isf(0.025, result.nu) * d.std(ddof=1) / math.sqrt(60) * result.factor
    assert result.factor > 1.5
    assert precision(pair, Analysis()).widest == pytest.approx(math.sinh(half)) == shown(pair)


def test_contexts_are_in_no_order_and_get_no_correction(sample):
    contexts = list(range(1, 11)) * 2
    shared, d = (np.arange(10) - 4.5) ** 2 / 500, np.arange(10) / 100  # so that both treatments vary alike
    old, new = (
        sample(np.exp(np.tile(shared + sign * d / 2, 2)), treatment=place, contexts=contexts)
        for place, sign in ((1, 1), (2, -1))
    )
    half = witness.t.isf(0.025, 9) * (np.arange(10) / 100).std(ddof=1) / math.sqrt(10)
    assert precision([old, new], Analysis()).widest == pytest.approx(math.sinh(half))


def test_problem_instances_are_what_it_counts_and_more_blocks_of_them_add_none(sample):
    def widest(blocks):
        rng = np.random.default_rng(11)
        samples = [
            sample(noisy(rng, blocks, 0.001, at), treatment=2 * i + t, levels={"source": i, "new": t})
            for i, ats in enumerate([(1.0, 1.3), (1.0, 0.8), (1.0, 1.1), (1.0, 0.9)])
            for t, at in enumerate(ats, start=1)
        ]
        declared = Analysis(instances="source", baseline={"new": 1})
        return precision(samples, declared).widest

    assert widest(10) > 0.2
    assert widest(1000) == pytest.approx(widest(10), rel=0.05)


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
    values = np.array([1.0, 1.02] * 6)
    mean = SampleMean(
        values.mean(), values.std(ddof=1), 12, 12, correlation=autocorrelation(values), skewness=0.0
    )
    interval = mean.observed_interval()
    expected = (interval.high - interval.low) / 2 / values.mean()
    assert precision([sample(values)], Analysis()).widest == pytest.approx(expected)
    assert expected > witness.t.isf(0.025, 11) * witness.sem(values) / values.mean()


def test_equal_values_are_as_precise_as_can_be(sample):
    assert precision([sample([2.0] * 6)], Analysis()).widest == 0.0


def test_a_comparison_without_an_interval_is_never_precise_enough(sample):
    assert precision([sample([0.0, 1.0]), sample([1.0, 1.0], treatment=2)], Analysis()).widest is None
    assert precision([sample([1.0]), sample([1.0], treatment=2)], Analysis()).widest is None
    result = Precision((0.001, None))
    assert result.widest is None
    assert not result.reached(1e9)
    assert not Precision(()).reached(1e9)


def test_comparisons_without_spread_are_precise_where_equal_signs_suffice(sample):
    few, enough = ([sample([2.0] * n), sample([1.0] * n, treatment=2)] for n in (4, 6))
    assert precision(few, Analysis()).widest is None
    assert precision(enough, Analysis()).widest == 0.0


def test_the_order_of_a_sequential_run_has_no_pairs_to_profit_from(sample):
    rng = np.random.default_rng(16)
    drift = np.exp(rng.permutation(np.linspace(0, 0.2, 20)))
    old, new = sample(noisy(rng) * drift), sample(noisy(rng) * drift, treatment=2)
    blocked = precision([old, new], Analysis()).widest
    assert precision([old, new], Analysis(), order="sequential").widest > 2 * blocked


def test_a_drift_that_leaves_hardly_one_independent_value_leaves_a_wide_interval(sample):
    assert precision([sample(np.exp(np.linspace(0, 0.2, 20)))], Analysis()).widest > 0.5


def test_counts_of_zero_have_a_precision_where_their_means_are_compared(sample):
    pair = [sample([0.0, 2.0, 1.0, 3.0] * 4), sample([1.0, 0.0, 2.0, 2.0] * 4, treatment=2)]
    assert precision(pair, Analysis()).widest is None
    assert precision(pair, Analysis(estimand="ratio_of_means")).widest > 0


@pytest.mark.parametrize("values", [[], [1.0, -1.0], [1.0, math.inf], [1.0, math.nan]])
def test_a_mean_of_nothing_of_0_or_of_no_number_has_no_precision(values):
    assert mean_halfwidth(np.array(values)) is None


def test_few_blocks_are_doubted_where_neighbours_are_alike_and_few_contexts_are_not(sample):
    d = np.exp(np.sin(np.arange(60)) * 0.02)
    noise = noisy(np.random.default_rng(17), 60, 0.0001)
    blocks = [sample(d), sample(noise, treatment=2)]
    assert precision(blocks, Analysis()).doubts == ("autocorrelated",)
    contexts = [1 + i // 2 for i in range(60)]
    returning = [sample(d, contexts=contexts), sample(noise, treatment=2, contexts=contexts)]
    assert precision(returning, Analysis()).doubts == ()
