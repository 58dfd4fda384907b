"""The page of efficiency: charts with intervals, the ideal line, and what was asked for."""

from __future__ import annotations

import re

from steelyard.extensions.efficiency.estimand import measure_efficiency
from steelyard.extensions.efficiency.page import MOST, lay_out
from steelyard.extensions.efficiency.results import Efficiencies, NotComputed
from steelyard.extensions.growth.scaling import series_of
from steelyard.extensions.page.document import render
from steelyard.extensions.page.figures import charts, draw_figure

P = [1, 2, 4, 8, 16]
TIMES = [[100.0, 101.0], [40.0, 40.2], [27.0, 27.5], [18.0, 18.2], [19.0, 19.1]]


def answer_of(count=1, values=TIMES):
    functions = tuple(
        measure_efficiency(series_of(f"f{number}", ["p"], [[p] for p in P], values, metric="t", unit="s"))
        for number in range(count)
    )
    return Efficiencies(
        functions, (NotComputed("g", "t", "1 point; efficiency needs 2 or more"),), "runs.csv"
    )


def test_the_answer_leads_and_sections_follow():
    page = lay_out(answer_of())
    assert page.name == "runs.csv"
    assert page.findings[0].claim.startswith("f0: 70 % of efficiency up to p = 4")
    assert "superlinear" in page.findings[0].evidence
    assert [section.name for section in page.sections] == ["efficiency-1", "without"]
    assert page.sections[-1].notes == ("g: 1 point; efficiency needs 2 or more",)


def test_charts_draw_intervals_the_ideal_and_the_efficiency_that_was_asked_for():
    drawn = dict(charts([answer_of()]))
    assert [*drawn] == ["efficiency-1", "speedup-1"]
    efficiency, speedup = drawn.values()
    assert {(row["what"], row["y"]) for row in efficiency.data["lines"]} == {
        ("ideal", 100.0),
        ("at least 70 %", 70.0),
    }
    assert [row["y"] for row in speedup.data["lines"]] == P
    for chart in drawn.values():
        first, *rest = chart.data["rows"]
        assert first["low"] is None
        assert all(row["low"] <= row["y"] <= row["high"] for row in rest)
        texts = re.findall(r"<text[^>]*>([^<]*)</text>", draw_figure(chart))
        assert "ideal" in texts


def test_the_page_shows_both_charts_and_the_table():
    text = render((answer_of(),))
    assert text.count("<figure>") == 2
    assert "parallel efficiency, strong scaling" in text
    assert "p × h" in text


def test_of_many_functions_the_first_have_charts_and_all_a_table():
    page = lay_out(answer_of(MOST + 2))
    assert [len(section.charts) for section in page.sections] == [2] * MOST + [0] * 3
    assert all(section.tables for section in page.sections[:-1])
    assert page.omitted == "… and 8 more, in the tables below."


def test_one_value_a_point_has_dots_and_no_bars():
    (_, chart), *_ = charts([answer_of(values=[values[:1] for values in TIMES])])
    assert all(row["low"] is None for row in chart.data["rows"])
    assert draw_figure(chart).startswith("<svg")
