"""The scan for steps; t statistics computed one by one are the witness."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.extensions.history.noise import LEAST_SIDE
from steelyard.extensions.history.scan import Scan, Sums, largest, make_intervals


def enumerated(series, weights, start, end):
    """The step over its standard error at every split of an interval, from weighted means."""
    result = {}
    for split in range(start + LEAST_SIDE, end - LEAST_SIDE + 1):
        before, right = slice(start, split), slice(split, end)
        size = np.average(series[right], weights=weights[right]) - np.average(
            series[before], weights=weights[before]
        )
        result[split] = size / math.sqrt(1 / weights[before].sum() + 1 / weights[right].sum())
    return result


@pytest.mark.parametrize("n", [6, 13, 50])
def test_every_interval_has_the_largest_of_its_steps(n):
    rng = np.random.default_rng(n)
    series, weights = rng.normal(size=n), rng.uniform(0.5, 2, size=n)
    scan = Scan.make(Sums.make(series, weights))
    for start, end, split, size in zip(scan.starts, scan.ends, scan.splits, scan.sizes, strict=True):
        steps = enumerated(series, weights, start, end)
        assert size == pytest.approx(max(map(abs, steps.values())))
        assert abs(steps[split]) == pytest.approx(size)


def test_the_largest_of_many_series_is_that_of_each():
    rows = np.random.default_rng(5).normal(size=(7, 23))
    alone = [float(Scan.make(Sums.make(row, np.ones(23))).sizes.max()) for row in rows]
    assert largest(rows).tolist() == pytest.approx(alone)


@pytest.mark.parametrize("n", [6, 7, 50, 1000])
def test_the_family_has_the_whole_series_covers_each_end_and_grows_slowly(n):
    family = make_intervals(n)
    assert family[-1].length == n
    assert family[-1].starts.tolist() == [0]
    for element in family:
        assert element.starts[0] == 0
        assert element.starts[-1] + element.length == n
    assert sum(item.starts.size * item.length for item in family) <= 4 * n * len(family)


def test_a_step_up_and_one_down_are_told_apart_though_the_whole_shows_neither_well():
    series = np.zeros(64)
    series[30:34] = 1.0
    scan = Scan.make(Sums.make(series, np.ones(64)))
    assert scan.narrowest_over(0.9) == [30, 34]
    assert scan.narrowest_over(100.0) == []
