from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import f as witness

from steelyard.extensions.protocol_2014.f_test import variance_ratio


def of_samples(first, second):
    return variance_ratio(first.var(ddof=1), first.size, second.var(ddof=1), second.size)


def test_the_golden_pairs(quantiles, run_2, run_5):
    assert of_samples(quantiles["N1"], quantiles["N2"]).p == pytest.approx(1, abs=1e-6)
    assert of_samples(quantiles["N1"], quantiles["N3"]).p == pytest.approx(6.64844e-8, rel=1e-4)
    table_1 = of_samples(np.array(run_2), np.array(run_5))
    assert (table_1.f, table_1.p) == pytest.approx((3.726193, 0.103939), rel=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_p_is_twice_the_smaller_tail_of_scipys_f(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=7 + seed), rng.normal(scale=1 + seed, size=12)
    ratio = a.var(ddof=1) / b.var(ddof=1)
    result = witness(a.size - 1, b.size - 1)
    answer = of_samples(a, b)
    assert answer.f == pytest.approx(ratio, rel=1e-12)
    assert answer.p == pytest.approx(min(1, 2 * min(result.cdf(ratio), result.sf(ratio))), rel=1e-10)
    assert of_samples(b, a).p == pytest.approx(answer.p, rel=1e-10)


def test_without_spread_there_is_no_ratio():
    first, second = np.array([1.0, 1.0]), np.array([1.0, 2.0])
    assert of_samples(first, second) is of_samples(second, first) is None
