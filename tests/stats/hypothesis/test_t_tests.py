from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_ind

from steelyard.stats.hypothesis.t_tests import Moments, student, welch

KINDS = [(student, True), (welch, False)]


def test_the_golden_pairs(quantiles, run_2, run_5):
    n1, n2, n3 = (Moments.make(quantiles[name]) for name in ("N1", "N2", "N3"))
    assert student(n1, n2).test().p == pytest.approx(0.0566778, rel=1e-5)
    assert welch(n1, n3).test().p == pytest.approx(0.00135584, rel=1e-5)
    table_1 = welch(Moments.make(np.array(run_2)), Moments.make(np.array(run_5)))
    assert (table_1.test().statistic, table_1.nu, table_1.test().p) == pytest.approx(
        (0.127716, 10.504764, 0.900786), rel=1e-5
    )


@pytest.mark.parametrize(("test", "equal"), KINDS)
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_they_are_scipys(test, equal, alternative, scale):
    rng = np.random.default_rng(4)
    a, b = scale * rng.gamma(4, size=9), scale * rng.gamma(5, 2, size=14)
    witness = ttest_ind(a, b, equal_var=equal, alternative=alternative)
    result = test(Moments.make(a), Moments.make(b))
    outcome = result.test(alternative)
    assert (outcome.statistic, outcome.p, result.nu) == pytest.approx(
        (witness.statistic, witness.pvalue, witness.df), rel=1e-10
    )


@pytest.mark.parametrize(("test", "equal"), KINDS)
def test_swapping_the_samples_turns_t_over_and_keeps_p(test, equal):
    a, b = Moments(5, 1.0, 0.2), Moments(9, 1.4, 0.5)
    first, second = test(a, b).test(), test(b, a).test()
    assert (first.statistic, first.p) == (-second.statistic, second.p)
    assert test(a, b).test("less").p == test(b, a).test("greater").p


@pytest.mark.parametrize(("test", "equal"), KINDS)
def test_without_any_spread_there_is_no_t_and_no_nan(test, equal):
    assert test(Moments(5, 1.0, 0.0), Moments(5, 2.0, 0.0)) is None
