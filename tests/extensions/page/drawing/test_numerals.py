"""Numbers of axes, against d3 itself, which vl-convert carries."""

from __future__ import annotations

import re

import pytest

from steelyard.extensions.page.drawing.numerals import format_number

NUMBERS = (0.0, 1.0, -2.5, 0.05, 1e-4, 0.1 + 0.2, 12.5, 999.0, 1000.0, 12345.0, 1.5e7, 2e-9, -3e4)


def labels_by_vega(form):
    """What Vega writes of each number: texts of a chart that holds nothing else."""
    vl_convert = pytest.importorskip("vl_convert", reason="vl-convert is not installed")
    rows = [{"y": i, "text": number} for i, number in enumerate(NUMBERS)]
    encoding = {
        "y": {"field": "y", "type": "quantitative", "axis": None},
        "text": {"field": "text", "type": "quantitative", "format": form},
    }
    svg = vl_convert.vegalite_to_svg({"data": {"values": rows}, "mark": "text", "encoding": encoding})
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


@pytest.mark.parametrize("form", ["~g", "~s"])
def test_a_number_reads_as_d3_writes_it(form):
    assert [format_number(number, form) for number in NUMBERS] == labels_by_vega(form)


def test_shares_are_percents_and_large_numbers_have_commas():
    assert [format_number(share, "%") for share in (0.0, 0.2, 0.125)] == ["0%", "20%", "12.5%"]
    assert [format_number(number) for number in (5000.0, -0.5, 2e6)] == ["5,000", "−0.5", "2,000,000"]


def test_a_format_that_no_chart_has_is_refused():
    with pytest.raises(ValueError, match=r"\.3f"):
        format_number(1.0, ".3f")
