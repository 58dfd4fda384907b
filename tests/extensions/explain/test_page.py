"""The section of the page: contributions and flame graphs, coloured only where something is resolved."""

from __future__ import annotations

import pytest
from explanations import ALIKE, explanation
from msgspec.structs import replace

from steelyard.extensions.explain.flame import lay_out
from steelyard.extensions.explain.page import section
from steelyard.extensions.page.document import NARROW, WIDE
from steelyard.extensions.page.drawing.picture import draw_picture

pytestmark = pytest.mark.extensions("page")


def test_callers_span_what_they_call_and_nothing_overlaps():
    chains = [(node.chain, node.old_s, node.new_s) for node in explanation().chains]
    blocks = lay_out(chains, by_new=True, narrowest=0.0, deepest=9)
    by_name = {block.function.name: block for block in blocks}
    assert [by_name[name].depth for name in ("main", "parse_block", "memcpy")] == [0, 1, 2]
    assert (by_name["main"].start, round(by_name["main"].end, 9)) == (0, 1)
    assert by_name["main"].start <= by_name["parse_block"].start < by_name["parse_block"].end <= 1
    width = by_name["parse_block"].end - by_name["parse_block"].start
    assert round(width, 6) == round((0.0542 + 0.0104) / (0.0542 + 0.0104 + 0.0415), 6)


def test_narrow_and_deep_blocks_are_left_out():
    chains = [(node.chain, node.old_s, node.new_s) for node in explanation().chains]
    assert {block.function.name for block in lay_out(chains, by_new=True, narrowest=0.2, deepest=9)} == {
        "main",
        "parse_block",
    }
    assert len(lay_out(chains, by_new=False, narrowest=0.0, deepest=1)) == 1
    assert lay_out([], by_new=True, narrowest=0.0, deepest=9) == []


def test_only_functions_that_are_named_have_a_colour():
    flames = {chart.name: chart for chart in section(explanation()).charts}["flames-new"]
    means = {row["name"]: row["means"] for row in flames.data["rows"]}
    assert means == {"main": "not resolved", "parse_block": "slower", "memcpy": "slower"}
    effect = replace(ALIKE, trust="changed")
    flames = {chart.name: chart for chart in section(explanation(sampler=effect)).charts}["flames-new"]
    assert {row["means"] for row in flames.data["rows"]} == {"not resolved"}


def test_each_chart_is_drawn_wide_and_narrow_and_has_a_table():
    for chart in section(explanation()).charts:
        assert chart.columns
        for look in (WIDE, NARROW):
            assert draw_picture(chart.spec, chart.data, look).startswith("<svg")
