"""Every chart is Vega-Lite by its own schema, as altair carries it, and can be drawn."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import altair as alt
import pytest
from answers.pages import many_runs, page_of, without_runs
from answers.presentable import PRESENTABLE

from steelyard.extensions.page.figures import draw_figure_spec
from steelyard.extensions.page.sections import sections_of
from steelyard.report.page.chart import DARK, LIGHT, draw_rows_axis


@cache
def validator():
    import jsonschema

    (file,) = Path(alt.__file__).parent.glob("vegalite/v[6-9]/schema/vega-lite-schema.json")
    return jsonschema.Draft7Validator(json.loads(file.read_text()))


def wrong(chart):
    """The most telling thing that is wrong with a chart; ``None`` where it is valid."""
    from jsonschema.exceptions import best_match

    result = best_match(validator().iter_errors(json.loads(json.dumps(draw_figure_spec(chart)))))
    return result and (chart.name, list(result.absolute_path), result.message[:300])


def charts_of(shown):
    return [chart for section in sections_of(shown) for chart in section.charts if not chart.empty]


@pytest.mark.parametrize("make_page", PRESENTABLE, ids=lambda item: item.__name__)
def test_every_chart_of_a_page_is_valid(make_page):
    for chart in charts_of(make_page()):
        assert wrong(chart) is None


def test_every_chart_of_every_answer_is_valid(presented):
    _, answer = presented
    for chart in charts_of(without_runs(answer)):
        assert wrong(chart) is None


def hold_tables_of(contents):
    for chart in charts_of(contents):
        assert chart.columns, chart.name
        assert len({len(column.cells) for column in chart.columns}) == 1, chart.name
        assert len(chart.rows_of) in (0, len(chart.columns[0].cells)), chart.name


def test_below_every_chart_stands_a_table_with_equally_many_cells_a_column(presented):
    _, answer = presented
    hold_tables_of(without_runs(answer))


@pytest.mark.parametrize("make_page", PRESENTABLE, ids=lambda item: item.__name__)
def test_below_every_chart_of_a_page_stands_such_a_table(make_page):
    hold_tables_of(make_page())


def test_names_of_charts_are_unique_and_fit_files():
    for make_page in PRESENTABLE:
        names = [chart.name for chart in charts_of(make_page())]
        assert len(set(names)) == len(names)
        assert all(name.replace("-", "").isalnum() and name.isascii() for name in names)


def test_names_of_rows_that_have_no_room_are_cut_where_they_are_alike():
    names = [f"command={c}, opt=O2, affinity=compact, threads={n}" for c in ("ep", "cg") for n in range(10)]
    short, full = told(draw_rows_axis(names)["axis"]["labelExpr"])
    assert short[full.index(names[3])] == "command=ep, threads=3"
    assert len({*short}) == len(names)
    short, _ = told(draw_rows_axis(names[:4])["axis"]["labelExpr"])
    assert short == ["threads=0", "threads=1", "threads=2", "threads=3"]
    assert "labelExpr" not in draw_rows_axis(["short", "names"])["axis"]


def test_no_axis_of_many_treatments_has_two_names_that_look_alike():
    for chart in charts_of(page_of(many_runs(40, 3))):
        for text in expressions(chart.spec):
            short, full = told(text)
            assert len({*short}) == len(full), chart.name


def told(expression):
    """What a narrow chart shows, and of which values."""
    short, values = re.findall(r"\((\[.*?\])\)\[indexof\((\[.*?\]), datum", expression)[-1]
    return json.loads(short), json.loads(values)


def expressions(spec):
    if isinstance(spec, dict):
        for key, value in spec.items():
            if key == "labelExpr":
                yield value
            else:
                yield from expressions(value)
    elif isinstance(spec, list):
        for item in spec:
            yield from expressions(item)


def test_a_tooltip_asks_only_for_fields_that_its_rows_have():
    for make_page in PRESENTABLE:
        for chart in charts_of(make_page()):
            for data, fields in tooltips(chart.spec, chart.spec.get("data")):
                rows = chart.data.get(data, [])
                assert all(set(fields) <= set(row) for row in rows), (chart.name, data, fields)


def tooltips(spec, inherited):
    data = spec.get("data") or inherited
    named = (data or {}).get("name")
    for item in spec.get("encoding", {}).get("tooltip", ()):
        yield named, [item["field"]]
    for layer in spec.get("layer", ()):
        yield from tooltips(layer, data)


def contrast(one, other):
    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_text_stands_out_by_four_and_a_half_to_one_and_marks_by_three(palette):
    for name, colour in palette.items():
        if name not in ("page", "grid"):
            least = 4.5 if name in ("ink", "muted", "accent", "better", "worse", "open") else 3
            assert contrast(colour, palette["page"]) >= least, name


def test_a_colour_of_light_windows_is_one_colour_of_dark_ones():
    """Charts have those of light windows as attributes, by which the style sheet finds the others."""
    assert len({(LIGHT[name], DARK[name]) for name in LIGHT}) == len({*LIGHT.values()})


def test_both_palettes_name_the_same_colours():
    assert LIGHT.keys() == DARK.keys()
