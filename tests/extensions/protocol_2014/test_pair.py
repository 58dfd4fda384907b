"""Each row of the decision table, and SciPy as the witness of all that is recorded."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as witness

from steelyard.extensions.protocol_2014.pair import direction_of
from steelyard.extensions.protocol_2014.results import Rules
from steelyard.results.undefined import Undefined

NAMES = ("N1", "N2", "N3", "L1", "L2", "M1")


def witnessed(x, y):
    """The protocol in SciPy's words: path, statistic, p."""
    normal = witness.shapiro(x).pvalue > 0.05 and witness.shapiro(y).pvalue > 0.05
    if normal:
        ratio = x.var(ddof=1) / y.var(ddof=1)
        f = witness.f(x.size - 1, y.size - 1)
        equal = bool(2 * min(f.cdf(ratio), f.sf(ratio)) > 0.05)
        result = witness.ttest_ind(x, y, equal_var=equal)
        return "student" if equal else "welch", result.statistic, result.pvalue
    a, b = x - np.median(x), y - np.median(y)
    step = 1e-11
    a, b = np.round(a / step) * step, np.round(b / step) * step
    result = witness.mannwhitneyu(x, y, method="exact" if np.unique([*x, *y]).size == 60 else "asymptotic")
    return "shift" if witness.ks_2samp(a, b).pvalue > 0.05 else "order", result.statistic, result.pvalue


@pytest.mark.parametrize(("one", "other"), [*itertools.combinations(NAMES, 2)])
def test_all_fifteen_golden_pairs_are_as_scipy_has_them(quantiles, through, one, other):
    x, y = quantiles[one], quantiles[other]
    result = through(x, y)
    path, statistic, p = witnessed(x, y)
    assert result.path == path
    assert result.outcome.statistic == pytest.approx(statistic, rel=1e-10)
    assert result.p == pytest.approx(p, rel=1e-10)
    raw = witness.ks_2samp(x, y)
    assert result.checks.raw.d == pytest.approx(raw.statistic)
    if np.unique([*x, *y]).size == 60:
        assert result.checks.raw.p == pytest.approx(raw.pvalue, rel=1e-9)
    bm = witness.brunnermunzel(x, y)
    assert result.effects.above.p == pytest.approx(bm.pvalue, rel=1e-9)
    assert result.effects.shift.value == pytest.approx(np.median(np.subtract.outer(y, x)))
    assert result.effects.ratio_of_means.value == pytest.approx(x.mean() / y.mean())
    assert not result.effects.ratio_of_means.paired


def test_the_printed_golden_pairs(quantiles, through):
    equal = through(quantiles["N1"], quantiles["N2"])
    assert (equal.path, equal.p) == ("student", pytest.approx(0.0566778, rel=1e-5))
    assert equal.checks.variances.p == pytest.approx(1, abs=1e-6)
    unequal = through(quantiles["N1"], quantiles["N3"])
    assert (unequal.path, unequal.p) == ("welch", pytest.approx(0.00135584, rel=1e-5))
    assert (unequal.test, unequal.flags) == ("welch", ("unequal_variance",))
    assert unequal.checks.raw.p == pytest.approx(0.000899578, rel=1e-5)
    assert unequal.checks.centred.p == pytest.approx(0.239073, rel=1e-5)


@pytest.mark.parametrize("pair", [("N1", "L2"), ("L1", "L2")])
def test_a_raw_gate_of_kolmogorov_and_smirnov_would_lose_a_true_finding(quantiles, through, pair):
    result = through(*(quantiles[name] for name in pair))
    assert result.p < 0.05
    assert result.checks.raw.p < 0.05


def test_table_1_of_firoz_goes_to_mann_whitney_since_run_2_is_not_normal(run_2, run_5, through):
    result = through(run_2, run_5)
    assert (result.path, result.test, result.flags) == ("shift", "mann-whitney", ("non_normal",))
    assert (result.outcome.statistic, result.p) == (27, pytest.approx(0.645377, rel=1e-5))
    assert result.checks.normality_baseline.p == pytest.approx(0.000425116, rel=1e-5)
    assert result.checks.normality_treatment.p == pytest.approx(0.112495, rel=1e-5)
    assert result.checks.variances.p == pytest.approx(0.103939, rel=1e-5)


def wide_and_narrow():
    rng = np.random.default_rng(1)
    return np.exp(rng.normal(size=30)), 5 + 0.01 * rng.normal(size=30)


def test_shapes_that_differ_are_flagged_or_veto_the_pair(through):
    wide, narrow = wide_and_narrow()
    flagged = through(wide, narrow)
    assert (flagged.path, flagged.flags) == ("order", ("non_normal", "shape_differs"))
    vetoed = through(wide, narrow, Rules(on_shape="veto"))
    assert vetoed.flags == ("non_normal", "shape_differs", "vetoed")
    assert vetoed.p == flagged.p


def test_equal_constants_have_p_1_and_different_ones_that_of_all_arrangements(through):
    equal = through([2.0] * 5, [2.0] * 7)
    assert (equal.path, equal.p, equal.test, equal.flags) == (
        "constant",
        1,
        None,
        ("degenerate", "resolution"),
    )
    different = through([2.0] * 5, [3.0] * 7)
    ranked = witness.mannwhitneyu([2.0] * 5, [3.0] * 7, method=witness.PermutationMethod(n_resamples=9999))
    assert (different.path, different.outcome) == ("constant", None)
    assert different.p == pytest.approx(2 / 792) == pytest.approx(ranked.pvalue)
    assert "deterministic_difference" in different.flags
    assert "too_few" not in different.flags
    assert direction_of(different, "lower") == "slower"
    single = through([2.0], [2.0])
    assert (single.path, single.p) == ("constant", 1)


