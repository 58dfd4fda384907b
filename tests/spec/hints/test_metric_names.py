"""Metrics by the names that people and other tools have for them."""

from __future__ import annotations

import pytest

from steelyard.core.units import BUILTIN
from steelyard.spec.hints.metric_names import suggest_metric

KNOWN = [*BUILTIN, "rate", "rate_peak"]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("rss", "rss_bytes"),
        ("RSS", "rss_bytes"),
        ("rss_mb", "rss_bytes"),
        ("memory", "rss_bytes"),
        ("max-rss", "rss_bytes"),
        ("time", "wall_s"),
        ("wall", "wall_s"),
        ("wall_ms", "wall_s"),
        ("elapsed", "wall_s"),
        ("cpu", "cpu_s"),
        ("cpu_time", "cpu_s"),
        ("user", "user_s"),
        ("sys", "system_s"),
        ("system", "system_s"),
        ("faults", "minor_faults"),
        ("queue", "queue_wait_s"),
        ("rates", "rate"),
    ],
)
def test_a_near_name_of_a_metric_is_answered_with_the_metric(word, meant):
    assert suggest_metric(word, KNOWN) == f"did you mean {meant}?"


def test_a_metric_is_meant_only_where_it_is_known():
    assert suggest_metric("rss", ["time_s", "energy"]) == "name one of the metrics: time_s, energy"


def test_of_two_metrics_that_begin_alike_none_is_guessed():
    names = ["io_of_reads_bytes", "io_of_writes_bytes"]
    assert suggest_metric("io", names) == f"name one of the metrics: {', '.join(names)}"


def test_a_counter_that_is_not_measured_is_answered_with_how_to_ask_for_it():
    hint = 'counters = ["cache_misses"] in [program]'
    assert suggest_metric("cache-misses", KNOWN).endswith(hint)
    assert suggest_metric("instructions:u", KNOWN).endswith('counters = ["instructions:u"] in [program]')
