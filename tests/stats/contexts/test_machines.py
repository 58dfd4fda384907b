"""Machines as a random effect; witnesses: statsmodels (mixedlm, outlier_test) and SciPy's t and F."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from scipy import stats as witness

from steelyard.results.undefined import Undefined
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.speedup import speedup
from steelyard.stats.contexts.across import compare_across_contexts
from steelyard.stats.contexts.components import nested_components
from steelyard.stats.contexts.machines import compare_machines, estimate_spread, find_deviations, find_paces
from steelyard.stats.contexts.visits import differences


def pair(sample, d, machines):
    """Two samples whose log speedups are ``d``, on the machines ``of``."""
    d = np.asarray(d, dtype=float)
    return sample(np.exp(d), contexts=list(machines)), sample(
        np.ones(d.size), treatment=2, contexts=list(machines)
    )


def drawn(rng, counts, *, between, within, mean=0.0):
    result = np.repeat(np.arange(1, len(counts) + 1), counts)
    effects = rng.normal(0.0, between, len(counts))
    return mean + effects[result - 1] + rng.normal(0.0, within, result.size), result


def names(count):
    return {i: f"n{i}" for i in range(1, count + 1)}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_estimate_and_error_are_those_of_the_mixed_model_where_balanced(sample, seed):
    d, machines = drawn(np.random.default_rng(seed), [12] * 8, between=0.03, within=0.02, mean=0.01)
    old, new = pair(sample, d, machines)
    result = speedup(contrast(old, new))
    # In hundredths: the optimiser takes a variance below 0.01 for one at its boundary.
    fitted = smf.mixedlm("d ~ 1", pd.DataFrame({"d": 100 * d, "of": machines}), groups="of").fit(reml=True)
    assert 100 * result.log == pytest.approx(fitted.fe_params["Intercept"], abs=1e-6)
    assert 100 * result.se == pytest.approx(fitted.bse_fe["Intercept"], rel=2e-3)
    assert (result.nu, result.unit) == (7, "context")
    components = nested_components(differences(old, new))
    assert 1e4 * components.between**2 == pytest.approx(float(fitted.cov_re.iloc[0, 0]), rel=5e-3)
    assert 1e4 * components.within**2 == pytest.approx(fitted.scale, rel=5e-3)


def test_the_share_of_machines_has_the_exact_interval_of_f_where_it_is_balanced(sample):
    d, machines = drawn(np.random.default_rng(5), [10] * 6, between=0.02, within=0.02)
    visits = differences(*pair(sample, d, machines))
    result = estimate_spread(visits, nested_components(visits))
    groups = [d[machines == i] for i in range(1, 7)]
    f = witness.f_oneway(*groups).statistic
    low, high = (
        (f / witness.f.isf(tail, 5, 54) - 1) / (f / witness.f.isf(tail, 5, 54) + 9) for tail in (0.025, 0.975)
    )
    assert (result.interval.low, result.interval.high) == pytest.approx((low, high))
    assert result.interval.low < result.share < result.interval.high


def test_more_machines_and_more_blocks_gain_what_the_components_say(sample):
    # Means that vary by 1 and blocks that vary by 1 within, with nothing left to chance.
    noise = np.array([-1.0, 1.0]) / math.sqrt(2)
    d = np.concatenate([m + noise for m in (-1.0, 0.0, 1.0)]) * 0.01
    visits = differences(*pair(sample, d, np.repeat([1, 2, 3], 2)))
    result = estimate_spread(visits, nested_components(visits))
    # var(means) = 1 = between + within / 2, within = 1: machines are 0.5 of 1.5.
    assert result.share == pytest.approx(1 / 3)
    assert (result.machines.further, result.machines.narrower) == (3, pytest.approx(1 - math.sqrt(0.5)))
    assert (result.blocks.further, result.blocks.narrower) == (2, pytest.approx(1 - math.sqrt(0.75)))


@pytest.mark.parametrize("n", [4, 10, 25])
def test_deviations_are_externally_studentised_residuals_adjusted_after_holm(n):
    rng = np.random.default_rng(n)
    x = rng.normal(0.0, 0.01, n)
    x[2] += 0.5
    table = sm.OLS(x, np.ones(n)).fit().outlier_test(method="holm", alpha=0.05)
    deviations = find_deviations(x)
    expected = table[:, 2]
    assert [item is not None for item in deviations] == (expected <= 0.05).tolist()
    assert deviations[2].p_holm == pytest.approx(expected[2], rel=1e-6)
    assert deviations[2].ratio == pytest.approx(math.exp(x[2] - np.delete(x, 2).mean()))


def test_equal_noise_changes_no_residual_and_more_of_it_is_allowed_for():
    x = np.r_[np.random.default_rng(4).normal(0.0, 0.01, 9), 0.05]
    plain, equal = find_deviations(x), find_deviations(x, np.full(10, 1e-5))
    assert plain[9].p_holm == pytest.approx(equal[9].p_holm)
    # The variance of one more machine, 1e-4, and of a mean of few blocks, 1e-3.
    noisy = find_deviations(x, np.r_[np.full(9, 1e-5), 1e-3])
    assert noisy[9] is None


def test_of_three_machines_none_is_said_to_differ():
    assert find_deviations(np.array([0.0, 0.001, 5.0])) == [None, None, None]
    assert find_deviations(np.zeros(6)) == [None] * 6


def test_the_machine_that_differs_is_named_and_the_others_are_not(sample):
    rng = np.random.default_rng(11)
    d, machines = drawn(rng, [20] * 10, between=0.005, within=0.01, mean=0.04)
    d[machines == 7] -= 0.12
    result = compare_machines(*pair(sample, d, machines), names(10))
    assert [member.name for member in result.members if member.differs] == ["n7"]
    assert (result.faster, result.slower, result.blocks) == (9, 1, 200)
    assert [item.name for item in result.members][-1] == "n10"


def test_a_machine_that_is_slower_in_everything_has_a_pace_of_its_own(sample):
    rng = np.random.default_rng(3)
    result = np.repeat(np.arange(1, 9), 10)
    slow = np.where(result == 4, 1.3, 1.0)
    samples = [
        sample(base * slow * np.exp(rng.normal(0, 0.005, result.size)), treatment=i, contexts=result.tolist())
        for i, base in ((1, 1.0), (2, 0.9), (3, 2.0))
    ]
    (paces,) = find_paces(samples, names(8))
    assert (paces.name, paces.in_everything) == ("n4", True)
    assert (paces.low, paces.high) == pytest.approx((1.3, 1.3), abs=0.01)
    assert paces.low <= paces.differs.ratio <= paces.high


def test_one_block_a_machine_gives_no_components_and_still_names_who_differs(sample):
    d = np.r_[np.random.default_rng(2).normal(0.03, 0.004, 9), 0.3]
    result = compare_machines(*pair(sample, d, range(1, 11)), names(10))
    assert result.spread is None
    assert [member.interval for member in result.members] == [None] * 10
    assert [item.name for item in result.members if item.differs] == ["n10"]


def test_values_without_any_spread_differ_in_nothing(sample):
    result = compare_machines(*pair(sample, np.full(12, 0.1), np.repeat([1, 2, 3, 4], 3)), names(4))
    assert result.spread is None
    assert not any(member.differs for member in result.members)
    assert compare_machines(*pair(sample, [0.1, 0.1], [1, 1]), names(1)) is None


DESIGNS = [
    # machines, blocks of each (None: from 2 to 40), SD between, SD within
    (2, 10, 0.02, 0.02),
    (3, 10, 0.02, 0.02),
    (5, 10, 0.0, 0.02),
    (5, None, 0.02, 0.02),
    (10, 20, 0.03, 0.01),
    (10, None, 0.003, 0.02),
    (30, None, 0.02, 0.05),
    (100, 5, 0.02, 0.02),
    (1000, 3, 0.02, 0.05),
]


@pytest.mark.simulates
@pytest.mark.parametrize(("count", "blocks", "between", "within"), DESIGNS)
def test_intervals_over_machines_cover_and_equal_machines_decide_nothing(
    sample, count, blocks, between, within
):
    """The mean, the next machine, and the verdict on programs that are equal but for what machines do.

    Where machines hardly differ, no interval is narrower than blocks allow, and more than 95 % hold.
    """
    rng = np.random.default_rng(count)
    runs = 400 if count >= 1000 else 2000
    mean_in = next_in = wrong = 0
    for _ in range(runs):
        counts = [blocks] * count if blocks else rng.integers(2, 41, count).tolist()
        d, machines = drawn(rng, counts, between=between, within=within)
        result = compare_across_contexts(*pair(sample, d, machines))
        mean_in += result.interval.low <= 1 <= result.interval.high
        wrong += result.interval.excludes(1)
        # The next machine is visited as often as these were.
        fresh, _ = drawn(rng, [blocks or int(rng.integers(2, 41))], between=between, within=within)
        next_in += result.prediction.low <= math.exp(fresh.mean()) <= result.prediction.high
    assert 0.93 <= mean_in / runs <= (0.97 if between >= 0.02 else 0.985)
    assert witness.binomtest(wrong, runs, 0.05, alternative="greater").pvalue > 1e-3
    assert 0.93 <= next_in / runs <= (0.975 if between >= 0.02 else 0.99)


@pytest.mark.simulates
@pytest.mark.parametrize("count", [4, 10, 50, 1000])
def test_machines_of_one_distribution_are_called_different_in_at_most_one_of_twenty(count):
    rng = np.random.default_rng(count)
    runs = 400 if count >= 1000 else 2000
    named = sum(any(find_deviations(rng.normal(0.02, 0.03, count))) for _ in range(runs))
    assert witness.binomtest(named, runs, 0.05, alternative="greater").pvalue > 1e-3


@pytest.mark.simulates
@pytest.mark.parametrize("count", [5, 10, 30])
@pytest.mark.parametrize("between", [0.003, 0.02])
def test_machines_with_few_blocks_are_not_called_different_for_that(sample, count, between):
    rng = np.random.default_rng(count)
    named = 0
    for _ in range(1000):
        d, machines = drawn(rng, rng.integers(2, 41, count).tolist(), between=between, within=0.03)
        result = compare_machines(*pair(sample, d, machines), names(count))
        named += any(member.differs for member in result.members)
    assert witness.binomtest(named, 1000, 0.05, alternative="greater").pvalue > 1e-3


@pytest.mark.simulates
@pytest.mark.parametrize("count", [4, 10, 40])
def test_the_interval_of_the_share_covers(sample, count):
    rng = np.random.default_rng(count)
    inside = 0
    for _ in range(1000):
        d, machines = drawn(rng, [8] * count, between=0.02, within=0.03)
        visits = differences(*pair(sample, d, machines))
        result = estimate_spread(visits, nested_components(visits))
        assert not isinstance(result, Undefined)
        inside += result.interval.low <= 0.0004 / 0.0013 <= result.interval.high
    assert 0.93 <= inside / 1000 <= 0.97
