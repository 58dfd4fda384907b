"""Charts as SVG: drawn wherever they are needed, as Vega places them, with no text on a line."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from importlib.util import find_spec
from itertools import combinations

import pytest
from answers.pages import held_to_a_rule, many_runs, page_of, swept, two_treatments, without_runs
from answers.presentable import PRESENTABLE
from hypothesis import given
from hypothesis import strategies as st

from steelyard.extensions.page.drawing.elements import measure
from steelyard.extensions.page.drawing.frame import Look
from steelyard.extensions.page.drawing.picture import Hints, draw_picture
from steelyard.extensions.page.figures import draw_figure_spec
from steelyard.extensions.page.sections import sections_of
from steelyard.report.page.chart import COLOURS, FONT, Chart, number
from steelyard.report.page.forest import Estimated, forest, rows
from steelyard.report.page.ratio_axis import Directions
from steelyard.results.interval import Interval

SVG = "{http://www.w3.org/2000/svg}"
WIDTHS = (336, 400, 840)
MADE = PRESENTABLE


def charts_of(shown):
    return [chart for section in sections_of(shown) for chart in section.charts if not chart.empty]


def drawn(chart, width=840, hints=None, size=11):
    look = Look(width, size, FONT, COLOURS)
    text = draw_picture(chart.spec, chart.data, look, hints or Hints())
    return ET.fromstring(text)  # noqa: S314 -- written here


class Drawing:
    """Texts and straight lines of a picture, as boxes in its coordinates."""

    def __init__(self, root):
        self.texts, self.lines = [], []
        self.turned = 0
        self._read(root, 0.0, None)

    def _read(self, element, down, stroke):
        transform = element.get("transform", "")
        if element.tag == f"{SVG}g" and transform:
            down += float(re.fullmatch(r"translate\(0 ([-\d.]+)\)", transform)[1])
        stroke = element.get("stroke", stroke)
        if element.tag == f"{SVG}text":
            self._read_text(element, down)
        elif element.tag == f"{SVG}line":
            x1, y1, x2, y2 = (float(element.get(key)) for key in ("x1", "y1", "x2", "y2"))
            self._add(x1, y1 + down, x2, y2 + down)
        elif element.tag == f"{SVG}path" and stroke:
            for x, y, kind, a, b in re.findall(
                r"M([-\d.]+) ([-\d.]+)([VHL])([-\d.]+) ?([-\d.]+)?(?=M|$)", element.get("d")
            ):
                x2 = x if kind == "V" else a
                y2 = a if kind == "V" else y if kind == "H" else b
                self._add(float(x), float(y) + down, float(x2), float(y2) + down)
        for child in element:
            self._read(child, down, stroke)

    def _add(self, x1, y1, x2, y2):
        if x1 == x2 or y1 == y2:
            self.lines.append((min(x1, x2) - 0.5, min(y1, y2) - 0.5, max(x1, x2) + 0.5, max(y1, y2) + 0.5))

    def _read_text(self, element, down):
        if element.get("transform"):
            self.turned += 1
            return
        size = float(element.get("font-size"))
        width = measure(element.text, size, bold=element.get("font-weight") == "600") * 0.93
        x, y = float(element.get("x")), float(element.get("y")) + down
        start = x - {"start": 0, "middle": width / 2, "end": width}[element.get("text-anchor", "start")]
        self.texts.append((start, y - 0.72 * size, start + width, y + 0.2 * size, element.text))


def meets(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("make_page", MADE, ids=lambda item: item.__name__)
def test_no_text_lies_on_a_line_or_on_another_text(make_page, width):
    for chart in charts_of(make_page()):
        picture = Drawing(drawn(chart, width))
        assert len(picture.texts) + picture.turned >= 2, chart.name
        assert picture.lines or chart.name.startswith("rule"), chart.name
        for text in picture.texts:
            assert not [line for line in picture.lines if meets(text, line)], (chart.name, text)
            assert text[0] >= -1, (chart.name, text)
            assert text[2] <= width + 1, (chart.name, text)


def crossings(picture):
    """Texts that a line or another text crosses."""
    return [text for text in picture.texts for line in picture.lines if meets(text, line)] + [
        first for first, second in combinations(picture.texts, 2) if meets(first, second)
    ]


LETTERS = st.characters(categories=("L", "N", "P", "Zs"), max_codepoint=0x2FF)
NAMES = st.lists(st.text(LETTERS, min_size=1, max_size=90), min_size=1, max_size=20, unique=True)


@given(NAMES, st.data(), st.sampled_from(WIDTHS))
def test_no_name_is_too_long_and_no_ratio_too_far_for_rows_without_crossings(names, data, width):
    ratios = data.draw(st.lists(st.floats(1e-4, 1e4), min_size=len(names), max_size=len(names)))
    estimates = [
        Estimated(name, ratio, Interval(ratio * 0.97, ratio * 1.02), verdict="not resolved")
        for name, ratio in zip(names, ratios, strict=True)
    ]
    spec = forest(estimates, "", 0.05, Directions("slower", "faster"))
    chart = Chart("effects", "", "", spec, {"rows": rows(estimates)})
    assert crossings(Drawing(drawn(chart, width))) == []


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5),
    st.sampled_from(["linear", "log", "symlog"]),
    st.booleans(),
    st.sampled_from([2, 10]),
)
def test_a_picture_is_drawn_of_any_numbers(values, kind, nice, base):
    scale = {"type": kind, "nice": nice, "padding": 14} | ({"base": base} if kind == "log" else {})
    encoding = {name: number(name, name, scale=scale) for name in "xy"}
    spec = {"data": {"name": "rows"}, "height": 200, "layer": [{"mark": "circle", "encoding": encoding}]}
    points = [{"x": x, "y": y} for x in values for y in values]
    root = drawn(Chart("make_page", "", "", spec, {"rows": points}), 400)
    assert len(list(root.iter(f"{SVG}text"))) < 60


def test_level_lines_give_way_to_a_text_inside_a_plot():
    points = [{"x": 0, "y": 0}, {"x": 10, "y": 10}]
    at = {name: {"field": name, "type": "quantitative"} for name in "xy"}
    text = {"data": {"values": [{"x": 5, "y": 5, "says": "here"}]}, "mark": "text"}
    spec = {
        "data": {"name": "rows"},
        "height": 100,
        "layer": [
            {"mark": "circle", "encoding": at},
            {**text, "encoding": {**at, "text": {"field": "says"}}},
        ],
    }
    picture = Drawing(drawn(Chart("make_page", "", "", spec, {"rows": points}), 400))
    assert any(text[-1] == "here" for text in picture.texts)
    assert crossings(picture) == []


def test_every_chart_of_every_answer_is_drawn_at_every_width(presented):
    _, answer = presented
    for chart in charts_of(without_runs(answer)):
        for width in WIDTHS:
            assert crossings(Drawing(drawn(chart, width))) == [], chart.name


def circles(root):
    """Centres of dots, by groups, in the order of their rows."""
    return [
        [(float(c.get("cx")), float(c.get("cy"))) for c in group if c.tag == f"{SVG}circle"]
        for group in root.iter(f"{SVG}g")
        if any(child.tag == f"{SVG}circle" and child.get("cx") for child in group)
    ]


def circles_by_vega(chart):
    """The same by Vega, which knows nothing of this code."""
    vl_convert = pytest.importorskip("vl_convert", reason="vl-convert is not installed")
    text = vl_convert.vegalite_to_svg(draw_figure_spec(chart, 840))
    root = ET.fromstring(text)  # noqa: S314 -- written here
    groups = []
    for group in root.iter(f"{SVG}g"):
        if "mark-symbol role-mark" in group.get("class", "") and "legend" not in group.get("class", ""):
            places = [re.match(r"translate\(([-\d.]+),([-\d.]+)\)", path.get("transform")) for path in group]
            groups.append([(float(place[1]), float(place[2])) for place in places if place])
    return groups


def normalised(values):
    """Places from 0 to 1: margins and paddings of both drawings differ, and nothing else may."""
    low, high = min(values), max(values)
    return [(value - low) / (high - low) if high - low > 1 else 0.0 for value in values]


def test_dots_lie_where_vega_places_them():
    compared = set()
    for make_page in MADE:
        for chart in charts_of(make_page()):
            theirs = {len(group): group for group in circles_by_vega(chart)}
            for ours in circles(drawn(chart)):
                if len(ours) < 4 or len(ours) not in theirs:
                    continue
                compared.add((make_page.__name__, chart.name))
                for axis in (0, 1):
                    first, second = (
                        normalised([place[axis] for place in g]) for g in (ours, theirs[len(ours)])
                    )
                    assert first == pytest.approx(second, abs=0.012), (chart.name, "xy"[axis])
    # In a copy without the extension (./dev test alone), no history is presentable.
    histories = {"history-1"} if find_spec("steelyard.extensions.history") else set()
    assert {"distribution", "course", "effects", "sweep-p", *histories} <= {name for _, name in compared}


def test_colours_are_attributes_that_need_no_style_sheet():
    for make_page in MADE:
        for chart in charts_of(make_page()):
            text = ET.tostring(drawn(chart), encoding="unicode")
            assert "var(" not in text
            assert "style=" not in text
            assert "class=" not in text


def test_a_picture_has_a_name_a_description_and_marks_that_say_what_they_are():
    (chart,) = [chart for chart in charts_of(two_treatments()) if chart.name == "effects"]
    hints = Hints(name="r1-effects", title="A & B", about="Right <of> 1.", texts=True, treatments={"new": 1})
    root = drawn(chart, hints=hints)
    title, about = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert (title.text, about.text) == ("A & B", "Right <of> 1.")
    assert root.get("aria-labelledby") == f"{title.get('id')} {about.get('id')}"
    (mark,) = root.iter(f"{SVG}circle")
    assert mark.get("data-t") == "1"
    assert "ratio: 1.244 × faster" in mark.find(f"{SVG}title").text


@pytest.mark.extensions("growth")
def test_cells_of_a_rule_hold_their_numbers():
    (chart,) = [chart for chart in charts_of(held_to_a_rule()) if chart.name == "rule-1"]
    texts = {element.text for element in drawn(chart).iter(f"{SVG}text")}
    assert {"✗ 2.5 ×", "1.06 ×", "bytes = 1024"} <= texts


def test_lines_of_a_sweep_have_a_colour_each_and_a_legend():
    chart = next(chart for chart in charts_of(swept()) if chart.name == "sweep-p")
    root = drawn(chart)
    strokes = {path.get("stroke") for path in root.iter(f"{SVG}path")}
    assert {COLOURS["var(--series1)"], COLOURS["var(--series2)"]} <= strokes
    assert {"kind=eager", "kind=lazy"} <= {element.text for element in root.iter(f"{SVG}text")}


def test_100000_runs_are_counts_and_a_picture_of_them_stays_small():
    for chart in charts_of(page_of(many_runs(40, 2500))):
        assert len(ET.tostring(drawn(chart))) < 300_000, chart.name


MEASURED = {"ours": [{"kind": "a", "n": 1, "v": 2.0}, {"kind": "b", "n": 2, "v": 30.0}]}
N = {"field": "n", "type": "quantitative"}
V = {"field": "v", "type": "quantitative"}
KIND = {"field": "kind", "type": "nominal"}


def draw_ours(encoding, **spec):
    spec = {"data": {"name": "ours"}, "mark": "point", "height": 100, "encoding": encoding, **spec}
    return draw_picture(spec, MEASURED, Look(400, 11, FONT, COLOURS))


@pytest.mark.parametrize(
    ("encoding", "spec", "named"),
    [
        ({"x": N, "y": V}, {"mark": "geoshape"}, "geoshape"),
        ({"x": N, "y": {"aggregate": "mean", **V}}, {}, "'aggregate' of y"),
        ({"x": {"bin": True, **V}}, {}, "'bin' of x"),
        ({"x": N, "y": V, "size": V}, {}, "'size'"),
        ({"x": N, "y": V, "color": V}, {}, "scale of color"),
        ({"x": N, "y": V, "strokeDash": KIND}, {}, "scale of strokeDash"),
        ({"x": N, "y": V}, {"data": {"name": "theirs"}}, "'theirs', and has ours"),
    ],
)
def test_what_is_not_understood_is_refused(encoding, spec, named):
    with pytest.raises(ValueError, match=named):
        draw_ours(encoding, **spec)


def test_a_chart_that_names_no_data_is_refused():
    with pytest.raises(ValueError, match="none of its data: ours"):
        draw_picture({"mark": "point", "encoding": {"x": N}}, MEASURED, Look(400, 11, FONT, COLOURS))


def test_names_without_a_scale_have_the_colours_of_series_and_a_legend():
    root = ET.fromstring(draw_ours({"x": N, "y": V, "color": KIND}))  # noqa: S314 -- written here
    filled = {element.get("fill") for element in root.iter() if element.get("fill")}
    assert {COLOURS["var(--series1)"], COLOURS["var(--series2)"]} <= filled
    assert {"a", "b"} <= {element.text for element in root.iter(f"{SVG}text")}
