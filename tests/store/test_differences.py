"""A changed spec is told in lines that a person can act on."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.store.differences import differences

OLD = {
    "name": "n",
    "program": {"commands": {"": ["prog", "-O2"]}, "timeout_s": 60.0, "stdin": None},
    "factors": [{"name": "opt", "levels": ["O2", "O3"]}, {"name": "n", "levels": [1, 2]}],
    "metrics": [],
}


def changed(**parts):
    return {**OLD, **parts}


@pytest.mark.parametrize(
    ("new", "lines"),
    [
        (OLD, []),
        (changed(name="m"), ['name: "n" → "m"']),
        (
            changed(program={**OLD["program"], "commands": {"": ["prog", "-O3"]}}),
            ['program.commands: ["prog","-O2"] → ["prog","-O3"]'],
        ),
        (
            changed(program={**OLD["program"], "timeout_s": None, "stdin": "in.txt"}),
            ["program.timeout_s: 60.0 → not set", 'program.stdin: not set → "in.txt"'],
        ),
        (changed(seed=2), ["seed: not set → 2"]),
        ({key: value for key, value in OLD.items() if key != "name"}, ['name: "n" → not set']),
        (
            changed(factors=[{"name": "opt", "levels": ["O2", "Os"]}, {"name": "n", "levels": [1, 2]}]),
            ['factors.opt.levels: ["O2","O3"] → ["O2","Os"]'],
        ),
        (changed(factors=OLD["factors"][:1]), ['factors.n: {"levels":[1,2],"name":"n"} → not set']),
        (changed(factors=OLD["factors"][::-1]), ["factors: order opt, n → n, opt"]),
        (
            changed(metrics=[{"name": "rate", "unit": ""}]),
            ['metrics.rate: not set → {"name":"rate","unit":""}'],
        ),
        (
            changed(factors=[OLD["factors"][0], {"name": "n", "levels": [1.0, 2]}]),
            ["factors.n.levels: [1,2] → [1.0,2]"],
        ),
        (
            changed(factors=[OLD["factors"][0], {"name": "n", "levels": [True, 2]}]),
            ["factors.n.levels: [1,2] → [true,2]"],
        ),
    ],
)
def test_each_key_that_differs_has_its_line(new, lines):
    assert differences(OLD, new) == lines


def test_a_long_value_is_cut():
    (line,) = differences({"a": "x" * 1000}, {"a": "y" * 1000})
    assert line == f'a: "{"x" * 71}… → "{"y" * 71}…'


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "a", "b"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(json_values, json_values)
def test_there_are_no_lines_only_for_equal_values(old, new):
    is_same = msgspec.json.encode(old, order="sorted") == msgspec.json.encode(new, order="sorted")
    assert (differences(old, new) == []) == is_same
    assert differences(old, old) == []
