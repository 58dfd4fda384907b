from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.contexts.hierarchy import hierarchy

GOLDEN = [[10, 10.4, 9.8, 10.2], [11, 11.3, 10.9, 11.2], [9.5, 9.7, 9.6, 9.2]]
"""Three executions of four iterations; worked by hand from the formulas of Kalibera and Jones 2013."""


def test_two_levels_give_the_numbers_worked_by_hand():
    found = hierarchy(GOLDEN)
    assert found.mean == pytest.approx(10.233333, abs=5e-7)
    assert found.s2 == pytest.approx([0.048889, 0.653333], abs=5e-7)
    assert found.t2 == pytest.approx([0.048889, 0.641111], abs=5e-7)
    assert found.repetitions == (4, 3)
    interval = found.interval()
    assert (interval.high - interval.low) / 2 == pytest.approx(2.007905, abs=5e-7)


def test_repetition_is_worth_it_where_the_level_above_costs_more():
    found = hierarchy(GOLDEN)
    assert np.sqrt(10 * found.t2[0] / found.t2[1]) == pytest.approx(0.873250, abs=5e-7)
    assert found.best([1, 10]) == (1,)
    assert found.best([1, 100]) == (3,)


def test_a_level_above_that_does_nothing_needs_no_more_of_it():
    found = hierarchy([[1, -1, 1, -1], [1, 1, -1, -1], [-1, 1, -1, 1]])
    assert found.t2[1] < 0
    assert found.best([1, 5]) == (4,)


def test_three_levels_add_up_to_the_variance_of_a_single_value():
    rng = np.random.default_rng(1)
    top = rng.normal(0, 3, (200, 1, 1)) + rng.normal(0, 2, (200, 20, 1)) + rng.normal(0, 1, (200, 20, 30))
    found = hierarchy(top)
    assert np.sqrt(found.t2) == pytest.approx([1, 2, 3], rel=0.2)
    assert found.repetitions == (30, 20, 200)


@pytest.mark.parametrize("values", [[[1.0], [2.0]], [[1.0, 2.0]], 3.0])
def test_every_level_needs_two_repetitions(values):
    with pytest.raises(ValueError, match="two repetitions"):
        hierarchy(values)


@pytest.mark.parametrize("costs", [[1], [1, 0]])
def test_costs_must_be_one_a_level_and_above_zero(costs):
    with pytest.raises(ValueError, match="costs above 0"):
        hierarchy(GOLDEN).best(costs)
