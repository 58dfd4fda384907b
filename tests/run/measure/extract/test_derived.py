from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.core.errors import SpecError
from steelyard.run.measure.measurement import Value
from steelyard.spec.experiment import UserMetric

EDGES = UserMetric("edges", source="stdout", pattern=r"edges=([0-9.]+)")
TIME = UserMetric("time", unit="s", source="lines")
WORK = UserMetric("work", source="lines")


def derived(text: str, name: str = "d") -> UserMetric:
    return UserMetric(name, derive=text)


def lines(*reported: tuple[str, dict, list[float]]) -> bytes:
    units = {"time": "s", "work": ""}
    return b"".join(
        json.dumps({"steelyard": 1, "metric": m, "unit": units[m], "labels": labels, "values": v}).encode()
        + b"\n"
        for m, labels, v in reported
    )


def of(values, metric: str) -> list[Value]:
    return [value for value in values if value.metric == metric]


def test_a_metric_is_derived_from_what_is_printed_and_a_built_in_metric(extracting):
    values = extracting(EDGES, derived("edges / wall_s")).values(b"edges=10")
    assert values == (Value("edges", 10.0), Value("d", 5.0))


def test_built_in_metrics_are_known_in_their_units(extracting):
    names = "wall_s cpu_s user_s system_s rss_bytes minor_faults major_faults"
    names += " voluntary_switches involuntary_switches"
    metrics = [derived(name, f"d{i}") for i, name in enumerate(names.split())]
    assert extracting(*metrics).numbers() == [2.0, 0.4, 0.3, 0.1, 4096.0, 7.0, 0.0, 1.0, 0.0]


def test_the_queue_wait_is_known_where_it_was_observed(extracting):
    extraction = extracting(derived("wall_s - queue_wait_s"))
    assert extraction.numbers(queue_wait_ns=500_000_000) == [1.5]
    assert (
        extraction.reason()
        == "metric d: queue_wait_s in 'wall_s - queue_wait_s' has no numeric value in this trial"
    )


def test_counters_are_known_and_not_given_again(extracting):
    extraction = extracting(derived("instructions / wall_s"))
    assert extraction.values(counters={"instructions": 8.0}) == (Value("d", 4.0),)
    assert "instructions" in extraction.reason(counters={"instructions": None})


def test_factors_are_known_where_their_level_is_a_number(extracting):
    extraction = extracting(derived("n * wall_s"))
    assert extraction.numbers(levels={"n": 3}) == [6.0]
    assert extraction.numbers(levels={"n": 0.5}) == [1.0]
    for level in ("3", True, 10**400):
        assert "n in 'n * wall_s' has no numeric value" in extraction.reason(levels={"n": level})


def test_a_metric_of_the_spec_hides_a_factor_and_a_built_in_metric_of_its_name(extracting):
    metric = UserMetric("rss_bytes", source="stdout", pattern=r"rss=([0-9]+)")
    assert extracting(metric, derived("rss_bytes")).numbers(b"rss=1", levels={"rss_bytes": 3}) == [1.0, 1.0]


def test_iterations_go_pairwise_and_single_values_with_all_of_them(extracting):
    text = lines(("time", {}, [1, 2, 4]), ("work", {}, [8, 8, 8]))
    values = extracting(TIME, WORK, derived("work / time * wall_s")).values(metrics=text)
    assert [(value.i, value.value) for value in of(values, "d")] == [(0, 16.0), (1, 8.0), (2, 4.0)]


def test_different_numbers_of_iterations_fail_and_are_said(extracting):
    text = lines(("time", {}, [1, 2, 4]), ("work", {}, [8, 8]))
    reason = extracting(TIME, WORK, derived("work / time")).reason(metrics=text)
    assert (
        reason
        == "metric d: the parts of 'work / time' have different numbers of values: time has 3, work has 2"
    )


def test_values_are_joined_where_labels_are_equal(extracting):
    text = lines(
        ("time", {"op": "a", "p": 2}, [2]),
        ("time", {"op": "b", "p": 2}, [4]),
        ("work", {"p": 2, "op": "b"}, [8]),
        ("work", {"op": "a", "p": 2}, [8]),
        ("work", {"op": "c", "p": 2}, [8]),
    )
    values = of(extracting(TIME, WORK, derived("work / time")).values(metrics=text), "d")
    assert {(value.labels["op"], value.value) for value in values} == {("a", 4.0), ("b", 2.0)}


def test_a_value_without_labels_goes_with_all_labels(extracting):
    text = lines(("time", {"op": "a"}, [2]), ("time", {"op": "b"}, [4]), ("work", {}, [8]))
    values = of(extracting(TIME, WORK, derived("work / time")).values(metrics=text), "d")
    assert [(dict(value.labels), value.value) for value in values] == [({"op": "a"}, 4.0), ({"op": "b"}, 2.0)]


def test_no_labels_in_common_fail(extracting):
    text = lines(("time", {"op": "a"}, [2]), ("work", {"op": "b"}, [8]))
    assert "have no labels in common" in extracting(TIME, WORK, derived("work / time")).reason(metrics=text)


def test_derived_metrics_may_stand_in_any_order(extracting):
    values = extracting(derived("b + 1", "c"), derived("a + 1", "b"), derived("wall_s", "a")).values()
    assert values == (Value("c", 4.0), Value("b", 3.0), Value("a", 2.0))


def test_metrics_that_need_each_other_are_refused_before_anything_runs(extracting):
    with pytest.raises(SpecError, match=r"derived metrics need each other: . → . → ."):
        extracting(derived("b", "a"), derived("a", "b"))
    with pytest.raises(SpecError, match="a → a"):
        extracting(derived("a + 1", "a"))


def test_a_constant_is_a_value_of_every_trial(extracting):
    assert extracting(derived("2 ** 3")).values() == (Value("d", 8.0),)


@pytest.mark.parametrize(
    "text", ["wall_s / n", "log(n)", "(0 - 8) ** (wall_s / 4) * n", "10 ** (308 + wall_s)"]
)
def test_a_result_that_is_no_finite_number_fails_and_shows_its_parts(extracting, text):
    reason = extracting(derived(text)).reason(levels={"n": 0})
    assert reason.startswith(f"metric d: {text!r}: ")
    assert "wall_s = 2" in reason or "n = 0" in reason


@given(st.lists(st.floats(allow_nan=False), max_size=5), st.lists(st.floats(allow_nan=False), max_size=5))
def test_what_is_given_is_finite_whatever_is_printed(extracting, left, right):
    text = "".join(f"l={number!r}\n" for number in left) + "".join(f"r={number!r}\n" for number in right)
    metrics = [UserMetric(name, source="stdout", pattern=rf"^{name}=(.*)$") for name in ("l", "r")]
    extraction = extracting(*metrics, derived("l / r + l ** r"))
    try:
        values = extraction.values(text.encode())
    except Exception as error:  # noqa: BLE001 - any other than the one expected fails below
        assert type(error).__name__ == "MissingValueError"  # noqa: PT017
    else:
        assert all(math.isfinite(value.value) for value in values)
