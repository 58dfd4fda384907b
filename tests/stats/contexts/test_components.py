"""Components of variance against statsmodels (REML and analysis of variance) and numbers worked by hand."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

from steelyard.results.undefined import Undefined
from steelyard.stats.contexts.components import crossed_components, nested_components
from steelyard.stats.contexts.visits import Visits, differences, visits


def laid_out(table):
    """A table of contexts by passes, visited pass by pass."""
    table = np.asarray(table, dtype=float)
    contexts, passes = table.shape
    return Visits(
        table.T.ravel(),
        np.tile(np.arange(1, contexts + 1), passes),
        np.repeat(np.arange(1, passes + 1), contexts),
        np.arange(1, table.size + 1),
    )


def drawn(rng, contexts, passes, between, within, drift=0.0):
    return laid_out(
        rng.normal(0, between, (contexts, 1))
        + rng.normal(0, within, (contexts, passes))
        + rng.normal(0, drift, passes)
    )


def test_balanced_components_are_those_of_a_mixed_model_by_reml():
    result = drawn(np.random.default_rng(1), 12, 4, 0.02, 0.01)
    answer = nested_components(result)
    frame = pd.DataFrame({"y": result.values, "context": result.contexts})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Statsmodels' optimiser stops early at variances of 1e-4, so it gets them larger.
        witness = smf.mixedlm("y ~ 1", frame.assign(y=100 * frame.y), groups="context").fit(reml=True)
    assert answer.between == pytest.approx(witness.cov_re.iloc[0, 0] ** 0.5 / 100, rel=1e-4)
    assert answer.within == pytest.approx(witness.scale**0.5 / 100, rel=1e-4)
    assert (answer.nu_between, answer.nu_within, answer.visits) == (11, 36, 4)


def test_nested_mean_squares_are_those_of_an_analysis_of_variance():
    result = drawn(np.random.default_rng(2), 7, 3, 0.01, 0.02)
    answer = nested_components(result)
    frame = pd.DataFrame({"y": result.values, "context": result.contexts})
    witness = sm.stats.anova_lm(smf.ols("y ~ C(context)", frame).fit())
    assert answer.f == pytest.approx(witness.F["C(context)"], rel=1e-10)
    assert answer.p == pytest.approx(witness["PR(>F)"]["C(context)"], rel=1e-10)
    assert answer.within**2 == pytest.approx(witness.mean_sq["Residual"], rel=1e-10)


def test_crossed_mean_squares_are_those_of_an_analysis_of_variance_with_passes():
    result = drawn(np.random.default_rng(3), 9, 4, 0.02, 0.01, drift=0.05)
    answer = crossed_components(result)
    frame = pd.DataFrame({"y": result.values, "c": result.contexts, "p": result.passes})
    witness = sm.stats.anova_lm(smf.ols("y ~ C(c) + C(p)", frame).fit())
    assert answer.f == pytest.approx(witness.F["C(c)"], rel=1e-10)
    assert answer.p == pytest.approx(witness["PR(>F)"]["C(c)"], rel=1e-10)
    rest = witness.mean_sq["Residual"]
    assert answer.between**2 == pytest.approx((witness.mean_sq["C(c)"] - rest) / 4, rel=1e-10)
    assert answer.passes**2 == pytest.approx((witness.mean_sq["C(p)"] - rest) / 9, rel=1e-10)


def test_rounds_are_told_from_the_order_of_blocks_and_taken_out():
    """Two rounds of six contexts, the second 10 % slower. Witness: least squares with columns for passes of
    rounds, and contexts."""
    rng = np.random.default_rng(4)
    rounds = [drawn(rng, 6, 3, 0.02, 0.01, drift=0.03) for _ in range(2)]
    visits = Visits(
        np.concatenate([rounds[0].values, rounds[1].values + 0.1]),
        np.concatenate([rounds[0].contexts, rounds[1].contexts + 6]),
        np.concatenate([item.passes for item in rounds]),
        np.arange(1, 37),
    )
    result = crossed_components(visits)
    rounds = np.repeat([1, 2], 18)
    time = pd.get_dummies(10 * rounds + visits.passes).to_numpy(float)
    both = np.hstack([time, pd.get_dummies(visits.contexts).to_numpy(float)])
    without, rest = left(time, visits), left(both, visits)
    assert (result.nu_between, result.nu_within) == (10, 20)
    assert result.f == pytest.approx(((without - rest) / 10) / (rest / 20), rel=1e-9)


def left(columns, of):
    """Sum of squares that the best linear combination of the columns leaves."""
    return float(((of.values - columns @ np.linalg.lstsq(columns, of.values)[0]) ** 2).sum())


def test_components_of_unequal_visits_weigh_each_context_once():
    visits = Visits(
        np.array([1.0, 3.0, 2.0, 6.0, 5.0]), np.array([1, 1, 1, 2, 2]), np.ones(5, int), np.arange(5)
    )
    result = nested_components(visits)
    within = (1 + 1 + 0 + 0.25 + 0.25) / 3
    assert result.within**2 == pytest.approx(within)
    assert result.between**2 == pytest.approx((5.5 - 2) ** 2 / 2 - within * (1 / 3 + 1 / 2) / 2)


def test_contexts_that_do_nothing_have_a_component_of_zero_and_not_less():
    result = nested_components(laid_out([[1, -1], [1, -1], [-1, 1]]))
    assert result.between == 0
    assert result.share == 0
    assert result.f == 0


def test_what_rounding_leaves_of_equal_ratios_gives_no_f_either():
    """A ratio of 1.1 in every visit, of times that differ from context to context."""
    rng = np.random.default_rng(5)
    for _ in range(100):
        times = np.tile(rng.uniform(0.1, 1, (8, 1)), 3)
        result = laid_out(np.log(1.1 * times) - np.log(times))
        assert (nested_components(result).f, crossed_components(result).f) == (None, None)


def test_visits_that_do_not_vary_give_no_f():
    result = nested_components(laid_out([[1, 1], [2, 2]]))
    assert (result.f, result.p) == (None, None)
    assert result.between**2 == pytest.approx(0.5)
    assert result.share == 1


@pytest.mark.parametrize("of", [nested_components, crossed_components])
def test_one_pass_or_one_context_cannot_separate_anything(of):
    assert of(laid_out([[1], [2], [3]])) == Undefined("one_pass")
    assert of(laid_out([[1, 2, 3]])) == Undefined("one_context")


def test_a_context_without_all_passes_is_left_out_of_the_crossed_layout():
    result = laid_out([[1, 2], [2, 4], [3, 3]])
    short = Visits(result.values[:-1], result.contexts[:-1], result.passes[:-1], result.blocks[:-1])
    assert crossed_components(short).contexts == 2


def test_a_round_of_one_context_tells_nothing_of_contexts():
    alone = Visits(
        np.array([1.0, 2.0, 3.0, 4.0]), np.array([1, 1, 2, 2]), np.array([1, 2, 1, 2]), np.arange(4)
    )
    assert crossed_components(alone) == Undefined("one_pass")


def test_launches_of_a_visit_are_averaged_and_differences_are_within_blocks(sample):
    old = sample([4, 1, 8, 2], blocks=[1, 1, 2, 3], contexts=[5, 5, 6, 5])
    new = sample([1, 2, 9], treatment=2, blocks=[1, 2, 4], contexts=[5, 6, 6])
    assert np.exp(visits(old).values) == pytest.approx([2, 8, 2])
    result = differences(old, new)
    assert np.exp(result.values) == pytest.approx([2, 4])
    assert result.contexts.tolist() == [5, 6]
    faster = differences(
        sample([1, 1], metric="rate", unit="1/s", better="higher"),
        sample([2, 2], treatment=2, metric="rate", unit="1/s", better="higher"),
    )
    assert np.exp(faster.values) == pytest.approx([2, 2])


def test_what_has_no_logarithm_is_said(sample):
    assert visits(sample([])) == Undefined("no_values")
    assert visits(sample([1, 0])) == Undefined("zero_values")
    assert visits(sample([1, -1])) == Undefined("negative_values")
    assert visits(sample([1, float("inf")])) == Undefined("not_finite")
    assert differences(sample([1], blocks=[1]), sample([1], blocks=[2])) == Undefined("no_common_block")


def test_contexts_that_do_nothing_matter_in_5_of_100_under_a_random_walk(perfect_passes):
    """N = 2000, eight contexts in three randomised passes; 77 to 123 pass. Visits in a row would not."""
    count = 2000
    assert perfect_passes(count, 0.05, 77, 123) > 0.98
    rng = np.random.default_rng(5)
    passes = in_a_row = 0
    for _ in range(count):
        walk = np.cumsum(rng.normal(0, 0.3, 24)) + rng.normal(0, 0.5, 24)
        contexts = np.concatenate([rng.permutation(8) for _ in range(3)])
        visits = Visits(walk, contexts, np.repeat([1, 2, 3], 8), np.arange(24))
        passes += crossed_components(visits).p < 0.05
        row = Visits(walk, np.repeat(np.arange(8), 3), np.tile([1, 2, 3], 8), np.arange(24))
        in_a_row += nested_components(row).p < 0.05
    assert 77 <= passes <= 123
    assert in_a_row > 900
