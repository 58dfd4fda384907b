from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as witness
from uncertainties import correlated_values, ufloat, umath

from steelyard.core.analysis import Analysis, TypeB
from steelyard.stats.compare.comparison import compare, intervals
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.contributions import Contribution, add_type_b, contributions
from steelyard.stats.compare.estimate import estimate
from steelyard.stats.compare.speedup import make_of_equal_units

pairs = st.lists(st.tuples(st.floats(0.5, 2), st.floats(0.5, 2)), min_size=4, max_size=12)


def widened(sample, old, new, *components, estimand="ratio_of_means", **options):
    between = contrast(sample(old, **options), sample(new, treatment=2, **options))
    parts = contributions(between, components, logs=estimand == "geomean_ratio")
    return add_type_b(estimate(between, estimand), parts)


@given(pairs, st.booleans(), st.booleans())
def test_a_ratio_of_means_has_the_uncertainty_of_the_package_uncertainties(sample, values, relative, shared):
    old, new = (np.array(value) for value in zip(*values, strict=True))
    covariance = np.cov(old, new) / old.size
    assume(np.linalg.eigvalsh(covariance)[0] > 1e-9)
    a, b = correlated_values([old.mean(), new.mean()], covariance)
    e = ufloat(0, 0.05)
    error = e if shared else ufloat(0, 0.05)
    propagated = umath.log((a * (1 + e)) / (b * (1 + error)) if relative else (a + e) / (b + error))
    result = widened(sample, old, new, TypeB("e", 0.05, relative=relative, shared=shared))
    assert result.se == pytest.approx(propagated.s, rel=1e-6)


def test_mean_logarithms_move_by_the_mean_of_one_over_the_values(sample):
    """By a finite step of every value."""
    rng = np.random.default_rng(1)
    old, new = np.exp(rng.normal(0, 0.3, (2, 8)))
    between = contrast(sample(old), sample(new, treatment=2))
    step = 1e-6
    moved = contrast(sample(old + step), sample(new, treatment=2))
    (first, second) = contributions(between, [TypeB("e", 1.0)], logs=True)
    change = (estimate(moved).log - estimate(between).log) / step
    assert (first.side, first.sensitivity) == ("baseline", pytest.approx(change, rel=1e-4))
    assert second.sensitivity < 0


def test_of_a_rate_the_signs_are_the_other_way_round(sample):
    rate = {"metric": "rate", "unit": "1/s", "better": "higher"}
    between = contrast(sample([1.0, 2.0], **rate), sample([3.0, 4.0], treatment=2, **rate))
    first, second = contributions(between, [TypeB("e", 1.0)], logs=False)
    assert (first.sensitivity, second.sensitivity) == (pytest.approx(-1 / 1.5), pytest.approx(1 / 3.5))
    (relative,) = contributions(between, [TypeB("e", 1.0, relative=True, shared=True)], logs=False)
    assert relative.u == 0.0


def test_no_number_of_runs_averages_it_out(sample):
    rng = np.random.default_rng(2)
    old, new = np.exp(rng.normal(0, 0.01, (2, 4000)))
    (c,) = compare(
        [sample(old), sample(new, treatment=2)], Analysis(type_b=(TypeB("e", 0.01, relative=True),))
    )
    assert c.speedup.se == pytest.approx(0.01 * math.sqrt(2), rel=0.01)
    assert c.speedup.nu > 1000
    assert c.verdict == "not_resolved"


def test_degrees_of_freedom_are_those_of_welch_and_satterthwaite(sample):
    old, new = [1.0, 1.2, 0.9, 1.1], [1.0, 1.0, 1.1, 1.2]
    alone = widened(sample, old, new)
    part = TypeB("e", 0.1, relative=True, nu=5)
    result = widened(sample, old, new, part)
    assert result.nu == pytest.approx(result.se**4 / (alone.se**4 / 3 + 2 * 0.1**4 / 5))
    assert result.p == pytest.approx(2 * witness.t.sf(abs(result.log) / result.se, result.nu))


