from __future__ import annotations

import pytest

from steelyard.core.errors import SpecError
from steelyard.run.measure.measurement import Value
from steelyard.spec.experiment import UserMetric


def test_without_metrics_there_are_no_values(extracting):
    assert extracting().values(b"anything", counters={"cycles": 1.0}) == ()


def test_values_come_in_the_order_of_the_spec_whatever_their_source(extracting):
    metrics = (
        UserMetric("twice", derive="2 * json"),
        UserMetric("pattern", source="stderr", pattern="p=([0-9]+)"),
        UserMetric("line", source="lines"),
        UserMetric("json", source="stdout", json="/j"),
    )
    values = extracting(*metrics).values(
        b'{"j": 4}', stderr=b"p=3", metrics=b'{"steelyard":1,"metric":"line","values":[2]}'
    )
    assert values == (Value("twice", 8.0), Value("pattern", 3.0), Value("line", 2.0), Value("json", 4.0))


def test_a_metric_that_says_not_where_it_is_found_is_refused(extracting):
    with pytest.raises(
        SpecError, match=r"metrics\.m: neither pattern nor json says how to find it in stdout"
    ) as caught:
        extracting(UserMetric("m", source="stdout"))
    assert "pattern" in caught.value.hint


def test_one_missing_metric_gives_no_values_at_all(extracting):
    metrics = (
        UserMetric("there", source="stdout", pattern="a=([0-9]+)"),
        UserMetric("missing", source="stdout", pattern="b=([0-9]+)"),
    )
    assert extracting(*metrics).reason(b"a=1").startswith("metric missing: ")


@pytest.mark.parametrize("number", [b"1e151", b"-1e307"])
def test_a_value_of_which_squares_leave_the_range_of_double_is_refused(extracting, number):
    extraction = extracting(UserMetric("v", source="stdout", pattern="v=(.*)"))
    reason = "metric v: 1e+151 is too large: values go up to 1e+150"
    assert extraction.reason(b"v=" + number).startswith(reason.replace("1e+151", f"{abs(float(number)):g}"))
    assert extraction.values(b"v=1e150") == (Value("v", 1e150),)


def test_a_metric_of_some_treatments_is_not_asked_of_others(extracting):
    probed = UserMetric("misses", pattern="misses=([0-9]+)", source="stdout", where={"probe": "on"})
    derived = UserMetric("per", derive="misses / 2")
    rate = UserMetric("rate", pattern="rate=([0-9]+)", source="stdout")
    extraction = extracting(probed, derived, rate)
    assert extraction.values(b"rate=3\n", levels={"probe": "off"}) == (Value("rate", 3.0),)
    with_probe = extraction.values(b"misses=8\nrate=3\n", levels={"probe": "on"})
    assert [value.metric for value in with_probe] == ["misses", "per", "rate"]
    assert extraction.reason(b"rate=3\n", levels={"probe": "on"}).startswith("metric misses: ")
