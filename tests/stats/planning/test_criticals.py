from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.stats.describe.autocorrelation import autocorrelation
from steelyard.stats.describe.dependence import allowance, threshold
from steelyard.stats.hypothesis.sign_flip_critical import sign_flip_critical
from steelyard.stats.planning.criticals import (
    compute_pair_criticals,
    compute_run_criticals,
    compute_sign_criticals,
    repeat_critical,
)
from steelyard.stats.planning.power import power_of, t_power


def test_without_time_there_is_one():
    assert compute_pair_criticals(10, 0.05) == repeat_critical(pytest.approx(witness.t.isf(0.025, 9)))
    assert compute_pair_criticals(10, 0.05, flipped=True) == repeat_critical(sign_flip_critical(10, 0.05))
    assert compute_run_criticals(10, 0.05) == repeat_critical(pytest.approx(witness.t.isf(0.025, 18)))


@pytest.mark.parametrize("n", [2, 3, 8, 19, 20, 64, 1000])
def test_shares_add_up_and_none_is_below_the_test_itself(n):
    for sample in (
        compute_pair_criticals(n, 0.01, flipped=True, in_time=True),
        compute_run_criticals(n, 0.01, in_time=True),
    ):
        assert sum(sample.shares) == pytest.approx(1)
        assert min(sample.values) == sample.values[0]
    usual, rest = compute_sign_criticals(max(n, 3), 0.01)
    assert usual + sum(rest.shares) == pytest.approx(1)


def simulated(series, effect, n, alpha, count=2000):
    """Share of normal differences that t calls different, with the allowance of the product."""
    rng = np.random.default_rng([n, series])
    output = 0
    for _ in range(count):
        d = rng.normal(effect, 1, n)
        result = [autocorrelation(item) for item in (d, rng.normal(size=n))[:series]]
        worst = max(result, key=lambda value: value.r1)
        se, nu = d.std(ddof=1) / math.sqrt(n), n - 1
        critical = witness.t.isf(alpha / 2, nu)
        if worst.r1 > threshold(n):
            remainder = allowance(worst)
            critical = max(critical, witness.t.isf(alpha / 2, remainder.nu) * remainder.factor)
        output += abs(d.mean()) > critical * se
    return output / (count)


@pytest.mark.parametrize(("n", "effect"), [(10, 1.0), (19, 0.67), (20, 0.75), (60, 0.38)])
def test_power_is_that_of_simulated_records_some_of_which_seem_alike(n, effect, perfect_passes):
    """N = 2,000 a cell, 5 %: within 45 of what is said."""
    criticals = compute_pair_criticals(n, 0.05, in_time=True)
    power = power_of(effect * math.sqrt(n), n - 1, criticals)
    assert power < t_power(effect * math.sqrt(n), n - 1, criticals.values[0]) - 0.01
    assert perfect_passes(2000, power, round(2000 * power) - 45, round(2000 * power) + 45) > 0.98
    assert simulated(1, effect, n, 0.05) == pytest.approx(power, abs=0.0225)
