from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.describe.clock_step import coarse_step


def test_times_rounded_to_ticks_as_wide_as_their_spread_show_the_step():
    values = np.round(np.random.default_rng(11).normal(1.0, 0.01, 30), 2)
    assert coarse_step(values) == pytest.approx(0.01)


def test_steps_well_below_the_spread_do_no_harm_and_are_not_shown():
    values = np.round(np.random.default_rng(12).normal(1.0, 0.05, 200), 3)
    assert np.unique(values).size < values.size
    assert coarse_step(values) is None


def test_values_that_never_repeat_show_no_step_however_few():
    assert coarse_step(np.array([1.0, 2.0, 4.0])) is None


def test_values_that_are_all_equal_show_a_step_of_unknown_width():
    assert coarse_step(np.full(5, 0.004)) == 0.0


@pytest.mark.parametrize("values", [[], [1.0]])
def test_less_than_two_values_show_nothing(values):
    assert coarse_step(np.array(values)) is None
