from __future__ import annotations

import tomllib
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.spec.text.toml import format_value, toml_key, toml_value

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = st.one_of(
    TEXT, st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXT, inner, max_size=4)),
    max_leaves=12,
)


@given(VALUES)
def test_values_are_read_back_by_tomllib_as_they_were(value):
    back = tomllib.loads(f"x = {toml_value(value)}")["x"]
    assert back == value
    assert type(back) is type(value)


@given(TEXT)
def test_keys_are_read_back_by_tomllib_as_they_were(key):
    assert tomllib.loads(f"{toml_key(key)} = 1") == {key: 1}


def test_simple_keys_stay_bare():
    assert toml_key("wall_s-1") == "wall_s-1"


def test_what_toml_has_no_form_for_is_a_bug():
    with pytest.raises(TypeError, match="NoneType"):
        toml_value([None])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("O2", '"O2"'),
        (True, "true"),
        (0.5, "0.5"),
        ([1, 2], "a list of 2"),
        ({"a": 1}, "a table of 1"),
        (10**50, "a number of 167 bits"),
        (date(2026, 1, 2), "2026-01-02 (a date)"),
        ("x" * 100, '"' + "x" * 58 + "…"),
    ],
)
def test_errors_show_values_shortly(value, text):
    assert format_value(value) == text
