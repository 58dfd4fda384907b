from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steelyard.run.measure.extract import MissingValueError
from steelyard.run.measure.measurement import Value
from steelyard.spec.experiment import UserMetric

RATE = UserMetric("rate", unit="1/s", better="higher", source="stdout", pattern=r"rate=(\S+)")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"3", 3.0),
        (b"-3", -3.0),
        (b"+3.25", 3.25),
        (b".5", 0.5),
        (b"5.", 5.0),
        (b"1e3", 1000.0),
        (b"1.5E-07", 1.5e-7),
        (b"0012", 12.0),
        (b"123456789012345678901234567890", 1.2345678901234568e29),
        (b"1e-400", 0.0),
    ],
)
def test_whole_numbers_fractions_and_exponents_are_read(extracting, text, value):
    assert extracting(RATE).values(b"rate=" + text + b"\n") == (Value("rate", value),)


@pytest.mark.parametrize(
    "text",
    [b"1,234.5", b"1_000", b"0x10", b"nan", b"inf", b"-Infinity", b"1.2.3", b"12ms", b"--1", b"\xd9\xa3"],
)
def test_a_group_that_is_no_decimal_number_fails_and_is_said(extracting, text):
    reason = extracting(RATE).reason(b"speed\nrate=" + text + b"\n")
    assert reason.startswith("metric rate: ")
    assert text.decode() in reason
    assert "pattern 'rate=(\\\\S+)'" in reason
    assert "is not a number in stdout, which begins 'speed\\n" in reason


def test_a_number_beyond_a_double_fails_and_says_why(extracting):
    assert "'1e999', found by pattern" in extracting(RATE).reason(b"rate=1e999")
    assert "is too large for a number" in extracting(RATE).reason(b"rate=1e999")


def test_every_match_is_an_iteration_in_order(extracting):
    values = extracting(RATE).values(b"rate=1\nrate=2\r\nrate=1\n")
    assert [(value.i, value.value) for value in values] == [(0, 1.0), (1, 2.0), (2, 1.0)]


def test_the_first_group_is_the_number_and_may_hold_spaces_around_it(extracting):
    metric = UserMetric("time", source="stderr", pattern=r"time:([ 0-9.]+)(ms|s)")
    assert extracting(metric).numbers(stderr=b"time:  1.5 ms") == [1.5]


def test_anchors_hold_at_every_line(extracting):
    metric = UserMetric("n", source="stdout", pattern=r"^n ([0-9]+)$")
    assert extracting(metric).numbers(b"xn 1\nn 2\nn 3 \nn 4") == [2.0, 4.0]


def test_a_group_without_part_in_the_match_fails(extracting):
    metric = UserMetric("n", source="stdout", pattern=r"n(=[0-9]+)?")
    assert "took no part in the match 'n'" in extracting(metric).reason(b"n")


def test_no_match_names_metric_pattern_and_the_first_80_characters(extracting):
    reason = extracting(RATE).reason("€".encode() * 100)
    expected = (
        "metric rate: pattern 'rate=(\\\\S+)' matches nothing in stdout, which begins '" + "€" * 80 + "…'"
    )
    assert reason == expected


def test_an_empty_output_is_called_empty(extracting):
    assert (
        extracting(RATE).reason(b"", stderr=b"rate=1").endswith("matches nothing in stdout, which is empty")
    )


def test_control_characters_of_the_output_are_escaped_in_the_reason(extracting):
    reason = extracting(RATE).reason(b"\x1b[2J\x00\x07\xff")
    assert reason.endswith(r"which begins '\x1b[2J\x00\x07" + "\N{REPLACEMENT CHARACTER}'")


def test_bytes_that_are_no_utf_8_hide_no_number(extracting):
    assert extracting(RATE).numbers(b"\xff\xfe rate=2 \xc3") == [2.0]


def test_an_output_that_was_cut_fails_though_its_head_matches(extracting):
    reason = extracting(RATE).reason(b"rate=1\n", written={"stdout": 5000})
    assert "only 7 of the 5,000 bytes of stdout were kept" in reason
    assert "STEELYARD_METRICS" in reason


def test_a_text_longer_than_a_mebibyte_is_not_searched(extracting):
    head = b"rate=1\n"
    assert extracting(RATE).numbers(head + b"x" * ((1 << 20) - len(head))) == [1.0]
    assert "1,048,577 bytes" in extracting(RATE).reason(head + b"x" * ((1 << 20) + 1 - len(head)))


def test_more_than_a_million_values_fail(extracting):
    metrics = [UserMetric(f"n{i}", source="stdout", pattern=r"([0-9])") for i in range(2)]
    assert "1,000,002 values" in extracting(*metrics).reason(b"1" * 500_001)


def test_without_a_source_stdout_is_read(extracting):
    assert extracting(UserMetric("n", pattern=r"n=([0-9]+)")).numbers(b"n=4", stderr=b"n=5") == [4.0]


@given(st.binary(max_size=400))
@example(b"rate=\xff")
@example(b"rate=1e5000")
def test_any_bytes_give_finite_values_or_a_reason(extracting, data):
    extraction = extracting(RATE)
    try:
        values = extraction.values(b"rate=" + data)
    except MissingValueError as error:
        assert str(error).startswith("metric rate: ")  # noqa: PT017 - either outcome is right
        assert str(error).isprintable()  # noqa: PT017
    else:
        assert values
        assert all(abs(value.value) < float("inf") for value in values)


@given(st.lists(st.floats(-1e150, 1e150), min_size=1))
def test_what_repr_prints_is_read_back_exactly(extracting, numbers):
    text = "".join(f"rate={number!r}\n" for number in numbers).encode()
    assert extracting(RATE).numbers(text) == numbers
