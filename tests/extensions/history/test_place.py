"""Where a step is, and how large; enumeration and simulated coverage are the witnesses."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.extensions.history.place import locate
from steelyard.extensions.history.scan import Sums


def test_the_posterior_is_that_of_every_split_with_both_levels_integrated_out():
    """The witness: the marginal likelihood of normal values with two unknown levels, split by split."""
    rng = np.random.default_rng(7)
    series = rng.normal(size=12)
    series[7:] += 1.5
    logs = []
    for split in range(1, 12):
        parts = series[:split], series[split:]
        rest = sum(((part - part.mean()) ** 2).sum() for part in parts)
        logs.append(-rest / 2 - sum(np.log(len(part)) for part in parts) / 2)
    weights = np.exp(np.array(logs) - max(logs))
    weights /= weights.sum()
    step = locate(Sums.make(series, np.ones(12)), 0, 12, 1.0, 10.0)
    assert step.split == 1 + int(weights.argmax())
    assert step.probability == pytest.approx(sum(weights[split - 1] for split in step.splits))
    assert step.probability >= 0.95
    fewer = sorted((weights[split - 1] for split in step.splits), reverse=True)[:-1]
    assert sum(fewer) < 0.95
    assert step.size == pytest.approx(series[step.split :].mean() - series[: step.split].mean())
    assert step.before == pytest.approx(series[: step.split].mean())


@pytest.mark.parametrize("size", [1.5, 3.0])
def test_set_and_interval_cover_the_truth_as_often_as_they_say(perfect_passes, size):
    count = 1000
    assert perfect_passes(count, 0.95, 930, count) > 0.99
    rng = np.random.default_rng([8, round(10 * size)])
    places = sizes = 0
    for _ in range(count):
        split = int(rng.integers(10, 31))
        series = rng.normal(size=40)
        series[split:] += size
        step = locate(Sums.make(series, np.ones(40)), 0, 40, 1.0, 1e6)
        places += split in step.splits
        sizes += abs(step.size - size) <= step.halfwidth
    assert places >= 930
    assert sizes >= 930
