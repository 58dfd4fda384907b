"""The largest step of a stable series; permutations of one series and fresh draws are the witnesses."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.extensions.history.noise import clip, noise
from steelyard.extensions.history.scan import largest
from steelyard.extensions.history.stable import stable
from steelyard.extensions.history.steps import examine


def largest_over_noise(series):
    series = np.asarray(series)
    result = noise(series)
    return largest(clip(series, result.sd)) / result.long_run


def test_the_critical_step_is_where_p_is_alpha():
    null = stable(40, 0.1)
    for alpha in (0.2, 0.05, 0.01, 1e-4, 1e-8):
        assert null.p(null.critical(alpha)) == pytest.approx(alpha, rel=0.02, abs=1 / 5000)


def test_p_falls_with_the_size_of_the_step_and_rises_with_the_length_of_the_series():
    null = stable(40, 0.1)
    sizes = [null.p(size) for size in np.linspace(0, 40, 60)]
    assert sizes == sorted(sizes, reverse=True)
    assert 0 < sizes[-1] < 1e-12
    long = [stable(n, 0.5).p(8.0) for n in (100, 1000, 10000)]
    assert long[1] == pytest.approx(10 * long[0], rel=0.5)
    assert long == sorted(long)


def test_p_agrees_with_permutations_where_records_are_independent(perfect_passes):
    """Permutations know that records are exchangeable; ours allows for correlation, and is larger."""
    rng = np.random.default_rng(11)
    for step in (0.8, 1.2, 1.6):
        series = rng.normal(size=40)
        series[20:] += step
        result = float(largest_over_noise(series))
        permuted = largest_over_noise(np.array([rng.permutation(series) for _ in range(1999)]))
        witness = (1 + int((permuted >= result).sum())) / 2000
        answer = examine(series, np.zeros(40)).p
        assert witness / 2 - 0.01 <= answer <= 5 * witness + 0.05
