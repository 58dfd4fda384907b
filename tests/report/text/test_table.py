from __future__ import annotations

from steelyard.report.text.label import columns
from steelyard.report.text.line import Span, plain
from steelyard.report.text.table import Column, table


def cells(*texts):
    return [Span(text) for text in texts]


NAME = Column("name", cells("a very long name of a program", "b"), right=False, is_name=True)
VALUE = Column("value", cells("1", "22"))
SPARE = Column("spare", cells("x" * 10, ""), give_way=1)
SPAREST = Column("sparest", cells("y" * 10, ""), give_way=2)


def test_numbers_stand_at_the_right_and_names_at_the_left():
    assert (
        plain(table([Column("n", cells("a", "bb"), right=False), VALUE], 80))
        == "n   value\na       1\nbb     22\n"
    )


def test_names_are_shortened_before_a_column_gives_way():
    text = plain(table([NAME, VALUE, SPARE], 40))
    assert "xxxxxxxxxx" in text
    assert "a very lon… a program" in text


def test_columns_give_way_in_the_order_declared():
    assert "sparest" in plain(table([NAME, VALUE, SPARE, SPAREST], 60))
    some = plain(table([NAME, VALUE, SPARE, SPAREST], 35))
    assert "sparest" not in some
    assert "spare" in some
    assert "spare" not in plain(table([NAME, VALUE, SPARE, SPAREST], 25))


def test_what_may_not_give_way_stays_however_narrow_the_terminal():
    text = plain(table([NAME, VALUE, SPARE], 5))
    assert text.splitlines()[0].split() == ["name", "value"]


def test_wide_characters_keep_the_columns_straight():
    rows = plain(table([Column("name", cells("测试", "ab"), right=False), VALUE], 80)).splitlines()
    assert {columns(row) for row in rows} == {11}


def test_a_column_without_rows_is_not_drawn():
    assert plain(table([Column("nothing", []), VALUE], 80)).splitlines()[0] == "value"


def test_a_factor_with_the_title_of_another_column_is_told_apart_as_in_exports():
    factor = Column("mean", cells("1"), kind="factor")
    label = Column("op", cells("a"), kind="label")
    output = plain(table([factor, label, Column("mean", cells("2"))], 80))
    assert output.split() == ["factor.mean", "op", "mean", "1", "a", "2"]
    assert plain(table([factor, label], 80)).split()[0] == "mean"


def test_a_name_is_not_shortened_until_two_look_alike():
    names = cells(*(f"opt={o}, size={n}, threads={t}" for o in "23" for n in ("1000", "2000") for t in "12"))
    column = Column("treatment", names, right=False, is_name=True)
    rows = plain(table([column, Column("spare", cells(*["x" * 18] * 8), give_way=1)], 36)).splitlines()
    assert "spare" not in rows[0]
    assert len(set(rows)) == 9
    short = Column("treatment", cells("a" * 40, "b" * 40), right=False, is_name=True)
    assert "spare" in plain(table([short, Column("spare", cells(*["x" * 18] * 2), give_way=1)], 36))
    # Without room for what tells them apart, nothing has to give way for it.
    assert "spare" in plain(table([column, Column("spare", cells(*["x"] * 8), give_way=1)], 19))
