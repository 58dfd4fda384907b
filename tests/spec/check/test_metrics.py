from __future__ import annotations

import pytest

from steelyard.spec.experiment import UserMetric

HEAD = """
[program]
command = ["p", "{n}", "{opt}"]
counters = ["cycles"]
[factors]
n = [1, 2]
opt = ["O2", "O3"]
[metrics]
"""


def test_metrics_come_by_pattern_pointer_lines_or_derivation(read):
    text = (
        HEAD
        + """
    rate = { pattern = "rate=([0-9.]+)", unit = "1/s", better = "higher", reduce = "max" }
    time = { source = "stderr", json = "/a/0/b~1c", unit = "s" }
    whole = { json = "" }
    latency = { source = "lines", unit = "s", better = "neither" }
    teps = { derive = "n * rate / wall_s", unit = "1/s", better = "higher" }
    """
    )
    assert read(text).metrics == (
        UserMetric(
            "rate", unit="1/s", better="higher", source="stdout", pattern="rate=([0-9.]+)", reduce="max"
        ),
        UserMetric("time", unit="s", source="stderr", json="/a/0/b~1c"),
        UserMetric("whole", source="stdout", json=""),
        UserMetric("latency", unit="s", better="neither", source="lines"),
        UserMetric("teps", unit="1/s", better="higher", derive="n * rate / wall_s"),
    )


def test_a_metric_may_be_derived_from_one_that_is_derived_below(read):
    text = HEAD + 'a = { derive = "b + cycles" }\nb = { derive = "wall_s" }'
    assert [metric.name for metric in read(text).metrics] == ["a", "b"]


def test_a_factor_is_used_by_a_metric_that_is_derived_from_it(read):
    text = '[factors]\nedges = [10, 20]\n[metrics]\nteps = { derive = "edges / wall_s" }\n'
    assert read('[program]\ncommand = ["p"]\n' + text).factors[0].name == "edges"


def test_a_pattern_that_is_too_long_is_refused(refused):
    message, _ = refused(HEAD + f'm = {{ pattern = "({"a" * 10_000})" }}')
    assert message == "metrics.m.pattern: a pattern of 10002 characters is longer than 10000"


@pytest.mark.parametrize("where", ['pattern = "(a)"', 'source = "stderr", json = "/a"'])
def test_output_that_is_not_captured_has_no_values(refused, where):
    text = f'[program]\ncommand = ["p"]\noutput = "null"\n[metrics]\nm = {{ {where} }}'
    message, hint = refused(text)
    assert 'is not captured under output = "null"' in message
    assert hint == 'write output = "capture" in [program]'


def test_lines_are_read_although_output_is_not_captured(read):
    text = '[program]\ncommand = ["p"]\noutput = "null"\n[metrics]\nm = { source = "lines" }'
    assert read(text).metrics[0].source == "lines"
