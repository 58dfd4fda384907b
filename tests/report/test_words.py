from __future__ import annotations

from typing import get_args

import pytest

from steelyard.report.words import REASONS, comparative, is_speed
from steelyard.stats.undefined import Reason
from steelyard.units import Metric


def test_every_reason_for_what_does_not_exist_has_words():
    assert set(REASONS) == set(get_args(Reason))


@pytest.mark.parametrize(
    ("unit", "better", "good", "bad"),
    [
        ("s", "lower", "faster", "slower"),
        ("1/s", "higher", "faster", "slower"),
        ("B/s", "higher", "faster", "slower"),
        ("B", "lower", "less", "more"),
        ("", "lower", "less", "more"),
        ("", "neither", "less", "more"),
        ("s", "higher", "more", "less"),
        ("flop", "higher", "more", "less"),
    ],
)
def test_only_times_and_rates_are_fast(unit, better, good, bad):
    metric = Metric("m", unit, better=better)
    assert (comparative(metric, better=True), comparative(metric, better=False)) == (good, bad)
    assert is_speed(metric) == (good == "faster")
