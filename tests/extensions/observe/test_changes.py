"""What a probe changes: paired by block, and shown to be within a margin or not."""

from __future__ import annotations

import math
from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr, ttest_rel
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_paired

from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import Metric
from steelyard.extensions.observe.changes import changes, correlations, ranks
from steelyard.extensions.observe.results import Change, Probed
from steelyard.results.undefined import Undefined

WALL = Metric("wall_s", "s")
RATE = Metric("rate", "1/s", better="higher")


@pytest.mark.parametrize(
    ("blocks", "perturbation"), [(2, "not_resolved"), (4, "not_resolved"), (5, "unperturbed")]
)
@pytest.mark.parametrize("factor", [1.0, 1.003])
def test_equal_values_are_within_the_margin_as_far_as_their_number_shows(blocks, perturbation, factor):
    baseline = np.linspace(0.7, 0.9, blocks)
    (result,) = changes(sample(baseline), [sample(factor * baseline)], within=0.01, alpha=0.05)
    assert result.p_within == 2.0**-blocks
    assert result.perturbation == perturbation


def sample(values, metric: Metric = WALL) -> Sample:
    n = len(values)
    places = array("q", range(1, n + 1))
    return Sample(
        metric,
        Treatment(1, "x", {}),
        array("d", values),
        places,
        array("q", [1] * n),
        array("q", [0] * n),
        places,
    )


@pytest.mark.parametrize("metric", [WALL, RATE])
def test_a_change_is_probed_over_unprobed_in_either_direction_of_better(metric):
    # Witnesses: SciPy's paired t test, statsmodels' Holm and its two one-sided tests, all of logarithms.
    draw = np.random.default_rng(3)
    baseline = np.exp(draw.normal(0, 0.1, 15))
    probed = [baseline * np.exp(draw.normal(mean, 0.01, 15)) for mean in (0.002, 0.05, -0.03)]
    result = changes(
        sample(baseline, metric), [sample(element, metric) for element in probed], within=0.01, alpha=0.05
    )
    ps = [ttest_rel(np.log(item), np.log(baseline)).pvalue for item in probed]
    adjusted = multipletests(ps, 0.05, "holm")[1]
    bound = math.log(1.01)
    for change, element, p_holm in zip(result, probed, adjusted, strict=True):
        logs = np.log(element) - np.log(baseline)
        assert change.ratio == pytest.approx(math.exp(logs.mean()))
        assert change.ci95.low < change.ratio < change.ci95.high
        assert change.p_holm == pytest.approx(p_holm, rel=1e-6)
        expected = ttost_paired(np.log(element), np.log(baseline), -bound, bound)[0]
        assert change.p_within == pytest.approx(expected, rel=1e-6)
    assert [change.perturbation for change in result] == ["unperturbed", "perturbed", "perturbed"]


def test_a_small_difference_that_is_shown_is_still_within_and_a_wide_one_is_open():
    baseline = [1.0] * 12
    small = [1.002 + 0.0001 * (i % 2) for i in range(12)]
    wide = [1.0 + 0.3 * (-1) ** i for i in range(12)]
    result = changes(sample(baseline), [sample(small), sample(wide)], within=0.01, alpha=0.05)
    assert result[0].p_holm < 1e-6
    assert [item.perturbation for item in result] == ["unperturbed", "not_resolved"]


def test_a_metric_that_is_0_has_no_change():
    (result,) = changes(sample([1.0, 2.0]), [sample([0.0, 1.0])], within=0.01, alpha=0.05)
    assert isinstance(result, Undefined)


def probe(name: str, **ratios: float) -> Probed:
    result = tuple(
        Change(Metric(metric, ""), ratio, None, 1.0, 1.0, "not_resolved", 5)
        for metric, ratio in ratios.items()
    )
    return Probed(name, None, result)


def test_the_rank_correlation_is_scipys_and_its_interval_that_of_bonett_and_wright():
    draw = np.random.default_rng(8)
    x = draw.normal(1, 0.1, 9)
    y = 0.5 * x + draw.normal(0, 0.05, 9)
    (result,) = correlations([probe(f"p{i}", a=a, b=b) for i, (a, b) in enumerate(zip(x, y, strict=True))])
    rho = spearmanr(x, y).statistic
    assert result.rho == pytest.approx(rho)
    half = 1.959964 * math.sqrt((1 + rho**2 / 2) / 6)
    assert result.ci95.low == pytest.approx(math.tanh(math.atanh(rho) - half), rel=1e-5)
    assert (result.metrics, result.probes) == (("a", "b"), 9)


def test_too_few_probes_or_a_metric_that_never_changes_predict_nothing():
    two = [probe("p", a=1.1, b=1.2), probe("q", a=1.2, b=1.3)]
    assert correlations(two) == ()
    assert correlations([probe(f"p{i}", a=1.0 + i, b=1.0) for i in range(5)]) == ()
    (three,) = correlations([*two, probe("r", a=1.0, b=1.0)])
    assert three.ci95 is None


@given(st.lists(st.sampled_from([0.5, 1.0, 1.5, 2.0]), min_size=1, max_size=12))
def test_ranks_are_scipys(values):
    assert ranks(values) == rankdata(values).tolist()
