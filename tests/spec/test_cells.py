from __future__ import annotations

from steelyard.spec.cells import cells, matches
from steelyard.spec.experiment import Design, Factor, Zip
from steelyard.spec.layout import lay_out

FACTORS = (Factor("a", (1, 2)), Factor("x", (10, 20)), Factor("y", ("p", "q")), Factor("b", ("u", "v")))
LINK = (Zip(("x", "y"), ((10, "p"), (20, "q"))),)


def test_cells_are_counted_without_being_listed():
    assert lay_out(FACTORS, (), Design()).count == 16
    assert lay_out(FACTORS, LINK, Design()).count == 8
    assert lay_out((), (), Design()).count == 1


def test_without_factors_there_is_one_cell():
    assert list(cells((), ())) == [{}]


def test_linked_factors_move_together_where_the_first_of_them_stands():
    result = list(cells(FACTORS, LINK))
    assert result[0] == {"a": 1, "x": 10, "y": "p", "b": "u"}
    assert result[1] == {"a": 1, "x": 10, "y": "p", "b": "v"}
    assert result[2] == {"a": 1, "x": 20, "y": "q", "b": "u"}
    assert len(result) == 8


def test_an_exclusion_takes_every_cell_that_has_its_levels():
    result = list(cells(FACTORS, LINK, [{"y": "q", "b": "u"}, {"a": 2}]))
    assert [tuple(cell.values()) for cell in result] == [
        (1, 10, "p", "u"),
        (1, 10, "p", "v"),
        (1, 20, "q", "v"),
    ]


def test_a_cell_matches_what_it_contains():
    assert matches({"a": 1, "b": 2}, {"a": 1})
    assert not matches({"a": 1, "b": 2}, {"a": 1, "b": 3})
    assert matches({"a": 1}, {})
