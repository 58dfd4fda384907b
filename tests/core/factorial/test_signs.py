from __future__ import annotations

import numpy as np
import pytest

from steelyard.core.factorial import Axis, Generator, Layout
from steelyard.core.factorial.signs import main_effects, sign_table


def axis(name, *levels):
    return Axis(name, tuple({name: level} for level in levels))


def test_the_table_is_that_of_experiment_1_of_nogueira_and_matias():
    # Jain 1991, section 17.3, for Table 1 of that paper: runlevel 5 (-), 3 (+); O2 (-), O3 (+).
    result = sign_table(Layout("two-level", (axis("runlevel", 5, 3), axis("opt", "O2", "O3"))))
    assert result.effects == ("A", "B", "AB")
    assert [(row.treatment, row.name, row.signs) for row in result.rows] == [
        (1, "(1)", (-1, -1, 1)),
        (3, "a", (1, -1, -1)),
        (2, "b", (-1, 1, -1)),
        (4, "ab", (1, 1, 1)),
    ]


LAYOUTS = {
    "all": Layout("full", tuple(axis(f"x{j}", 0, 1) for j in range(4))),
    "half": Layout("fraction", tuple(axis(f"x{j}", 0, 1) for j in range(4)), (Generator(3, 0b0111),)),
    "screening": Layout("plackett-burman", tuple(axis(f"x{j}", 0, 1) for j in range(5))),
    "beside a constant": Layout("two-level", (axis("a", 0, 1), axis("still", 3), axis("b", 0, 1))),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_rows_are_the_treatments_and_columns_are_orthogonal(layout):
    result = sign_table(layout)
    cells = list(layout.cells())
    assert sorted(row.treatment for row in result.rows) == list(range(1, len(cells) + 1))
    for row in result.rows:
        high = [layout.varying[j].step(cells[row.treatment - 1]) for j in range(len(layout.varying))]
        assert row.name == ("".join("abcde"[j] for j, step in enumerate(high) if step) or "(1)")
    table = np.array([row.signs for row in result.rows])
    assert (table.T @ table == len(cells) * np.eye(len(result.effects))).all()


def test_main_effects_are_the_columns_of_one_letter():
    result = main_effects(sign_table(LAYOUTS["all"]))
    assert result.effects == ("A", "B", "C", "D")
    assert result.rows[1].signs == (1, -1, -1, -1)


@pytest.mark.parametrize(
    "layout",
    [
        Layout("full", (axis("a", 0, 1), axis("b", 0, 1, 2))),
        Layout("full", (axis("a", 0, 1),)),
        Layout("one-at-a-time", (axis("a", 0, 1), axis("b", 0, 1))),
        Layout("full", tuple(axis(f"x{j}", 0, 1) for j in range(7))),
    ],
)
def test_other_layouts_have_no_table(layout):
    assert sign_table(layout) is None
