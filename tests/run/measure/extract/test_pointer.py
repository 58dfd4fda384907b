from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steelyard.run.measure.extract import MissingValueError
from steelyard.spec.experiment import UserMetric

# The document and the pointers of RFC 6901, section 5, with numbers where it has them.
DOCUMENT = json.dumps(
    {"foo": [10, 11], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, 'k"l': 6, " ": 7, "m~n": 8}
).encode()


def metric(pointer: str) -> UserMetric:
    return UserMetric("m", source="stdout", json=pointer)


@pytest.mark.parametrize(
    ("pointer", "numbers"),
    [
        ("/foo", [10.0, 11.0]),
        ("/foo/0", [10.0]),
        ("/foo/1", [11.0]),
        ("/", [0.0]),
        ("/a~1b", [1.0]),
        ("/c%d", [2.0]),
        ("/e^f", [3.0]),
        ("/g|h", [4.0]),
        ("/i\\j", [5.0]),
        ('/k"l', [6.0]),
        ("/ ", [7.0]),
        ("/m~0n", [8.0]),
    ],
)
def test_the_pointers_of_the_standard_lead_where_it_says(extracting, pointer, numbers):
    assert extracting(metric(pointer)).numbers(DOCUMENT) == numbers


def test_the_empty_pointer_is_the_whole_document(extracting):
    assert extracting(metric("")).numbers(b" [1, 2.5e0]\n") == [1.0, 2.5]
    assert extracting(metric("")).numbers(b"7") == [7.0]


def test_an_escaped_tilde_before_a_one_is_no_slash(extracting):
    assert extracting(metric("/~01")).numbers(b'{"~1": 3, "/": 4}') == [3.0]


@pytest.mark.parametrize(
    "pointer", ["/foo/2", "/foo/-", "/foo/01", "/foo/-1", "/foo/+1", "/foo/x", "/fo", "/a~1b/0"]
)
def test_a_pointer_that_leads_nowhere_fails_and_names_the_step(extracting, pointer):
    reason = extracting(metric(pointer)).reason(DOCUMENT)
    assert reason.startswith(f"metric m: JSON pointer {pointer!r} matches nothing: no ")
    assert 'which begins \'{"foo": [10, 11]' in reason


@pytest.mark.parametrize(
    ("value", "kind"),
    [("null", "null"), ("true", "bool"), ('"5"', "str"), ("{}", "dict"), ("[1, [2]]", "list")],
)
def test_what_is_no_number_fails(extracting, value, kind):
    reason = extracting(metric("/v")).reason(f'{{"v": {value}}}'.encode())
    assert f"leads to {kind}, not to a number" in reason


def test_an_empty_array_fails(extracting):
    assert "leads to an empty array" in extracting(metric("/v")).reason(b'{"v": []}')


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"rate=5",
        b'{"v": 1',
        b'{"v": NaN}',
        b'{"v": Infinity}',
        b'{"v": 1e999}',
        b'{"v": "\xff"}',
        b'{"v": 1} trailing',
        b'{"v": "\\ud800"}',
        b"[" * 200_000,
        b'{"a":' * 200_000,
        b"9" * 10_000,
    ],
    ids=lambda data: repr(data[:20]),
)
def test_what_is_no_acceptable_document_fails_with_its_beginning(extracting, data):
    reason = extracting(metric("/v")).reason(data)
    assert reason.startswith("metric m: no JSON document in stdout, which ")
    assert len(reason) < 400


def test_a_whole_number_too_large_for_a_double_fails(extracting):
    assert "metric m: " in extracting(metric("")).reason(b"9" * 400)


def test_a_cut_document_is_said_to_be_cut_and_not_to_be_broken(extracting):
    assert "were kept" in extracting(metric("/v")).reason(b'{"v": 1', written={"stdout": 8})


def test_stderr_can_be_the_document(extracting):
    assert extracting(UserMetric("m", source="stderr", json="/v")).numbers(b"x", stderr=b'{"v": 1}') == [1.0]


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["v", "0", ""]), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
@example(b'{"v": ' + b"1" * 5000 + b"}")
def test_any_bytes_give_finite_values_or_a_reason(extracting, data):
    for pointer in ("", "/v", "/v/0", "/0/v"):
        extraction = extracting(metric(pointer))
        try:
            values = extraction.values(data)
        except MissingValueError as error:
            assert str(error).startswith("metric m: ")  # noqa: PT017 - either outcome is right
        else:
            assert values
            assert all(abs(value.value) < float("inf") for value in values)
