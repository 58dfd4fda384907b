"""The plot within its picture: rows, ticks, and labels with room for themselves."""

from __future__ import annotations

from itertools import pairwise

import pytest

from steelyard.extensions.page.drawing.frame import Field, Frame, Look
from steelyard.extensions.page.drawing.scales import Rows
from steelyard.report.page.chart import draw_rows_axis
from steelyard.report.page.ratio_axis import Directions, make_ratio_axis

LOOK = Look(400, 11, "sans-serif", {})


def rows(names):
    axis = draw_rows_axis(names)
    return Field("nominal", "", axis["scale"], axis["axis"], tuple(names))


def test_few_names_stand_above_their_rows_and_many_beside_them():
    few, many = rows(["a", "b"]), rows([f"name {i}" for i in range(20)])
    above, beside = Frame(None, few, {"height": 92}, LOOK), Frame(None, many, {"height": 400}, LOOK)
    assert above.start + 15 < beside.start
    assert isinstance(above.y_scale, Rows)
    assert above.labels[0].y < above.y_scale.middle("a")
    assert beside.labels[0].anchor == "end"


def test_a_name_gives_way_to_the_text_at_the_end_of_its_row():
    name = "a name that is longer than the picture is wide, and then some words more"
    frame = Frame(None, rows([name, "b"]), {"height": 92}, LOOK, ends=150.0)
    label = frame.labels[0]
    assert "…" in label.text
    assert label.box().end < frame.end - 150


@pytest.mark.parametrize("low", [0.98, 0.9, 0.362, 0.01])
def test_the_tick_at_1_is_labelled_however_near_others_are(low):
    encoding = make_ratio_axis("value", "", [low, 1.004], Directions("slower", "faster"))
    frame = Frame(
        Field("quantitative", "", encoding["scale"], encoding["axis"], (low, 1.004)), None, {}, LOOK
    )
    texts = [label.text for label in frame.labels]
    assert "1" in texts
    assert len(texts) >= 2
    boxes = sorted((label.box().start, label.box().end) for label in frame.labels)
    assert all(end < start for (_, end), (start, _) in pairwise(boxes))
