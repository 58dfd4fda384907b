"""Hints for values that a spec cannot have; what is said of whole specs is in ``read/refusals``."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.core.errors import SpecError
from steelyard.spec import experiment, loads
from steelyard.spec.hints.did_you_mean import cells_with, read_levels, suggest_levels, suggest_number

LEVELS = {"opt": ["O2", "O3"], "n": [1, 2], "m": [2, 4]}
TOP = '[program]\ncommand = ["p", "{opt}", "{n}"]\n[factors]\nopt = ["O2", "O3"]\nn = [1, 2]\n'


def hint_of(text):
    with pytest.raises(SpecError) as caught:
        loads(TOP + text, source="/lab", name="spec.toml")
    return caught.value.hint


def test_a_level_that_several_factors_have_is_offered_for_each():
    assert suggest_levels("faster", 2, LEVELS) == "write faster = { n = 2 } or faster = { m = 2 }"


def test_a_truth_is_not_taken_for_the_number_one():
    assert cells_with(True, LEVELS) == []
    assert cells_with(1, LEVELS) == [{"n": 1}]


def test_the_levels_of_a_spec_that_was_not_checked_are_those_in_lists():
    tables = tomllib.loads('factors = { opt = ["O2", ["x"]], n = 3, w = { zip = ["a"] } }')
    assert read_levels(tables) == {"opt": ["O2"]}
    assert read_levels({"factors": "opt"}) == {}


@pytest.mark.parametrize(
    ("written", "number"),
    [("10 %", "1.1"), ("10%", "1.1"), ("0.5 %", "1.005"), ("-10 %", "0.9"), ("2 x", "2")],
)
def test_a_share_or_multiple_in_text_is_written_as_the_ratio_that_a_claim_wants(written, number):
    hint = suggest_number(float, "by", written)
    assert hint == f"write by = {number}"


def test_what_the_hint_says_of_a_claim_makes_it_one():
    wrong = '[[claims]]\nfaster = "O3"\nthan = "O2"\nby = "10 %"\n'
    for key in ("faster", "than", "by"):
        hint = hint_of(wrong)
        line = hint.removeprefix("write ")
        assert line.startswith(f"{key} = ")
        wrong = "\n".join(line if part.startswith(f"{key} =") else part for part in wrong.split("\n"))
    (claim,) = loads(TOP + wrong, source="/lab", name="spec.toml").claims
    assert (claim.faster, claim.than, claim.by) == ({"opt": "O3"}, {"opt": "O2"}, 1.1)


VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(-5, 5), st.sampled_from(["O3", "opt", "n", "10 %", "2x", "=", ""])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["opt", "n", "x"]), inner),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from(["faster", "than", "by", "where", "best", "n", "x"]), VALUES))
def test_whatever_stands_in_a_claim_is_read_or_refused_with_a_hint(table):
    hint: str | None = "none was needed"
    try:
        experiment(
            program={"command": ["p", "{opt}", "{n}"]},
            factors={"opt": ["O2", "O3"], "n": [1, 2]},
            claims=[table],
        )
    except SpecError as error:
        hint = error.hint
    assert hint
