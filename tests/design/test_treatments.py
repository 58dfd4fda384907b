from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from steelyard.design import treatments
from steelyard.spec import experiment
from steelyard.spec.experiment import Factor, Zip


def test_the_last_factor_varies_fastest_and_ids_count_from_1(varied):
    result = treatments(varied({"opt": ["O2", "O3"], "n": [10, 20]}))
    assert [(t.id, tuple(t.levels.values())) for t in result] == [
        (1, ("O2", 10)), (2, ("O2", 20)), (3, ("O3", 10)), (4, ("O3", 20)),
    ]  # fmt: skip


def test_linked_factors_change_together_at_the_place_of_the_first(varied):
    link = {"zip": ["nodes", "scale"], "levels": [[1, 14], [2, 15]]}
    result = treatments(varied({"a": [0, 1], "weak": link}))
    assert [tuple(t.levels.values()) for t in result] == [(0, 1, 14), (0, 2, 15), (1, 1, 14), (1, 2, 15)]
    assert list(result[0].levels) == ["a", "nodes", "scale"]


def test_excluded_cells_are_no_treatments_and_leave_no_gap_in_the_ids(varied):
    result = treatments(
        varied({"opt": ["O2", "O3"], "n": [10, 20]}, design={"exclude": [{"opt": "O2", "n": 20}]})
    )
    assert [(t.id, tuple(t.levels.values())) for t in result] == [
        (1, ("O2", 10)),
        (2, ("O3", 10)),
        (3, ("O3", 20)),
    ]


def test_one_treatment_is_called_as_the_experiment():
    only = experiment(name="alone", program={"command": ["true"]})
    assert [(t.id, t.label, t.levels) for t in treatments(only)] == [(1, "alone", {})]


def test_with_one_factor_a_treatment_is_called_by_its_level(compared):
    assert [t.label for t in treatments(compared())] == ["old", "new"]


def test_with_one_factor_of_numbers_a_label_names_it(varied):
    assert [t.label for t in treatments(varied({"n": [1, 2]}))] == ["n=1", "n=2"]
    assert [t.label for t in treatments(varied({"n": [1, "all"]}))] == ["1", "all"]


def test_factors_that_do_not_vary_are_no_part_of_a_label(varied):
    result = treatments(varied({"opt": ["O2"], "n": [10, 20], "x": [True]}))
    assert [t.label for t in result] == ["n=10", "n=20"]
    assert result[0].levels == {"opt": "O2", "n": 10, "x": True}


def test_factors_that_are_linked_to_the_command_are_no_part_of_a_label(compared):
    link = Zip(("command", "side"), (("old", "a"), ("new", "b")), name="arms")
    factors = (Factor("command", ("old", "new")), Factor("side", ("a", "b")))
    result = treatments(replace(compared(), factors=factors, zips=(link,)))
    assert [(t.label, t.levels["side"]) for t in result] == [("old", "a"), ("new", "b")]


def test_with_several_factors_a_label_names_them(varied):
    result = treatments(varied({"opt": ["O2", "O3"], "fast": [False, True]}))
    assert result[1].label == "opt=O2, fast=true"


def test_labels_are_on_one_line_and_never_empty(varied):
    assert [t.label for t in treatments(varied({"x": ["", "a\nb", "tab\t", "é 😀"]}))] == [
        "''", "a\\nb", "tab\\t", "é 😀",
    ]  # fmt: skip


def test_labels_that_would_be_equal_are_told_apart(varied):
    result = treatments(varied({"x": ["\n", "\\n", "y"]}))
    assert [t.label for t in result] == ["\\n #1", "\\n #2", "y"]


@given(
    levels=st.lists(
        st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1, unique=True
    ),
    others=st.lists(st.integers(-3, 3), min_size=1, max_size=3, unique=True),
)
def test_labels_are_unique_whatever_the_levels(levels, others):
    built = experiment(program={"command": ["p", "{x}", "{n}"]}, factors={"x": levels, "n": others})
    labels = [t.label for t in treatments(built)]
    assert len(set(labels)) == len(labels) == len(levels) * len(others)
    assert all(label.isprintable() and label for label in labels)


@st.composite
def layouts(draw):
    """Factors a, b (linked c, d) and a list of exclusions that leave something of everything."""
    a = draw(st.lists(st.integers(0, 9), min_size=2, max_size=4, unique=True))
    b = draw(st.lists(st.sampled_from("uvwxyz"), min_size=2, max_size=4, unique=True))
    rows = draw(
        st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=4, unique=True)
    )
    excluded = draw(
        st.lists(
            st.tuples(st.sampled_from(a), st.sampled_from(b), st.sampled_from(rows)), max_size=2, unique=True
        )
    )
    return a, b, rows, excluded


@given(layout=layouts())
def test_treatments_are_the_full_factorial_without_what_is_excluded(layout):
    a, b, rows, excluded = layout
    built = experiment(
        program={"command": ["p", "{a}", "{b}", "{c}", "{d}"]},
        factors={"a": a, "link": {"zip": ["c", "d"], "levels": [list(row) for row in rows]}, "b": b},
        design={"exclude": [{"a": x, "b": y, "c": row[0], "d": row[1]} for x, y, row in excluded]},
    )
    expected = [
        {"a": x, "c": row[0], "d": row[1], "b": y}
        for x, row, y in itertools.product(a, rows, b)
        if (x, y, row) not in excluded
    ]
    assert [dict(t.levels) for t in treatments(built)] == expected


def test_more_than_ten_thousand_treatments_are_laid_out_when_they_are_asked_for(varied):
    many = varied({"a": list(range(101)), "b": list(range(100))}, allow_many=True)
    result = treatments(many)
    assert (len(result), result[-1].id, result[-1].label) == (10100, 10100, "a=100, b=99")


def test_levels_of_a_treatment_name_every_factor(varied):
    result = treatments(varied({"a": [1, 2], "b": ["x"]}))
    assert all(list(t.levels) == ["a", "b"] for t in result)


@pytest.mark.parametrize("names", [["old", "new"], ["sleep 0.1", "sleep 0.2; echo 'x'"]])
def test_commands_are_the_levels_of_a_factor(names):
    built = experiment(program={"commands": {name: ["true"] for name in names}})
    assert [dict(t.levels) for t in treatments(built)] == [{"command": name} for name in names]


def test_one_benchmark_of_a_file_is_called_by_its_name(varied):
    assert [t.label for t in treatments(varied({"benchmark": ["sort/10"]}))] == ["sort/10"]
