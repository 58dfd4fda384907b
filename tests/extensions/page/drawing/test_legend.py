"""Legends: an entry for each name, in columns where one row is too short."""

from __future__ import annotations

import re

from steelyard.extensions.page.drawing.elements import measure
from steelyard.extensions.page.drawing.frame import Look
from steelyard.extensions.page.drawing.legend import SYMBOL_PX, draw_legend, list_entries
from steelyard.report.page.marks import colour_scale, series_scale

LOOK = Look(336, 9, "sans-serif", {})


def test_names_of_colours_and_of_dashes_are_one_entry_each():
    names = [f"line {i}" for i in range(8)]
    dashes = colour_scale("series", {name: [1, 0] if i < 6 else [4, 3] for i, name in enumerate(names)})
    entries = list_entries([{"color": series_scale("series", names)}, {"strokeDash": dashes}])
    assert [entry.name for entry in entries] == names
    assert [list(entry.dash) for entry in entries] == [[]] * 6 + [[4, 3]] * 2
    assert entries[0].color != entries[1].color


def test_a_scale_without_a_legend_has_no_entries():
    assert list_entries([{"color": colour_scale("means", {"better": "blue"}, legend=None)}]) == []
    assert draw_legend([], LOOK) == ([], 0.0)


def test_entries_of_several_rows_stand_in_columns_inside_of_the_picture():
    names = [f"runtime={'x' * (i % 5)}, order={i}" for i in range(9)]
    entries = list_entries([{"color": series_scale("series", names)}])
    parts, height = draw_legend(entries, LOOK)
    places = [(float(x), float(y)) for x, y in re.findall(r'<text x="([\d.]+)" y="([\d.]+)"', "".join(parts))]
    assert len(places) == len(names)
    columns = {x for x, _ in places}
    assert 1 < len(columns) < len(names)
    for (x, y), name in zip(places, names, strict=True):
        assert x >= SYMBOL_PX
        assert x + measure(name, 9) <= 336
        assert y < height
