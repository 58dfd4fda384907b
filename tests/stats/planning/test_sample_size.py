"""Power and sample sizes against statsmodels, published tables, and intervals that were simulated."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as witness
from scipy.integrate import quad
from statsmodels.stats.power import TTestIndPower, TTestPower

from steelyard.stats.distributions.student import t_quantile
from steelyard.stats.hypothesis.sign_flip_critical import sign_flip_critical
from steelyard.stats.hypothesis.sign_flips import SignFlips
from steelyard.stats.planning.criticals import repeat_critical
from steelyard.stats.planning.power import detectable_shift, equivalence_power, t_power
from steelyard.stats.planning.sample_size import (
    MOST,
    n_paired,
    n_precise,
    n_relied_on,
    n_signs,
    n_tost,
    n_welch,
)


@pytest.mark.parametrize(
    ("effect", "numbers"), [(0.25, (253, 506)), (0.5, (64, 129)), (1, (17, 34)), (2, (6, 11))]
)
def test_runs_of_each_treatment_are_those_of_the_known_table(effect, numbers):
    """80 % power at 5 % and at 5 % over 28 comparisons."""
    assert (n_welch(effect), n_welch(effect, 0.05 / 28)) == numbers


@pytest.mark.parametrize(("s", "n"), [(0.5, 5), (1, 13), (2, 45)])
def test_pairs_for_equivalence_are_those_of_the_known_table(s, n):
    """90 % power at 5 % for a true difference of 0; ``s`` in margins."""
    assert n_tost(1 / s) == n
    assert equivalence_power(math.sqrt(n) / s, n - 1, t_quantile(n - 1, 0.1)) >= 0.9
    assert equivalence_power(math.sqrt(n - 1) / s, n - 2, t_quantile(n - 2, 0.1)) < 0.9


def test_power_of_13_pairs_as_wide_as_the_margin_is_the_one_once_simulated():
    assert equivalence_power(math.sqrt(13), 12, t_quantile(12, 0.1)) == pytest.approx(0.921, abs=3e-3)


def by_integration(shift, nu, alpha):
    """Power of a t test, from its definition, over the density of s."""
    critical = witness.t.isf(alpha / 2, nu)

    def rejected(w):
        either = witness.norm.cdf(shift - critical * w) + witness.norm.cdf(-shift - critical * w)
        return either * witness.chi.pdf(w * math.sqrt(nu), nu) * math.sqrt(nu)

    return quad(rejected, 0, math.inf, limit=200)[0]


@pytest.mark.parametrize("alpha", [0.05, 0.05 / 28])
@pytest.mark.parametrize("effect", [0.1, 0.4, 1.0])
@pytest.mark.parametrize("n", [4, 8, 30])
def test_power_is_that_of_statsmodels_and_of_its_definition(effect, alpha, n):
    """Statsmodels has none for large effects: SciPy's non-central t gives nan there."""
    paired = t_power(effect * math.sqrt(n), n - 1, t_quantile(n - 1, alpha))
    assert paired == pytest.approx(by_integration(effect * math.sqrt(n), n - 1, alpha), abs=1e-9)
    unpaired = t_power(effect * math.sqrt(n / 2), 2 * n - 2, t_quantile(2 * n - 2, alpha))
    for ours, theirs in (
        (paired, TTestPower().power(effect, n, alpha)),
        (unpaired, TTestIndPower().power(effect, n, alpha)),
    ):
        assert math.isnan(theirs) or ours == pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize("alpha", [0.05, 0.005])
@pytest.mark.parametrize("effect", [0.2, 0.5, 1.3])
def test_sizes_are_those_of_statsmodels_rounded_up(effect, alpha):
    paired = TTestPower().solve_power(effect, alpha=alpha, power=0.8)
    assert n_paired(effect, alpha) == math.ceil(paired)
    unpaired = TTestIndPower().solve_power(effect, alpha=alpha, power=0.8)
    assert n_welch(effect, alpha) == math.ceil(unpaired)


@pytest.mark.parametrize("shift", [0.0, 0.6])
def test_power_of_equivalence_is_the_share_of_simulated_intervals_within_the_margin(shift):
    rng = np.random.default_rng(1)
    n, margin = 9, 1.4
    d = rng.normal(shift, 1, (200_000, n))
    half = witness.t.isf(0.05, n - 1) * d.std(axis=1, ddof=1) / math.sqrt(n)
    inside = (np.abs(d.mean(axis=1)) + half < margin).mean()
    critical = t_quantile(n - 1, 0.1)
    result = equivalence_power(margin * math.sqrt(n), n - 1, critical, shift=shift * math.sqrt(n))
    assert result == pytest.approx(inside, abs=0.004)


def test_what_is_beyond_the_margin_is_never_equivalent():
    assert n_tost(1, shift=1) is None
    assert n_tost(1, shift=-1.2) is None
    assert n_tost(1, shift=0.5) > n_tost(1)


def test_a_difference_of_nothing_needs_more_than_anybody_runs():
    assert n_paired(0) is None
    assert n_paired(1e-6) is None
    assert n_paired(0.001) < MOST


