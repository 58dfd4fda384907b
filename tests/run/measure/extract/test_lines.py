from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steelyard.run.measure.extract import MissingValueError
from steelyard.run.measure.measurement import Value
from steelyard.spec.experiment import UserMetric

LATENCY = UserMetric("latency_s", unit="s", source="lines")


def line(metric="latency_s", values=(1.5,), unit="s", labels=None, **options) -> bytes:
    head = {"steelyard": 1, "metric": metric, "unit": unit, "values": list(values)}
    if labels is not None:
        head["labels"] = labels
    return json.dumps({**head, **options}, separators=(",", ":")).encode() + b"\n"


def test_the_line_of_the_design_is_read(extracting):
    text = (
        b'{"steelyard":1,"metric":"latency_s","unit":"s",'
        b'"labels":{"op":"bcast","p":64,"bytes":800},"values":[1.2e-5,1.3e-5]}\n'
    )
    labels = {"bytes": 800, "op": "bcast", "p": 64}
    expected = (Value("latency_s", 1.2e-5, 0, labels), Value("latency_s", 1.3e-5, 1, labels))
    assert extracting(LATENCY).values(metrics=text) == expected
    assert extracting(LATENCY).values(text) == expected


def test_the_metrics_file_comes_before_stdout(extracting):
    assert extracting(LATENCY).numbers(line(values=[1]), metrics=line(values=[2])) == [2.0]


def test_on_stdout_other_lines_are_passed_over(extracting):
    text = (
        b"starting\n" + line(values=[1]) + b' {"steelyard"\n{"other": 1}\n\xff\n' + line(values=[2]).rstrip()
    )
    assert extracting(LATENCY).numbers(text) == [1.0, 2.0]


def test_in_the_metrics_file_every_line_counts_but_empty_ones(extracting):
    assert extracting(LATENCY).numbers(metrics=b"\n  \r\n" + line(values=[3])) == [3.0]
    reason = extracting(LATENCY).reason(metrics=line() + b"done\n")
    assert reason.startswith("metric latency_s: line 2 of the metrics file cannot be read: ")
    assert reason.endswith("'done'")


def test_lines_of_equal_labels_continue_each_other_whatever_the_order_of_the_labels(extracting):
    text = (
        line(values=[1, 2], labels={"a": 1, "b": "x"})
        + line(values=[9])
        + line(values=[3], labels={"b": "x", "a": 1.0})
    )
    values = extracting(LATENCY).values(metrics=text)
    assert [(value.i, value.value, dict(value.labels)) for value in values] == [
        (0, 1.0, {"a": 1, "b": "x"}),
        (1, 2.0, {"a": 1, "b": "x"}),
        (2, 3.0, {"a": 1, "b": "x"}),
        (0, 9.0, {}),
    ]
    first = line(labels={"a": 1.0, "b": 0.5, "c": 1e300})
    labels = extracting(LATENCY).values(metrics=first)[0].labels
    assert [type(label) for label in labels.values()] == [int, float, float]


def test_true_and_1_are_different_labels(extracting):
    values = extracting(LATENCY).values(metrics=line(labels={"a": True}) + line(labels={"a": 1}))
    assert [(value.i, value.labels["a"]) for value in values] == [(0, True), (0, 1)]
    assert isinstance(values[0].labels["a"], bool)


def test_lines_of_other_metrics_are_passed_over(extracting):
    text = line("other", unit="B") + line(values=[4])
    assert extracting(LATENCY).numbers(metrics=text) == [4.0]


def test_members_that_version_1_does_not_know_are_passed_over(extracting):
    assert extracting(LATENCY).numbers(metrics=line(values=[4], note={"deep": [1]})) == [4.0]


@pytest.mark.parametrize("version", [0, 2, -1, 10**9])
def test_an_unknown_version_fails_and_is_said(extracting, version):
    text = json.dumps({"steelyard": version, "metric": {"new": "shape"}}).encode()
    assert f"line 1 of the metrics file is of version {version}, and only 1 is known" in extracting(
        LATENCY
    ).reason(metrics=text)
    complete = line().replace(b'"steelyard":1', f'"steelyard":{version}'.encode())
    assert f"line 1 of stdout is of version {version}" in extracting(LATENCY).reason(complete)


