from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.effects.lenth import pseudo_error


def test_large_effects_are_left_out_of_the_error():
    # By hand: median 2, s_0 = 3, so 20 and 9 stay out (>= 7.5); the median of the others is 1.5.
    result = pseudo_error(np.array([1.0, -2, 1.5, 20, -0.5, 2.5, 9]))
    assert (result.se, result.nu) == (pytest.approx(1.5 * 1.5), pytest.approx(7 / 3))


def test_the_error_is_near_the_spread_of_effects_that_are_nothing():
    # Lenth 1989: the pseudo standard error is consistent for normal effects.
    values = np.random.default_rng(9).normal(0, 0.2, 20_001)
    assert pseudo_error(values).se == pytest.approx(0.2, rel=0.03)


@pytest.mark.parametrize("effects", [[1.0, 2.0], [0.0, 0.0, 0.0, 5.0]])
def test_too_few_effects_or_mostly_none_give_no_error(effects):
    assert pseudo_error(np.array(effects)) is None


def test_three_effects_are_enough():
    # By hand: median 2, all below 7.5.
    result = pseudo_error(np.array([1.0, -2, 3]))
    assert (result.se, result.nu) == (3.0, 1.0)