def test_an_error_with_few_degrees_of_freedom_widens_flipped_signs_as_it_widens_t(sample):
    """Beside it the blocks say next to nothing: t of the error alone, 2.447 of its u and not 1.960."""
    old, new = np.exp(np.random.default_rng(4).normal(0, 0.0005, (2, 20)))
    part = TypeB("e", 0.02, relative=True, nu=3)
    signs = widened(sample, old, new, part, estimand="geomean_ratio")
    half = witness.t.ppf(0.975, 6) * 0.02 * math.sqrt(2)
    for bound, side in ((signs.interval().low, -1), (signs.interval().high, 1)):
        assert math.log(bound) == pytest.approx(signs.log + side * half, rel=5e-3)
    assert signs.p_of(1.05) == pytest.approx(
        2 * witness.t.sf((math.log(1.05) - signs.log) / (0.02 * math.sqrt(2)), 6), rel=0.02
    )


def test_equal_values_are_as_uncertain_as_the_degrees_of_freedom_of_their_error_say(sample):
    result = widened(sample, [3.0] * 8, [2.0] * 8, TypeB("e", 0.1, relative=True, nu=3))
    interval = result.interval()
    assert math.log(interval.high / interval.low) / 2 == pytest.approx(
        witness.t.ppf(0.975, 6) * 0.1 * math.sqrt(2)
    )
    assert result.p_of(1.2) == pytest.approx(2 * witness.t.sf(math.log(1.5 / 1.2) / (0.1 * math.sqrt(2)), 6))


def test_equal_values_with_a_step_of_the_clock_have_an_interval_as_wide_as_the_step(sample):
    result = widened(sample, [3.0] * 8, [2.0] * 8, TypeB("step", 0.1 / math.sqrt(12)))
    u = 0.1 / math.sqrt(12) * math.hypot(1 / 3, 1 / 2)
    interval = result.interval()
    assert math.log(interval.high / interval.low) / 2 == pytest.approx(1.95996 * u, rel=1e-4)
    assert result.p_of(1.5) == 1.0
    assert result.p_of(1.0) == 2.0**-7
    few = widened(sample, [3.0] * 4, [2.0] * 4, TypeB("step", 0.03))
    assert few.interval() is None
    assert few.p == 2.0**-3


def test_equal_programs_with_equal_values_are_not_told_apart_by_a_stated_error(sample):
    result = widened(sample, [2.0] * 8, [2.0] * 8, TypeB("step", 0.01), estimand="geomean_ratio")
    assert result.p == 1.0
    assert not result.interval().excludes(1.0)
    normal = 2 * witness.norm.sf(math.log(1.01) / (0.01 * math.sqrt(2) / 2))
    assert result.p_of(1.01) == pytest.approx(normal, rel=1e-5)
    assert result.p_of(1.5) == 2.0**-7


def test_it_is_of_the_primary_metric_alone(sample):
    rng = np.random.default_rng(3)
    values = np.exp(rng.normal(0, 0.01, (2, 10)))
    samples = [sample(v, treatment=t, metric=m) for t, v in enumerate(values, 1) for m in ("wall_s", "cpu_s")]
    declared = Analysis(type_b=(TypeB("e", 0.5, relative=True),))
    (cpu,) = intervals(samples, declared, metric="cpu_s")
    (wall,) = compare(samples, declared)
    assert cpu.speedup.se < 0.02 < wall.speedup.se


@pytest.mark.parametrize("interval", ["fieller", "gum-s1", "bootstrap-t"])
def test_laws_that_have_no_place_for_it_stay_as_they_are(sample, interval):
    between = contrast(sample([1.0, 1.2, 0.9, 1.1]), sample([1.0, 1.0, 1.1, 1.2], treatment=2))
    result = estimate(between, "ratio_of_means", interval)
    parts = contributions(between, [TypeB("e", 0.5)], logs=False)
    assert add_type_b(result, parts) is result


def test_equal_launches_without_pairs_say_no_more_than_relabelling_them_can():
    """Of two and two launches, one arrangement of six is as they were found, and one its mirror image."""
    equal = make_of_equal_units(0.0, "unpaired", (2, 2))
    result = add_type_b(equal, [Contribution(TypeB("clock", 1e-6), "both", 1.0)])
    assert result.p_of(1.05) == equal.p_of(1.05) == pytest.approx(2 / 6)
    assert result.interval(0.3) is None
