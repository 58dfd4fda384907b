"""Which way is better, by name and unit."""

from __future__ import annotations

import pytest

from steelyard.core.rates import is_cost, is_rate


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("tps", ""), ("fom", ""), ("GFLOPS", ""), ("node_bandwidth", ""), ("requests/s", ""),
        ("zones_per_s", ""), ("figure of merit", ""), ("value", "MB/s"), ("value", "1/s"), ("hitRate", ""),
        ("ns/day", ""),
        ("Throughput (ops/sec)", ""), ("speedup", ""), ("clock", "Hz"),
    ],
)  # fmt: skip
def test_work_in_a_time_is_better_high(name, unit):
    assert is_rate(name, unit)
    assert not is_cost(name, unit)


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("time", ""), ("latency_s", ""), ("wallTime", ""), ("miss_rate", ""), ("error rate", ""), ("x", "ms"),
        ("rss", "B"), ("visits", ""), ("time_per_step", ""),
    ],
)  # fmt: skip
def test_times_sizes_and_misses_are_better_low(name, unit):
    assert is_cost(name, unit)
    assert not is_rate(name, unit)


@pytest.mark.parametrize("name", ["score", "value", "y", "result", "temperature"])
def test_of_other_names_nothing_is_known(name):
    assert not is_rate(name)
    assert not is_cost(name)