@pytest.mark.parametrize(("n", "p"), [(1, 1.0), (2, 1 / 3), (3, 0.1)])
def test_runs_so_few_that_no_order_of_them_rejects_are_refused(through, n, p):
    result = through([2.0] * n, [3.0] * n)
    assert result.p == pytest.approx(p)
    assert "too_few" in result.flags
    assert "too_few" not in through([2.0] * 4, [3.0] * 4).flags
    assert "too_few" not in through([1.0, 2.0, 3.0], [2.0, 3.5, 4.0]).flags  # t needs no order


def test_on_the_side_that_is_tested_constants_have_half_of_that_p_and_else_1(through):
    rules = Rules(direction="faster")
    assert through([3.0] * 5, [2.0] * 7, rules).p == pytest.approx(1 / 792)
    assert through([2.0] * 5, [3.0] * 7, rules).p == 1
    assert "too_few" not in through([3.0] * 3, [2.0] * 3, rules).flags
    assert (Rules().fewest, rules.fewest) == (4, 3)


@pytest.mark.parametrize(
    ("old", "new"), [([1.0] * 10, range(2, 12)), ([1.0, 2.0], [3.0, 4.0, 5.0]), ([7.0], [1.0, 2.0, 3.0])]
)
def test_where_a_sample_has_no_shape_mann_whitney_is_exact(through, old, new):
    result = through(old, new)
    assert (result.path, result.test) == ("degenerate", "mann-whitney")
    assert "degenerate" in result.flags
    assert result.outcome.method.startswith("exact")
    assert 0 < result.p <= 1


@pytest.mark.parametrize(("new", "reason"), [([], "no_values"), ([1.0, float("nan"), 2.0], "not_finite")])
def test_what_cannot_be_tested_says_why(through, new, reason):
    result = through([1.0, 2.0, 3.0], new)
    assert result.path == Undefined(reason)
    assert (result.p, result.effects, result.flags) == (None, None, ("undefined",))


def test_a_coarse_clock_is_flagged_since_it_makes_normal_values_look_otherwise(through):
    rng = np.random.default_rng(2)
    result = through(np.round(1 + rng.normal(0, 0.01, 30), 2), np.round(1 + rng.normal(0, 0.01, 30), 2))
    assert {"resolution", "non_normal"} <= set(result.flags)


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_a_declared_direction_is_tested_on_its_side_alone(through, quantiles, better):
    rules = Rules(direction="faster")
    a, b = quantiles["N1"], quantiles["N3"]
    old, new = (b, a) if better == "lower" else (a, b)
    kind = {"metric": "speed", "unit": "1/s", "better": better}
    two = through(old, new, **kind).p
    assert through(old, new, rules, **kind).p == pytest.approx(two / 2)
    assert through(new, old, rules, **kind).p == pytest.approx(1 - two / 2)
    skewed = (quantiles["L1"], quantiles["L2"])
    lower = "greater" if better == "lower" else "less"
    p = witness.mannwhitneyu(*skewed, alternative=lower, method="exact").pvalue
    assert through(*skewed, rules, **kind).p == pytest.approx(p, rel=1e-9)


@given(st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from([1e-6, 1 / 8, 3.0, 1e5]))
def test_scaling_all_times_changes_no_p_and_swapping_none_either(quantiles, through, one, other, scale):
    result = through(quantiles[one], quantiles[other])
    scaled = through(quantiles[one] * scale, quantiles[other] * scale)
    swapped = through(quantiles[other], quantiles[one])
    assert result.path == scaled.path == swapped.path
    assert scaled.p == pytest.approx(result.p, rel=1e-9)
    assert swapped.p == pytest.approx(result.p, rel=1e-9)
    assert scaled.checks.centred.p == pytest.approx(result.checks.centred.p, rel=1e-9)
    assert scaled.effects.shift.value == pytest.approx(scale * result.effects.shift.value, abs=1e-9 * scale)
    assert swapped.effects.above.value == pytest.approx(1 - result.effects.above.value)


@given(st.permutations(range(30)))
def test_the_order_of_launches_changes_nothing(quantiles, through, order):
    x, y = quantiles["L1"], quantiles["M1"]
    assert through(x[list(order)], y).p == through(x, y).p


@pytest.mark.parametrize(("spread", "path"), [(1.0, "student"), (3.0, "welch")])
def test_of_samples_of_unequal_size_student_and_welch_are_told_apart(through, spread, path):
    rng = np.random.default_rng(21)
    x, y = 100 + rng.normal(0, 1, 14), 100.5 + rng.normal(0, spread, 30)
    result = through(x, y)
    expected, statistic, p = witnessed(x, y)
    assert (result.path, expected) == (path, path)
    assert (result.outcome.statistic, result.p) == pytest.approx((statistic, p), rel=1e-9)
    welch = witness.ttest_ind(x, y, equal_var=path != "student")
    assert abs(welch.pvalue - p) > 1e-4
