from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.core.errors import UsageError
from steelyard.core.units import (
    BUILTIN,
    format_duration,
    format_quantity,
    parse_duration,
    parse_size,
    read_side,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("60 s", 60.0),
        ("10 min", 600.0),
        ("1.5ms", 0.0015),
        ("  2 h ", 7200.0),
        ("30d", 2592000.0),
        ("3us", 3e-6),
        ("3 µs", 3e-6),
        ("5 ns", 5e-9),
        ("1e3 s", 1000.0),
        (".5", 0.5),
        ("7", 7.0),
        (2, 2.0),
        (0.25, 0.25),
    ],
)
def test_a_time_is_a_number_with_a_unit_or_of_seconds(text, seconds):
    assert parse_duration(text) == pytest.approx(seconds, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("24 GB", 24 * 10**9),
        ("512 MiB", 512 * 2**20),
        ("1kB", 1000),
        ("1 KB", 1000),
        ("0.5 KiB", 512),
        ("7", 7),
        (4096, 4096),
    ],
)
def test_a_size_is_a_number_with_a_unit_or_of_bytes(text, size):
    assert parse_size(text) == size
    assert isinstance(parse_size(text), int)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "s",
        "-1 s",
        "1 sec",
        "1 S",
        "1 2 s",
        "0 s",
        "0",
        "1e999 s",
        "nan",
        "1,5 s",
        "٣ s",
        0,
        -1,
        math.nan,
        math.inf,
    ],
)
def test_what_is_no_time_is_refused_with_its_value_and_the_units(text):
    with pytest.raises(UsageError) as caught:
        parse_duration(text)
    assert caught.value.message.endswith("is not a time")
    assert repr(text) in caught.value.message
    assert "min" in caught.value.hint


@pytest.mark.parametrize("text", ["", "1 gb", "1 Kb", "-1 B", "0 B", "1 s"])
def test_what_is_no_size_is_refused_with_its_value_and_the_units(text):
    with pytest.raises(UsageError) as caught:
        parse_size(text)
    assert caught.value.message == f"{text!r} is not a size"
    assert "GiB" in caught.value.hint


@given(st.text())
def test_any_text_is_a_positive_time_or_refused(text):
    try:
        seconds = parse_duration(text)
    except UsageError:
        return
    assert 0 < seconds < math.inf


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.00123, "s", "1.23 ms"),
        (0.0009996, "s", "1.00 ms"),
        (0.000999, "s", "999 µs"),
        (1.5e-9, "s", "1.50 ns"),
        (1e-12, "s", "0.00 ns"),
        (123.4, "s", "123 s"),
        (0.0, "s", "0.00 s"),
        (-0.0021, "s", "-2.10 ms"),
        (1040000, "B", "1.04 MB"),
        (512, "B", "512 B"),
        (0.5, "B", "0.50 B"),
        (2.5e9, "B/s", "2.50 GB/s"),
        (9.41e9, "bit/s", "9.41 Gbit/s"),
        (1234.5, "1/s", "1.23 k/s"),
        (0.02, "1/s", "0.02 /s"),
        (0.0004321, "1/s", "0.000432 /s"),
        (123456, "s", "123,000 s"),
        (5.5e17, "s", "5.5e+17 s"),
        (1234567, "", "1,234,567"),
        (0.123456, "", "0.123"),
        (0.123456, "1", "0.123"),
        (12, "1", "12"),
        (1.5, "J", "1.5 J"),
        (999.6, "", "1,000"),
        (1998.3, "", "1,998"),
        (499499.99999999994, "", "499,500"),
        (199980000.00000003, "", "199,980,000"),
        (12345678.9, "", "1.23e+07"),
        (math.nan, "s", "nan"),
        (math.inf, "s", "inf"),
    ],
)
def test_quantities_have_three_digits_and_a_prefix(value, unit, text):
    assert format_quantity(value, unit) == text


@given(value=st.floats(1e-9, 1e12), digits=st.integers(2, 6))
def test_a_formatted_time_is_the_value_to_its_digits(value, digits):
    number, prefix = re.fullmatch(r"([0-9.,]+) (n|µ|m|)s", format_quantity(value, "s", digits)).groups()
    number = number.replace(",", "")
    scale = {"n": 1e-9, "µ": 1e-6, "m": 1e-3, "": 1}[prefix]
    assert float(number) * scale == pytest.approx(value, rel=0.6 * 10.0 ** (1 - digits))
    assert len(number.replace(".", "")) >= digits or float(number) < 1


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (-3, "0 s"),
        (8.4, "8 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (200, "3 min 20 s"),
        (3600, "1 h"),
        (7500, "2 h 5 min"),
    ],
)
def test_a_time_to_wait_is_said_as_a_person_says_it(seconds, text):
    assert format_duration(seconds) == text


def test_every_builtin_metric_is_kept_by_its_name_and_says_what_it_is():
    for name, metric in BUILTIN.items():
        assert metric.name == name
        assert metric.kind == "builtin"
        assert metric.about
        suffix = {"_s": "s", "_bytes": "B"}
        assert metric.unit == next((unit for end, unit in suffix.items() if name.endswith(end)), "")


@pytest.mark.parametrize(
    ("word", "side"),
    [("lower", "lower"), ("higher", "higher"), ("neither", "neither"), ("Lower", None), ("", None)],
)
def test_a_better_side_is_read_by_its_word(word, side):
    assert read_side(word) == side
