"""Parts of a picture: what is merged stays where it was, and what differs stays apart."""

from __future__ import annotations

from steelyard.extensions.page.drawing.parts import Part, list_shared, merge


def line(x, color="#000000", inside="", **options):
    return Part("line", {"x1": x, "y1": 1.0, "x2": x, "y2": 9.5, "stroke": color, **options}, inside)


def test_lines_of_one_look_are_one_path_with_the_same_ends():
    (path,) = merge(
        [
            line(1.0),
            line(2.25),
            Part("line", {"x1": 1.0, "y1": 3.0, "x2": 4.0, "y2": 3.0, "stroke": "#000000"}),
        ]
    )
    assert path.attributes == {"d": "M1 1V9.5M2.2 1V9.5M1 3H4", "stroke": "#000000"}


def test_rectangles_are_closed():
    cells = [
        Part("rect", {"x": x, "y": 2.0, "width": 5.0, "height": 3.5, "fill": "#ffffff"}) for x in (0.0, 5.0)
    ]
    assert merge(cells)[0].attributes["d"] == "M0 2h5v3.5h-5zM5 2h5v3.5h-5z"


def test_what_has_another_colour_or_treatment_or_says_something_stays_apart():
    parts = [line(1.0), line(2.0, "#ffffff"), line(3.0, data_t=1), line(4.0, inside="<title>a</title>")]
    assert len(merge(parts)) == 4


def test_a_group_has_what_all_of_its_marks_share_and_nothing_else():
    attributes = {"stroke": "#000000", "x1": 1.0}
    assert list_shared([attributes, {**attributes, "data_t": 1}]) == {"stroke": "#000000"}
    assert list_shared([attributes]) == {}
