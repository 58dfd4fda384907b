"""The ratio of two speedups has the interval and the stated errors that its parts have."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as witness
from uncertainties import ufloat
from uncertainties.umath import log

from steelyard.core.analysis import Analysis, TypeB
from steelyard.results.assumptions import assumptions
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.interaction import ratios_of_speedups
from steelyard.stats.compare.interaction_estimate import ratio_of_speedups


def table(seed=1, n=20, size=0.02, gains=(0.1, 0.3)):
    """Times of the old and the new one, here and there."""
    logs = np.random.default_rng(seed).normal(0, size, (4, n)) - np.array([0, gains[0], 0, gains[1]])[:, None]
    return np.exp(logs + np.random.default_rng(seed + 1).normal(0, 0.1, n))


def two(sample, times, **options):
    result = contrast(sample(times[0]), sample(times[1], treatment=2), **options)
    return contrast(sample(times[2]), sample(times[3], treatment=2), **options), result


@pytest.mark.parametrize("order", ["randomized-blocks", "sequential"])
@pytest.mark.parametrize(
    "stated",
    [
        TypeB("own", 0.01),
        TypeB("shared", 0.01, shared=True),
        TypeB("relative", 0.02, relative=True),
        TypeB("scale", 0.02, relative=True, shared=True),
    ],
)
def test_errors_that_repetition_does_not_show_are_those_of_all_four(sample, stated, order):
    """Witness: the package ``uncertainties``, of the ratio of four means with these errors alone."""
    times = table()
    first, second = two(sample, times, order=order)
    without = ratio_of_speedups(first, second, "ratio_of_means")
    result = ratio_of_speedups(first, second, "ratio_of_means", type_b=(stated,))
    common = ufloat(0, stated.u)
    errors = [common if stated.shared else ufloat(0, stated.u) for _ in range(4)]
    old_a, new_a, old_b, new_b = (
        mean * (1 + error) if stated.relative else mean + error
        for mean, error in zip(times.mean(axis=1), errors, strict=True)
    )
    expected = log(old_b / new_b / (old_a / new_a)).std_dev
    assert result.se == pytest.approx(math.hypot(without.se, expected))
    assert result.log == without.log
    if expected > 1e-9:
        assert result.interval().low < without.interval().low
        assert result.nu > without.nu
    else:
        assert result == without


def test_errors_of_the_spec_and_of_the_clock_widen_what_is_declared(sample):
    four = [
        sample(times, treatment=t + 1, levels={"algorithm": a, "runtime": r})
        for t, (times, (r, a)) in enumerate(
            zip(table(), [(r, a) for r in "ab" for a in ("x", "y")], strict=True)
        )
    ]
    options = {"baseline": {"algorithm": "x"}, "strata": ("runtime",), "ratio_across": "runtime"}
    (plain,) = ratios_of_speedups(four, Analysis(**options))
    (result,) = ratios_of_speedups(four, Analysis(**options, type_b=(TypeB("clock", 0.05),)))
    assert plain.change == "larger"
    assert (result.change, result.ratio.log) == ("not_resolved", plain.ratio.log)
    assert result.ci95.low < plain.ci95.low


@pytest.mark.parametrize(
    ("order", "estimand", "interval", "method"),
    [
        ("randomized-blocks", "geomean_ratio", "bootstrap-t", "block-log-ratio-bootstrap-t"),
        ("randomized-blocks", "ratio_of_means", "bootstrap-t", "block-means-bootstrap-t"),
        ("randomized-blocks", "ratio_of_means", "gum-s1", "block-means-gum-s1"),
        ("randomized-blocks", "ratio_of_means", "fieller", "block-means-log-delta"),
        ("sequential", "geomean_ratio", "bootstrap-t", "unpaired-log-ratio-bootstrap-t"),
        ("sequential", "ratio_of_means", "bootstrap-t", "unpaired-means-bootstrap-t"),
        ("sequential", "ratio_of_means", "gum-s1", "unpaired-means-gum-s1"),
        ("sequential", "ratio_of_means", "fieller", "unpaired-means-log-delta"),
    ],
)
@pytest.mark.parametrize("better", ["lower", "higher"])
def test_the_interval_is_of_the_kind_that_is_declared_and_of_the_size_of_the_others(
    sample, order, estimand, interval, method, better
):
    # Of 60 near normal values all kinds are about as wide as t's.
    times = table(3, 60)
    description = {"metric": "rate", "unit": "1/s", "better": better}
    pairs = [[sample(times[i], treatment=i + 1, **description) for i in (k, k + 1)] for k in (2, 0)]
    first, second = (contrast(*pair, order=order) for pair in pairs)
    result = ratio_of_speedups(first, second, estimand, interval)
    by_t = ratio_of_speedups(first, second, estimand)
    assert (result.method, result.log, result.se) == (method, by_t.log, by_t.se)
    mine, theirs = result.interval(), by_t.interval()
    assert math.log(mine.low) == pytest.approx(math.log(theirs.low), abs=0.2 * by_t.se)
    assert math.log(mine.high) == pytest.approx(math.log(theirs.high), abs=0.2 * by_t.se)
    assert (result.interval() is None or result.interval().excludes(1)) == (result.p <= 0.05)
    assert all(assumptions(result.method))


def test_intervals_by_resampling_cover_as_often_as_they_say(sample, perfect_passes):
    """N = 300, eight blocks, values that are not normal; of a perfect 95 %."""
    count, covered = 300, 0
    assert perfect_passes(count, 0.95, 275, 296) > 0.98
    rng = np.random.default_rng(8)
    for _ in range(count):
        times = np.exp(rng.normal(0, 0.2, (4, 8))) * np.array([2.0, 1.0, 3.0, 1.0])[:, None]
        first, second = two(sample, times)
        result = ratio_of_speedups(first, second, "ratio_of_means", "bootstrap-t").interval()
        covered += result is not None and result.low <= 1.5 <= result.high
    assert 275 <= covered <= 296


def test_a_mean_that_one_value_makes_leaves_the_ratio_open(sample):
    times = table(n=6)
    times[0, 2] = 1e4
    first, second = two(sample, times)
    result = ratio_of_speedups(first, second, "ratio_of_means")
    share = times[0] / times[0].mean()
    assert result.least_p == pytest.approx(witness.ttest_1samp(share, 0).pvalue)
    assert result.interval() is None
    assert result.p >= result.least_p
