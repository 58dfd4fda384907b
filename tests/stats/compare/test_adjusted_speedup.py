from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as witness
from uncertainties import correlated_values, ufloat

from steelyard.stats.compare.adjusted_speedup import adjusted_speedup, cv
from steelyard.stats.compare.contrast import contrast

positive = st.lists(st.tuples(st.floats(0.1, 10), st.floats(0.1, 10)), min_size=3, max_size=20)


def adjusted(sample, old, new, *, order="randomized-blocks", **options):
    between = contrast(sample(old, **options), sample(new, treatment=2, **options), order=order)
    return adjusted_speedup(between, cv(np.array(old)), cv(np.array(new)))


def test_table_1_unpaired_gives_equation_10_both_ways_to_all_digits_given(sample, run_2, run_5):
    result = adjusted(sample, run_2, run_5, order="sequential")
    assert result.value == pytest.approx(1.026769, abs=5e-7)
    assert result.u == pytest.approx(0.210801, abs=5e-7)
    assert result.spread == pytest.approx(0.596236, abs=5e-7)
    assert result.u / result.value == pytest.approx(0.205305, abs=5e-7)
    assert not result.paired


def test_table_1_unpaired_has_the_degrees_of_freedom_and_intervals_of_the_guide(sample, run_2, run_5):
    result = adjusted(sample, run_2, run_5, order="sequential")
    assert result.nu == pytest.approx(10.667455, abs=5e-7)
    k = witness.t.isf(0.025, result.nu)
    assert k == pytest.approx(2.209385, abs=5e-7)
    assert k * result.u == pytest.approx(0.465741, abs=5e-7)
    interval = result.ci95
    assert (interval.low, interval.high) == pytest.approx((0.652345, 1.616100), abs=5e-7)


def test_table_1_paired_takes_the_covariance_of_the_instances_into_account(sample, run_2, run_5):
    result = adjusted(sample, run_2, run_5)
    assert result.value == pytest.approx(1.026769, abs=5e-7)
    assert result.u == pytest.approx(0.133930, abs=5e-7)
    assert result.u * math.sqrt(8) == pytest.approx(0.378811, abs=5e-7)
    assert (result.nu, result.paired) == (7, True)
    # The spread of one future launch of each knows no pairs.
    assert result.spread == pytest.approx(0.596236, abs=5e-7)


@given(positive)
def test_unpaired_it_is_what_uncertainties_propagates(sample, values):
    old, new = (np.array(value) for value in zip(*values, strict=True))
    # The witness warns of a standard deviation of zero; constants have a test of their own.
    assume(0 not in (np.ptp(old), np.ptp(new)))
    result = adjusted(sample, old, new, order="sequential")
    ratio = ufloat(old.mean(), witness.sem(old)) / ufloat(new.mean(), witness.sem(new))
    assert result.value == pytest.approx(ratio.n, rel=1e-9)
    assert result.u == pytest.approx(ratio.s, rel=1e-6, abs=1e-12)
    single = ufloat(old.mean(), old.std(ddof=1)) / ufloat(new.mean(), new.std(ddof=1))
    assert result.spread == pytest.approx(single.s, rel=1e-6, abs=1e-12)


@given(positive)
def test_paired_it_is_what_uncertainties_propagates_with_covariance(sample, values):
    old, new = (np.array(value) for value in zip(*values, strict=True))
    covariance = np.cov(old, new) / old.size
    assume(np.linalg.eigvalsh(covariance)[0] > 1e-12)
    a, b = correlated_values([old.mean(), new.mean()], covariance)
    assert adjusted(sample, old, new).u == pytest.approx((a / b).s, rel=1e-6)


@given(positive)
def test_paired_it_is_the_uncertainty_of_the_mean_of_a_minus_s_b(sample, values):
    old, new = (np.array(value) for value in zip(*values, strict=True))
    result = adjusted(sample, old, new)
    residuals = old - result.value * new
    identity = residuals.std(ddof=1) / math.sqrt(old.size) / new.mean()
    assert result.u == pytest.approx(identity, rel=1e-6, abs=1e-9)


@given(positive, st.floats(1e-3, 1e3))
def test_the_unit_of_time_does_not_matter(sample, values, factor):
    old, new = (np.array(value) for value in zip(*values, strict=True))
    first, second = adjusted(sample, old, new), adjusted(sample, factor * old, factor * new)
    assert (second.value, second.u, second.spread) == pytest.approx(
        (first.value, first.u, first.spread), rel=1e-9, abs=1e-9
    )


@given(positive)
def test_swapping_the_two_keeps_the_relative_uncertainty_and_turns_the_interval_over(sample, values):
    old, new = zip(*values, strict=True)
    first, second = adjusted(sample, old, new), adjusted(sample, new, old)
    assert first.value == pytest.approx(1 / second.value)
    assert first.u / first.value == pytest.approx(second.u / second.value, rel=1e-9, abs=1e-9)
    mine, theirs = first.ci95, second.ci95.reciprocal()
    assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)


def test_a_rate_is_divided_the_other_way(sample):
    rate = {"metric": "rate", "unit": "1/s", "better": "higher"}
    assert adjusted(sample, [1.0, 2.0], [3.0, 4.0], **rate).value == pytest.approx(3.5 / 1.5)


def test_u_shrinks_with_n_and_the_spread_does_not(sample):
    rng = np.random.default_rng(5)
    old, new = rng.normal(10, 1, 400), rng.normal(9, 1, 400)
    few, many = adjusted(sample, old[:25], new[:25]), adjusted(sample, old, new)
    assert many.u < few.u / 2.5
    assert many.spread == pytest.approx(few.spread, rel=0.35)


def test_constants_have_no_uncertainty(sample):
    for order in ("randomized-blocks", "sequential"):
        result = adjusted(sample, [3.0] * 4, [2.0] * 4, order=order)
        assert (result.value, result.u, result.spread) == (1.5, 0.0, 0.0)


def test_one_unit_has_none_to_give(sample):
    assert adjusted(sample, [3.0], [2.0]) is None
