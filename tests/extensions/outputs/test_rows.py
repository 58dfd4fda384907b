"""Paths: wildcards, names on the way, choices, places above."""

from __future__ import annotations

import pytest

from steelyard.extensions.outputs.rows import list_rows

DOCUMENT = {
    "title": "all",
    "jobs": [
        {"name": "a", "read": {"iops": 1}, "write": {"iops": 2}, "column": [{"title": "t", "value": 5}]},
        {"name": "b", "trim": {"iops": 3}},
    ],
    "list": [[1, 2], [3]],
}


@pytest.mark.parametrize(
    ("path", "field", "values"),
    [
        ("", "title", ["all"]),
        ("jobs/*", "name", ["a", "b"]),
        ("jobs/*/{op=read|write}", "iops", [1, 2]),
        ("jobs/*/{op=read|write|trim}", "{op}", ["read", "write", "trim"]),
        ("jobs/*/{op=read|write|trim}", "../name", ["a", "a", "b"]),
        ("jobs/*/{op=read|trim}", "/title", ["all", "all"]),
        ("jobs/*/{op=read|trim}", "../../*/name", ["a", "a"]),
        ("jobs/*", "column[title=t]/value", [5, None]),
        ("list/{row}", "{row}", [1, 2]),
        ("jobs/nothing/*", "name", []),
    ],
)
def test_rows_are_found_by_paths_and_have_fields(path, field, values):
    assert [row.get(field) for row in list_rows(DOCUMENT, path)] == values


def test_every_value_of_a_field_is_listed():
    (row,) = list_rows(DOCUMENT, "")
    assert list(row.list_values("jobs/*/{any}/iops")) == [1, 2, 3]
    assert list(row.list_values("list/*")) == [1, 2, 3]
