from __future__ import annotations

import pytest

from steelyard.extensions.exchange.importers.contents import Unit, identifier, level, unit_of


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("ns", Unit("s", 1e-9)),
        ("usec", Unit("s", 1e-6)),
        ("ms/op", Unit("s", 1e-3)),
        ("MB/s", Unit("B/s", 1e6)),
        ("TiB/s", Unit("B/s", 2.0**40)),
        ("bit/s", Unit("bit/s", 1.0)),
        ("Mbit/s", Unit("bit/s", 1e6)),
        ("Gbits/sec", Unit("bit/s", 1e9)),
        ("Gbps", Unit("bit/s", 1e9)),
        ("ops/ms", Unit("1/s", 1e3)),
        ("B/op", Unit("B", 1.0)),
        ("KiB", Unit("B", 1024.0)),
        ("", Unit("", 1.0)),
    ],
)
def test_units_that_are_known_become_si(text, unit):
    result = unit_of(text)
    assert result is not None
    assert (result.si, result.scale) == (unit.si, pytest.approx(unit.scale))


@pytest.mark.parametrize("text", ["fortnights", "m", "Gflop/s", "ns/row"])
def test_units_that_are_not_known_are_none(text):
    assert unit_of(text) is None


@pytest.mark.parametrize(
    ("text", "value"), [("8", 8), ("0.5", 0.5), ("a8", "a8"), ("1_0", "1_0"), ("nan", "nan")]
)
def test_texts_that_are_numbers_become_numbers(text, value):
    assert level(text) == value
    assert type(level(text)) is type(value)


@pytest.mark.parametrize(
    ("text", "name"), [("rows/op", "rows_op"), ("·gc.count", "gc_count"), ("2nd", "x2nd")]
)
def test_any_text_gives_a_name(text, name):
    assert identifier(text) == name
