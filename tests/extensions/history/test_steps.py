"""The search for steps in series with many of them; a fit of all levels is the witness."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.extensions.history.noise import LEAST_SIDE
from steelyard.extensions.history.steps import FEWEST, examine, levels, search

ALPHA = 0.01


@st.composite
def series_with_steps(draw):
    """Records with any number of steps anywhere, with noise or without."""
    n = draw(st.sampled_from([FEWEST, 7, 9, 16, 33, 50]))
    sizes = draw(st.lists(st.sampled_from([-3.0, -1.0, -0.2, 0.1, 0.5, 2.0]), max_size=n))
    splits = draw(st.lists(st.integers(0, n - 1), min_size=len(sizes), max_size=len(sizes)))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    series = draw(st.sampled_from([0.0, 1e-9, 0.02, 0.3])) * rng.normal(size=n)
    for split, size in zip(splits, sizes, strict=True):
        series[split:] += size
    u = draw(st.sampled_from([0.0, 0.01])) * rng.uniform(0.5, 2, size=n)
    return series, u


@settings(max_examples=150, deadline=None)
@given(series_with_steps())
def test_steps_keep_apart_and_each_is_as_sure_as_asked_beside_its_final_neighbours(drawn):
    series, u = drawn
    steps = search(examine(series, u), ALPHA)
    examined = steps.examined
    bounds = [0, *(step.split for step in steps.located), series.size]
    assert all(end - start >= LEAST_SIDE for start, end in pairwise(bounds))
    heights = levels(steps)
    assert np.isfinite(heights).all()
    for step, start, end in zip(steps.located, bounds[:-2], bounds[2:], strict=True):
        before, behind = slice(start, step.split), slice(step.split, end)
        size = np.average(examined.series[behind], weights=examined.weights[behind])
        size -= np.average(examined.series[before], weights=examined.weights[before])
        assert step.size == pytest.approx(size, abs=1e-9)
        assert step.split in step.splits
        assert steps.p(step) <= ALPHA


def test_two_changes_that_meet_at_one_split_are_one():
    """A short level between two others, whose borders are drawn to each other."""
    rng = np.random.default_rng(3)
    for _ in range(60):
        n = int(rng.integers(FEWEST, 40))
        series = 0.02 * rng.normal(size=n)
        for _ in range(int(rng.integers(2, 8))):
            series[int(rng.integers(0, n)) :] += rng.choice([0.02, 0.2, 1.0]) * rng.normal()
        splits = [step.split for step in search(examine(series, np.zeros(n)), 0.2).located]
        assert splits == sorted(set(splits))
