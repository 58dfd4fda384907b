from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.core.look_schedule import looks_from
from steelyard.stats.planning.over_looks import Single, accumulate_power, blocks_decided
from steelyard.stats.planning.power import t_power
from steelyard.stats.sequential.looks import Looks


def test_looks_are_those_of_designs():
    assert [*itertools.islice(looks_from(10), 6)] == [10, 12, 15, 19, 24, 30]
    assert [*itertools.islice(looks_from(10, 4), 5)] == [12, 16, 20, 24, 32]
    assert [*itertools.islice(looks_from(1), 3)] == [1, 2, 3]


@pytest.mark.parametrize(("first", "effect"), [(4, 1.0), (4, 1.5), (10, 0.6), (10, 1.0)])
def test_by_a_look_as_many_are_decided_as_simulated_t_decides(first, effect):
    """N = 20,000: within 3 points."""
    at = [*itertools.takewhile(lambda look: look < 60, looks_from(first))]
    critical = [witness.t.isf(Looks(tuple(at[: k + 1])).level(0.05) / 2, n - 1) for k, n in enumerate(at)]
    singles = [Single(n, t_power(effect * math.sqrt(n), n - 1, c)) for n, c in zip(at, critical, strict=True)]
    d = np.random.default_rng(first).normal(effect, 1, (20_000, at[-1]))
    result = np.zeros(20_000, dtype=bool)
    for (single, reached), c in zip(accumulate_power(singles), critical, strict=True):
        x = d[:, : single.blocks]
        t = x.mean(axis=1) / x.std(axis=1, ddof=1) * math.sqrt(single.blocks)
        result |= np.abs(t) > c
        assert reached == pytest.approx(result.mean(), abs=0.03)
        assert reached >= single.power - 1e-6


def test_it_is_the_first_look_that_is_enough():
    levels = []

    def power_at(blocks, level):
        levels.append((blocks, level))
        return 0.9 if blocks >= 15 else 0.1

    assert blocks_decided(power_at, 0.05, looks_from(10), 0.8) == 15
    assert levels == [(10, Looks((10,)).level(0.05)), (12, Looks((10, 12)).level(0.05)),
                      (15, Looks((10, 12, 15)).level(0.05))]  # fmt: skip
    assert blocks_decided(power_at, 0.05, (1, 2, 10, 12), 0.8) is None
