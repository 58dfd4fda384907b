"""``benchmark.stats``: witness is numpy."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.extensions.pytest.statistics import Metadata, Statistics

DATA = [0.3, 0.1, 0.25, 0.2, 0.7, 0.15]


@pytest.mark.parametrize(
    ("name", "witness"),
    [
        ("min", np.min(DATA)),
        ("max", np.max(DATA)),
        ("mean", np.mean(DATA)),
        ("median", np.median(DATA)),
        ("stddev", np.std(DATA, ddof=1)),
        ("q1", np.quantile(DATA, 0.25)),
        ("q3", np.quantile(DATA, 0.75)),
        ("iqr", np.subtract(*np.quantile(DATA, [0.75, 0.25]))),
        ("ops", 1 / np.mean(DATA)),
        ("total", np.sum(DATA)),
        ("rounds", 6),
    ],
)
def test_a_statistic_has_its_value_by_name_and_by_key(name, witness):
    stats = Metadata(Statistics(DATA), 7)
    assert stats[name] == pytest.approx(witness)
    assert getattr(stats.stats, name) == stats[name]


def test_one_value_has_no_spread():
    stats = Statistics([0.5])
    assert (stats.stddev, stats.iqr, stats.q1, stats.median) == (0, 0, 0.5, 0.5)


def test_calls_of_a_value_are_its_iterations_and_another_name_is_a_key_error():
    stats = Metadata(Statistics(DATA), 7)
    assert stats["iterations"] == 7
    with pytest.raises(KeyError, match="nosuch"):
        stats["nosuch"]
