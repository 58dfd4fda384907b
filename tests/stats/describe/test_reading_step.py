"""The step of readings: witnesses are rounding itself, and simulated sensors with known means."""

from __future__ import annotations

from array import array

import numpy as np
import pytest

from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import Metric
from steelyard.stats.describe.reading_step import find_reading_step, is_reading


def sample(values, unit="s", name="t", provenance="measured"):
    count = array("q", range(1, len(values) + 1))
    return Sample(
        Metric(name, unit),
        Treatment(1, "a", {}),
        array("d", values),
        count,
        array("q", [1] * len(values)),
        array("q", [0] * len(values)),
        count,
        provenance=provenance,
    )


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([79.8] * 12, 0.1),
        ([78.8] * 7 + [78.9], 0.1),
        ([0.0798] * 3, 1e-4),
        ([1500.0] * 3, 100.0),
        ([12e-3] * 7 + [13e-3], 1e-3),
        ([15.625e-3 * n for n in (64, 65, 66, 67, 65, 66)], None),
        ([3.0, 3.0], 1.0),
        ([3.0], None),
        ([1.234567890123] * 9, 1e-12),
        ([1.234567890123] * 8 + [1.234567890124], None),
    ],
)
def test_the_step_is_the_last_digit_where_values_hardly_vary(values, step):
    result = find_reading_step([sample(values)])
    assert result == (None if step is None else pytest.approx(step, rel=1e-9))


def test_a_common_divisor_of_the_values_is_a_step():
    ticks = [1 / 64 * n for n in (10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 11)]
    values = [1 / 64 * n for n in (20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 21)]
    assert find_reading_step([sample(ticks), sample(values)]) == pytest.approx(1 / 64)


def test_values_that_vary_beyond_half_a_step_hide_it():
    rng = np.random.default_rng(697)
    rounded = np.round(rng.normal(50, 0.2, 40), 1)
    assert find_reading_step([sample(rounded)]) is None
    assert find_reading_step([sample(rounded), sample([50.1] * 40)]) == pytest.approx(0.1)


@pytest.mark.parametrize(("unit", "name"), [("", "hits"), ("B", "size"), ("cycles", "c"), ("s", "wall_s")])
def test_counts_have_no_step_and_clocks_of_the_runner_have_one_of_their_own(unit, name):
    assert find_reading_step([sample([100.0] * 9, unit, name)]) is None


def test_a_simulated_machine_has_no_clock():
    assert find_reading_step([sample([0.5] * 9, provenance="simulated")]) is None


@pytest.mark.parametrize(
    ("unit", "reads"), [("s", True), ("W", True), ("%", True), ("", False), ("B", False)]
)
def test_a_count_is_no_reading(unit, reads):
    assert is_reading(Metric("m", unit)) == reads


@pytest.mark.parametrize("spread", [0.0, 0.2, 0.4, 0.5, 0.7])
def test_the_error_of_a_rounded_mean_is_within_what_is_allowed_for(spread):
    """Means of 10,000 rounded values about 200 places of the true mean.

    Two u of step / sqrt 12 hold the error below half a step; from there on, a hundredth of a step does.
    """
    rng = np.random.default_rng(12)
    true = rng.uniform(0, 1, 200)[:, None]
    errors = np.abs(np.round(true + spread * rng.normal(size=(200, 10_000))).mean(axis=1) - true[:, 0])
    allowed = 2 / np.sqrt(12) if spread < 0.5 else 0.01 + 4 * np.hypot(spread, 0.29) / 100
    assert errors.max() <= allowed
