"""Shapes: JSON behind other lines and in sequence, XML, events, tables, lines that are printed."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.outputs.shapes import Events, Json, Line, Lines, Table, Xml

PRINTED = Lines(
    (
        Line(r"^version (?P<version>\S+)", "start"),
        Line(r"^size (?P<size>\d+)", "context"),
        Line(r"^before (?P<before>\S+)", "next"),
        Line(r"^row (?P<n>\d+)", "row"),
        Line(r"^check (?P<check>\w+)"),
        Line(r"^fatal (?P<fatal>\w+)", "all"),
    )
)


def rows(text):
    (document,) = PRINTED.parse(text, "it")
    return document["rows"]


@pytest.mark.parametrize(
    "text",
    ['{"a": 1}', 'fio: note\n{"a": 1}\n', 'note {x}\n  [{"a": 1}]', '[r(1)][100%]\n{\n"a": 1}\n[1]+ Done\n'],
)
def test_json_is_found_behind_what_was_printed_before(text):
    assert list(Json().parse(text, "it")) == [{"a": 1}]


def test_documents_of_json_follow_each_other_on_lines_of_their_own():
    assert list(Json().parse('{"a": 1}\nwarning\n{\n"a": 2}\n', "it")) == [{"a": 1}, {"a": 2}]


def test_json_that_is_cut_off_is_refused():
    with pytest.raises(UsageError, match="it: not JSON"):
        list(Json().parse('{"a": 1}\n{"a": ', "it"))
    with pytest.raises(UsageError, match="it: no JSON in the file"):
        list(Json().parse("nothing", "it"))


def test_elements_of_xml_are_lists_and_its_attributes_fields():
    (document,) = Xml().parse('<a n="1"><b>text</b><b x="2"><c/></b></a>', "it")
    assert document == {"n": "1", "b": [{"": "text"}, {"x": "2", "c": [{}]}]}
    with pytest.raises(UsageError, match="it: not XML"):
        list(Xml().parse("<a><b>", "it"))


def test_xml_of_any_depth_is_read():
    depth = 50_000
    (document,) = Xml().parse("<a>" * depth + "</a>" * depth, "it")
    assert "a" in document


def test_events_are_the_lines_with_a_tag():
    shape = Events(":::LOG", lambda events: {"events": events})
    assert list(shape.parse('x\n0: :::LOG {"a": 1}\n', "it")) == [{"events": [{"a": 1}]}]
    with pytest.raises(UsageError, match="it, line 1: "):
        list(shape.parse(':::LOG {"a": ', "it"))


def test_a_row_of_a_table_with_other_cells_is_refused_by_its_line():
    assert list(Table().parse("# c\na\tb\n1\t2\n", "it")) == [{"rows": [{"a": "1", "b": "2"}]}]
    with pytest.raises(UsageError, match="it, line 3: 1 cell, but the header has 2"):
        list(Table().parse("a\tb\n1\t2\n3\n", "it"))
    with pytest.raises(UsageError, match="it, line 2: field larger"):
        list(Table().parse(f"a\tb\n1\t{'2' * 200_000}\n", "it"))


def test_lines_are_rows_details_and_contexts():
    text = "version 1\nsize 5\nbefore x\nrow 1\ncheck A\ncheck B\nrow 2\nnothing\n"
    assert rows(text) == [
        {"version": "1", "size": "5", "before": "x", "n": "1", "check": ["A", "B"]},
        {"version": "1", "size": "5", "n": "2"},
    ]


def test_what_holds_for_all_reaches_back_to_the_start_of_its_part():
    assert [row.get("fatal") for row in rows("version 1\nrow 1\nversion 2\nrow 2\nrow 3\nfatal x\n")] == [
        None,
        "x",
        "x",
    ]


def test_a_part_without_a_row_that_says_something_is_a_row():
    assert rows("version 1\nfatal x\nversion 2\nrow 1\n") == [
        {"version": "1", "fatal": "x"},
        {"version": "2", "n": "1"},
    ]
    assert rows("version 1\nrow 1\nbefore x\n")[-1] == {"version": "1", "before": "x"}
