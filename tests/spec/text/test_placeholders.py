from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.core.errors import UsageError
from steelyard.spec.text.placeholders import escape, expand, format_level, names


@pytest.mark.parametrize(
    ("level", "text"),
    [
        (1, "1"),
        (-3, "-3"),
        (0.1, "0.1"),
        (1e21, "1e+21"),
        (2.0, "2.0"),
        (True, "true"),
        (False, "false"),
        ("a b", "a b"),
    ],
)
def test_levels_are_written_as_a_person_would(level, text):
    assert format_level(level) == text


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("", set()),
        ("plain", set()),
        ("{n}", {"n"}),
        ("{build}/x-{n}_{n}", {"build", "n"}),
        ("{{n}}", set()),
        ("{{{n}}}", {"n"}),
        ("{a-b}", {"a-b"}),
    ],
)
def test_names_are_those_in_single_braces(text, result):
    assert names(text) == result


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("{n}", "8"),
        ("a{n}b{n}", "a8b8"),
        ("{{n}}", "{n}"),
        ("{{{n}}}", "{8}"),
        ("}}{{", "}{"),
        ("{flag}", "true"),
        ("{level}", "{n} $x 'y'"),
        ("", ""),
    ],
)
def test_values_are_put_in_once_and_as_they_are(text, expanded):
    assert expand(text, {"n": 8, "flag": True, "level": "{n} $x 'y'"}) == expanded


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "{ at column 1 "),
        ("a}", "} at column 2 "),
        ("{}", "{} at column 1 "),
        ("{ n }", "{ n } at column 1 "),
        ("{1n}", "{1n} at column 1 "),
        ("awk {print $1}", "{print $1} at column 5 "),
        ("{a.b}", "{a.b} at column 1 "),
        ("{{{n}}", "} at column 6 "),
        ("{n!r}", "{n!r} at column 1 "),
    ],
)
def test_a_lone_brace_is_refused_with_its_column_and_how_to_write_it(text, message):
    for function in (names, lambda item: expand(item, {"n": 1})):
        with pytest.raises(UsageError) as caught:
            function(text)
        assert caught.value.message.startswith(message)
        brace = message.split(" at column")[0]
        assert caught.value.hint.startswith(f"write {escape(brace)} for")


def test_a_placeholder_without_a_value_is_refused_with_those_that_have_one():
    with pytest.raises(UsageError, match=r'\{m\} in "x\{m\}" has no value here') as caught:
        expand("x{m}", {"n": 1, "build": "/b"})
    assert caught.value.hint == "placeholders known here: {n}, {build}"


@given(st.text())
def test_escaped_text_comes_back_as_it_was(text):
    assert names(escape(text)) == set()
    assert expand(escape(text), {}) == text


@given(before=st.text(), value=st.text(), after=st.text())
def test_a_value_is_put_between_its_neighbours_whatever_it_holds(before, value, after):
    assert expand(escape(before) + "{x}" + escape(after), {"x": value}) == before + value + after
