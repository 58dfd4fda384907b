"""Elements of SVG: escaped, short, and lines that give way to texts."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.extensions.page.drawing.elements import Label, cut_line, measure, shorten_to, write_element


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from("<>&\"'")))
def test_a_text_is_a_text_whatever_it_holds(text):
    written = Label(text, 1.0, 2.0, 11, "#000000").write({"data_x": text})
    element = ET.fromstring(written)  # noqa: S314 -- written here
    assert (element.text or "", element.attrib.get("data-x", "")) == (text, text)


def test_numbers_have_one_decimal_and_nothing_empty_is_written():
    text = write_element("line", {"x1": 1.2345, "x2": 3.0, "stroke": None, "stroke_dasharray": ""})
    assert text == '<line x1="1.2" x2="3"/>'


@given(st.text(min_size=1, max_size=60), st.floats(20, 400))
def test_a_shortened_text_fits(text, width):
    short = shorten_to(text, 11, width)
    assert measure(short, 11) <= width or len(short) == 1


@pytest.mark.parametrize(
    ("gaps", "parts"),
    [
        ([], [(0, 100)]),
        ([(20, 30)], [(0, 20), (30, 100)]),
        ([(50, 60), (20, 55)], [(0, 20), (60, 100)]),
        ([(-5, 10), (90, 120)], [(10, 90)]),
        ([(-5, 200)], []),
    ],
)
def test_a_line_gives_way_to_what_lies_on_it(gaps, parts):
    assert cut_line(100.0, 0.0, gaps) == parts


def test_a_turned_text_covers_a_box_around_its_corners():
    level = Label("0123456789", 0.0, 0.0, 10, "", "end").box()
    upright = Label("0123456789", 0.0, 0.0, 10, "", "end", angle=-90.0).box()
    assert upright.bottom - upright.top == pytest.approx(level.end - level.start)
