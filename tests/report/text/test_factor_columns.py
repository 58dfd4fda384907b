from __future__ import annotations

from steelyard.core.sample import Treatment
from steelyard.report.text.factor_columns import render_baseline_column, render_treatment_columns, varying


def treatments(*cells):
    return [
        Treatment(i, ", ".join(f"{k}={v}" for k, v in cell.items()), cell) for i, cell in enumerate(cells, 1)
    ]


CROSSED = treatments(
    {"opt": "O2", "threads": 1},
    {"opt": "O2", "threads": 8},
    {"opt": "O3", "threads": 1},
    {"opt": "O3", "threads": 8},
)


def shown(columns):
    return [(column.title, [cell.text for cell in column.cells]) for column in columns]


def test_two_factors_that_vary_are_two_columns():
    assert varying(CROSSED) == ("opt", "threads")
    assert shown(render_treatment_columns(CROSSED, varying(CROSSED), 40)) == [
        ("opt", ["O2", "O2", "O3", "O3"]),
        ("threads", ["1", "8", "1", "8"]),
    ]


def test_one_factor_and_labels_of_another_kind_stay_labels():
    item = [Treatment(1, "old", {"command": "old"}), Treatment(2, "new", {"command": "new"})]
    pair = [Treatment(1, "fast", {"a": 1, "b": 1}), Treatment(2, "slow", {"a": 2, "b": 2})]
    for inputs in (item, pair, []):
        assert varying(inputs) == ()
    assert shown(render_treatment_columns(item, (), 40)) == [("treatment", ["old", "new"])]


def test_a_factor_that_does_not_vary_has_no_column():
    inputs = [
        Treatment(1, "a=1, b=1", {"a": 1, "b": 1, "c": 0}),
        Treatment(2, "a=2, b=2", {"a": 2, "b": 2, "c": 0}),
    ]
    assert varying(inputs) == ("a", "b")


def test_columns_that_find_no_room_are_one_label():
    assert len(render_treatment_columns(CROSSED, varying(CROSSED), 10)) == 1


def test_a_baseline_is_what_it_has_other_than_the_treatment():
    pairs = [(CROSSED[3], CROSSED[1]), (CROSSED[3], CROSSED[0])]
    column = render_baseline_column(pairs, varying(CROSSED))
    assert [cell.text for cell in column.cells] == ["opt=O2", "opt=O2, threads=1"]
    assert [cell.text for cell in render_baseline_column(pairs, ()).cells] == [
        "opt=O2, threads=8",
        "opt=O2, threads=1",
    ]


def test_levels_that_could_move_the_cursor_are_escaped():
    result = treatments({"a": "x\x1b[31m", "b": True}, {"a": "", "b": False})
    columns = shown(render_treatment_columns(result, ("a", "b"), 40))
    assert columns == [("a", ["x\\x1b[31m", "''"]), ("b", ["true", "false"])]
