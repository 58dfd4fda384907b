"""Expressions of Vega, against what JavaScript makes of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.extensions.page.drawing.expressions import compile_expression
from steelyard.report.page.chart import make_quantity_axis, relabel


def value(text, **signals):
    return compile_expression(text)(signals)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("8 - 3 - 2", 3),
        ("-7 % 3", -1),  # of JavaScript: the sign of the dividend
        ("1 < 2 && 2 < 1", False),
        ("false_ || 3 >= 3", True),
        ("1 > 2 ? 'a' : 2 > 1 ? 'b' : 'c'", "b"),
        ("'a' + 1 == 'a1.0'", True),
        ("[10, 20][indexof(['x', 'y'], 'y')]", 20),
        ("[10, 20][indexof(['x', 'y'], 'z')]", None),
        ("!isValid(datum.none)", True),
        ("replace('40m', regexp('([^0-9.]?)$'), ' $1s')", "40 ms"),
    ],
)
def test_an_expression_has_the_value_that_javascript_gives_it(text, expected):
    assert value(text, datum={}, false_=False) == expected


@pytest.mark.parametrize(
    "text", ["alert(1)", "1 +", "datum.x = 1", "`x`", "(1", "1 2", "datum.constructor()"]
)
def test_what_no_chart_needs_is_refused(text):
    with pytest.raises((ValueError, KeyError)):
        value(text, datum={})


@given(st.dictionaries(st.text(), st.text(), min_size=1))
def test_a_label_that_looks_like_an_expression_is_a_text(labels):
    expression = relabel(labels, "datum.label")
    for name, label in labels.items():
        assert value(expression, datum={"label": name}) == label


@pytest.mark.parametrize(
    ("unit", "number", "label"),
    [
        ("s", 0.04, "40 ms"),
        ("s", 1500.0, "1500 s"),
        ("B", 2e6, "2 MB"),
        ("1/s", 5000.0, "5 k/s"),
        ("B/s", 3e9, "3 GB/s"),
        ("s", 0.0, "0 s"),
    ],
)
def test_a_tick_has_prefix_and_unit(unit, number, label):
    assert value(make_quantity_axis(unit)["labelExpr"], datum={"value": number}) == label
