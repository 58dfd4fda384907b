"""Settings are of one class exactly where no count of theirs would make a difference."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.extensions.audit.classes import CYCLES, estimate_cycles, group_counts

BASE = {"instructions": 1e6, "d1_misses": 1000.0, "mispredicts": 500.0}


def counts_of(*changes: dict[str, float]) -> dict[str, np.ndarray]:
    return {
        event: np.array([BASE.get(event, 0.0) + change.get(event, 0.0) for change in changes])
        for event in CYCLES
    }


def test_cycles_are_the_weighted_sum_of_the_events():
    (cycles,) = estimate_cycles(counts_of({"lld_misses": 7}))
    assert cycles == 1e6 + 10 * 1000 + 10 * 500 + 100 * 7


def test_the_largest_class_comes_first_and_each_setting_is_in_one():
    slow = {"d1_misses": 50_000.0}
    result = group_counts(counts_of(slow, {}, {}, slow, {}), 0.005)
    assert result == [[1, 2, 4], [0, 3]]


@pytest.mark.parametrize(("more", "classes"), [(0, 1), (4_000, 1), (6_000, 2)])
def test_a_difference_below_the_tolerance_of_the_cycles_makes_no_class(more, classes):
    result = group_counts(counts_of({}, {}, {}, {"instructions": more}), 0.005)
    assert len(result) == classes


def test_events_that_make_up_for_each_other_are_still_two_classes():
    # As many estimated cycles: fewer instructions, more misses.
    result = group_counts(counts_of({}, {}, {"instructions": -50_000.0, "d1_misses": 5_000.0}), 0.005)
    assert result == [[0, 1], [2]]
