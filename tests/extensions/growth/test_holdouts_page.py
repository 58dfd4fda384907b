"""The audit on the page: predictions of points that were held out, over what was measured."""

from __future__ import annotations

import re

import numpy as np
import pytest

from steelyard.extensions.growth.holdouts_page import FARTHEST, section
from steelyard.extensions.growth.results import PageModels
from steelyard.extensions.growth.scaling import series_of
from steelyard.extensions.growth.scaling.holdout import HeldPoint, Holdout, hold_out
from steelyard.extensions.page.document import render
from steelyard.extensions.page.figures import charts, draw_figure

pytestmark = pytest.mark.extensions("page")

AT = [1, 2, 4, 8, 16, 32]


def audited(name="solve"):
    rng = np.random.default_rng(3)
    means = np.array([2 + 100 / p for p in AT])
    values = means[:, None] * (1 + 0.01 * rng.standard_normal((len(AT), 3)))
    return hold_out(series_of(name, ["p"], [[p] for p in AT], values.tolist(), metric="t", unit="s"))


def test_a_chart_has_a_row_for_each_point_and_a_dot_for_each_method():
    holdout = audited()
    part = section([holdout])
    assert part.sentences[0].startswith("2 of 2 intervals held; median error: the model")
    (chart,) = part.charts
    assert len(chart.data["intervals"]) == 2
    assert {row["method"] for row in chart.data["values"]} >= {"the model", "a + b/p", "a power law"}
    ratio = next(row["ratio"] for row in chart.data["values"] if row["method"] == "the model")
    assert ratio == holdout.points[0].value / holdout.points[0].measured
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", draw_figure(chart))
    assert "predicted / measured" in texts


def test_an_interval_that_misses_is_told_apart():
    missed = HeldPoint(64.0, 10.0, 5.0, 4.0, 6.0, False, 5.0, 5.0)
    (chart,) = section([Holdout("f", "t", "s", "p", (missed,))]).charts
    assert chart.data["intervals"][0]["what"] == "interval, missed"


def test_what_is_far_off_is_in_the_table_and_not_in_the_chart():
    far = HeldPoint(64.0, 10.0, 1e9, 4.0, float("inf"), True, 5.0, 5.0)
    part = section([Holdout("f", "t", "s", "p", (far,))])
    (chart,) = part.charts
    assert "the model" not in {row["method"] for row in chart.data["values"]}
    assert chart.data["intervals"][0]["high"] == FARTHEST
    assert part.tables[0][1][3].cells


def test_what_was_not_held_out_says_why():
    part = section([Holdout("f", "t", "s", "p", (), "4 points; 5 are needed to hold one out")])
    assert part.charts == ()
    assert part.notes == ("f: not held out: 4 points; 5 are needed to hold one out",)


def test_without_an_audit_there_is_no_section():
    assert section([]) is None


def test_the_page_of_models_has_the_audit():
    models = PageModels("made.csv", (), (), (audited(),))
    assert [name for name, _ in charts([models])] == ["audit"]
    assert "Last points held out" in render((models,))