@pytest.mark.parametrize(
    "text",
    [
        b'{"steelyard":1}',
        b'{"steelyard":1,"metric":"latency_s"}',
        b'{"steelyard":true,"metric":"latency_s","unit":"s","values":[1]}',
        b'{"steelyard":1,"metric":"latency_s","unit":"s","values":1}',
        b'{"steelyard":1,"metric":"latency_s","unit":"s","values":[null]}',
        b'{"steelyard":1,"metric":"latency_s","unit":"s","values":["1"]}',
        b'{"steelyard":1,"metric":"latency_s","unit":"s","values":[true]}',
        b'{"steelyard":1,"metric":"latency_s","unit":"s","values":[NaN]}',
        b'{"steelyard":1,"metric":"latency_s","unit":"s","values":[Infinity]}',
        b'{"steelyard":1,"metric":"latency_s","unit":"s","values":[1e999]}',
        b'{"steelyard":1,"metric":"latency_s","unit":"s","values":[1],"labels":{"a":[1]}}',
        b'{"steelyard":1,"metric":"latency_s","unit":"s","values":[1],"labels":{"a":null}}',
        b'{"steelyard":1,"metric":"latency_s","unit":"s","values":[1],"labels":{"a":{"b":1}}}',
        b'{"steelyard":1,"metric":"latency_s","unit":"s","values":[1],"labels":[]}',
        b'{"steelyard":1,"metric":"latency_s","unit":"s","values":[1]',
        b'{"steelyard":1,"metric":"latency_s","unit":"s","labels":' + b'{"a":' * 100_000,
    ],
    ids=range(16),
)
def test_a_line_that_is_not_of_the_protocol_fails(extracting, text):
    reason = extracting(LATENCY).reason(text)
    assert reason.startswith("metric latency_s: line 1 of stdout cannot be read: ")
    assert len(reason) < 400


def test_a_broken_line_that_says_its_version_is_judged_by_it(extracting):
    assert "is of version 3" in extracting(LATENCY).reason(
        b'{"steelyard":3,"metric":"latency_s","values":{}}'
    )


def test_another_unit_than_the_declared_one_fails(extracting):
    reason = extracting(LATENCY).reason(metrics=line(unit="ms"))
    assert reason == "metric latency_s: line 1 of the metrics file has the unit 'ms', and the spec says 's'"
    without = b'{"steelyard":1,"metric":"latency_s","values":[1]}'
    assert "has no unit, and the spec says 's'" in extracting(LATENCY).reason(metrics=without)


def test_without_a_declared_unit_any_is_taken(extracting):
    metric = UserMetric("latency_s", source="lines")
    assert extracting(metric).numbers(metrics=line(unit="fortnight", values=[1])) == [1.0]


@pytest.mark.parametrize("name", ["", "a\n", "\x1b[2J"])
def test_a_label_whose_name_cannot_be_printed_fails(extracting, name):
    assert "has a label named" in extracting(LATENCY).reason(metrics=line(labels={name: 1}))


def test_a_metric_of_which_no_line_speaks_fails_and_is_named(extracting):
    both = extracting(LATENCY, UserMetric("energy", source="lines"))
    reason = both.reason(metrics=line())
    assert reason.startswith(
        'metric energy: no line gives a value in the metrics file, which begins \'{"steelyard":1'
    )
    assert extracting(LATENCY).reason() == "metric latency_s: no line gives a value in stdout, which is empty"


def test_a_line_without_values_gives_none(extracting):
    assert "no line gives a value" in extracting(LATENCY).reason(metrics=line(values=[]))


def test_a_metrics_file_that_was_cut_fails(extracting):
    reason = extracting(LATENCY).reason(metrics=line(), written={"metrics": 1 << 30})
    assert "of the 1,073,741,824 bytes of the metrics file were kept" in reason


LABELS = st.dictionaries(
    st.text(st.characters(codec="utf-8"), max_size=3),
    st.text(st.characters(codec="utf-8"), max_size=5)
    | st.integers()
    | st.booleans()
    | st.floats(allow_nan=False),
    max_size=3,
)


@given(
    st.lists(
        st.binary(max_size=100) | st.builds(line, labels=LABELS, values=st.lists(st.floats() | st.integers()))
    )
)
@example([b'{"steelyard"', b'{"steelyard":1e999}', b'{"steelyard":' + b"1" * 5000 + b"}"])
def test_any_bytes_give_finite_values_or_a_reason(extracting, pieces):
    for options in ({"stdout": b"".join(pieces)}, {"metrics": b"".join(pieces)}):
        try:
            values = extracting(LATENCY).values(**options)
        except MissingValueError as error:
            assert str(error).startswith("metric latency_s: ")  # noqa: PT017 - either outcome is right
        else:
            assert values
            assert all(abs(value.value) < float("inf") for value in values)


@given(
    st.lists(
        st.tuples(
            st.dictionaries(
                st.sampled_from("abc"), st.integers(-9, 9) | st.sampled_from(["x", "y"]), max_size=2
            ),
            st.lists(st.floats(-1e150, 1e150), min_size=1, max_size=4),
        ),
        min_size=1,
    )
)
def test_iterations_count_on_within_equal_labels(extracting, reported):
    text = b"".join(line(labels=labels, values=values) for labels, values in reported)
    expected: dict[tuple, list[float]] = {}
    for labels, values in reported:
        expected.setdefault(tuple(sorted(labels.items())), []).extend(values)
    result: dict[tuple, list[float]] = {}
    for value in extracting(LATENCY).values(metrics=text):
        series = result.setdefault(tuple(sorted(value.labels.items())), [])
        assert value.i == len(series)
        series.append(value.value)
    assert result == expected
