"""Witnesses: statsmodels, R's binom.test, and the coverage summed over the binomial distribution itself."""

from __future__ import annotations

import math

import pytest
from statsmodels.stats.proportion import proportion_confint

from steelyard.stats.hypothesis.clopper_pearson import clopper_pearson


@pytest.mark.parametrize(
    ("successes", "n"), [(0, 1), (1, 1), (0, 40), (40, 40), (50, 1000), (3, 200), (1, 7)]
)
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_the_interval_is_that_of_statsmodels(successes, n, alpha):
    result = clopper_pearson(successes, n, alpha)
    low, high = proportion_confint(successes, n, alpha, method="beta")
    assert (result.low, result.high) == pytest.approx(
        (0.0 if math.isnan(low) else low, 1.0 if math.isnan(high) else high), abs=1e-12
    )


def test_the_interval_is_that_of_r():
    # R 4.2: binom.test(7, 20)$conf.int
    result = clopper_pearson(7, 20)
    assert (result.low, result.high) == pytest.approx((0.1539092, 0.5921885), abs=1e-7)


@pytest.mark.parametrize("share", [0.01, 0.05, 0.3, 0.5])
def test_the_interval_covers_the_share_at_least_as_often_as_it_says(share):
    n = 60
    covered = sum(
        math.comb(n, k) * share**k * (1 - share) ** (n - k)
        for k in range(n + 1)
        if not clopper_pearson(k, n).excludes(share)
    )
    assert 0.95 <= covered <= 1


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (-1, 5), (6, 5)])
def test_what_is_no_binomial_result_is_refused(successes, n):
    with pytest.raises(ValueError, match=f"{successes} successes of {n} trials"):
        clopper_pearson(successes, n)