@pytest.mark.parametrize(("s", "target"), [(0.05, 0.01), (0.01, 0.02), (0.3, 0.05)])
def test_a_precision_is_reached_at_the_number_told_and_not_before(s, target):
    n = n_precise(target, s)
    half = [math.sinh(witness.t.isf(0.025, k - 1) * s / math.sqrt(k)) for k in (n - 1, n) if k > 1]
    assert half[-1] <= target
    assert n == 2 or half[0] > target


def test_below_30_blocks_a_quarter_of_it_ends_a_run():
    """As ``Standing.relied_on`` has it; of contexts that take three blocks, ten have 30."""
    assert (n_precise(0.02, 0.05), n_relied_on(0.02, 0.05)) == (27, 30)
    assert (n_precise(0.15, 0.05), n_relied_on(0.15, 0.05)) == (3, n_precise(0.15 / 4, 0.05))
    assert n_relied_on(0.01, 0.05) == n_precise(0.01, 0.05) > 30
    assert n_relied_on(0.02, 0.05, blocks=3) == 27
    assert n_relied_on(0.01, 0.005) < 30
    assert n_relied_on(1e-9, 1.0) is None


def test_what_is_detectable_is_what_needs_as_many_blocks():
    critical = t_quantile(29, 0.05)
    result = detectable_shift(29, repeat_critical(critical))
    assert n_paired(result / math.sqrt(30)) in (30, 31)
    assert t_power(result, 29, critical) == pytest.approx(0.8, abs=1e-4)


@pytest.mark.parametrize("alpha", [0.05, 0.025, 0.01, 0.05 / 28])
def test_with_flipped_signs_it_is_the_smallest_number_from_which_all_are_enough(alpha):
    def power(n, effect):
        return t_power(effect * math.sqrt(n), n - 1, sign_flip_critical(n, alpha))

    for effect in np.geomspace(0.25, 4, 60):
        n = n_paired(effect, alpha, flipped=True)
        assert n >= n_paired(effect, alpha)
        assert all(power(larger, effect) >= 0.8 for larger in range(n, 70))
        assert n == 2 or power(n - 1, effect) < 0.8


def test_from_65_blocks_on_and_below_7_signs_need_what_t_needs():
    for effect in (0.05, 0.3, 0.34, 3.0, 8.0):
        assert n_paired(effect, flipped=True) == n_paired(effect)
        assert n_tost(effect, flipped=True) == n_tost(effect)


def test_two_comparisons_of_seven_blocks_need_an_eighth():
    """At 2.5 % two patterns of 128 are one too many."""
    assert (n_paired(1.8, 0.025), n_paired(1.8, 0.025, flipped=True)) == (6, 8)


@pytest.mark.parametrize(("n", "alpha"), [(8, 0.05), (10, 0.025), (20, 0.01), (30, 0.05)])
def test_intervals_by_signs_lie_within_the_margin_as_often_as_is_said(n, alpha, perfect_passes):
    """N = 1,000 a cell, equal programs, the margin that the number just needs."""
    count, low, high = 1000, 877, 922
    assert perfect_passes(count, 0.9, low, high) > 0.98
    low_margin, margin = 0.1, 10.0
    for _ in range(20):
        middle = (low_margin + margin) / 2
        needed = n_tost(middle, alpha / 2, flipped=True)
        low_margin, margin = (low_margin, middle) if needed and needed <= n else (middle, margin)
    rng = np.random.default_rng([6, n])
    inside = 0
    for _ in range(count):
        d = rng.normal(size=n)
        se = float(d.std(ddof=1)) / math.sqrt(n)
        result = SignFlips(float(d.mean()), se, n - 1, d, int(rng.integers(2**31))).interval(alpha)
        inside += -margin < math.log(result.low) and math.log(result.high) < margin
    assert low <= inside <= high


@pytest.mark.parametrize("power", [0.8, 0.95])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 28])
@pytest.mark.parametrize("effect", [0.15, 0.4, 1.0, 3.0])
def test_the_sign_test_has_its_power_from_the_number_told_on_and_not_just_before(effect, alpha, power):
    def reached(n):
        k = np.count_nonzero(2 * witness.binom.cdf(np.arange(n), n, 0.5) <= alpha)
        return k > 0 and witness.binom.cdf(k - 1, n, witness.norm.cdf(-effect)) >= power

    n = n_signs(effect, alpha, power)
    assert all(reached(larger) for larger in range(n, n + 60))
    assert not reached(n - 1)


def test_of_very_many_signs_the_normal_law_tells():
    """Where both are known they agree; the sign test of normal values needs pi / 2 of what t needs."""
    assert n_signs(0.0283) < 16_000
    assert n_signs(0.0283) == pytest.approx(math.pi / 2 * n_paired(0.0283), rel=0.003)
    # As all larger numbers must be enough, about 1 % more are counted.
    assert n_signs(0.036) == pytest.approx(math.pi / 2 * n_paired(0.036), rel=0.015)
    assert n_signs(0) is None
    assert n_signs(1e-6) is None
