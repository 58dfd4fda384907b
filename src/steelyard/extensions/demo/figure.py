"""The demo as one picture: a command against itself, single contexts against many, and one program's time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from steelyard.extensions.page.figures import draw_svg
from steelyard.files.writing import write_output
from steelyard.report.page.chart import ACCENT, INK, OPEN, WORSE, data, number
from steelyard.report.text.digits import ratio
from steelyard.results.comparison import Comparison
from steelyard.results.undefined import Undefined

PANEL_PX: Final = 232
HEIGHT_PX: Final = 190


def itself_panel(called: Mapping[str, int], comparisons: int) -> dict[str, Any]:
    """How often a program was called different from itself, by the order of its runs."""
    rows = [
        {"order": order, "called": count, "says": f"{count} of {comparisons}"}
        for order, count in called.items()
    ]
    chance = 0.05 * comparisons
    x = number(
        "called", None, scale={"zero": True, "domainMax": max([*called.values(), 4]) * 1.35}, axis=None
    )
    y = {
        "field": "order",
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": {"labelAlign": "left", "labelOffset": -30, "labelPadding": 0, "labelColor": INK, "zindex": 1},
    }
    expected = {"called": chance, "text": f"{chance:.0f} by chance"}
    return _get_panel(
        "The same program, called different",
        [
            {
                "data": {"values": rows},
                "mark": {"type": "bar", "height": 22, "color": ACCENT},
                "encoding": {"x": x, "y": y},
            },
            {
                "data": {"values": rows},
                "mark": {"type": "text", "align": "left", "dx": 6, "fontWeight": 600},
                "encoding": {"x": x, "y": y, "text": {"field": "says"}},
            },
            {
                "data": {"values": [expected]},
                "mark": {"type": "rule", "color": WORSE, "strokeDash": [3, 3]},
                "encoding": {"x": x},
            },
            {
                "data": {"values": [expected]},
                "mark": {"type": "text", "align": "left", "dx": 4, "baseline": "bottom", "color": WORSE},
                "encoding": {"x": x, "y": {"value": HEIGHT_PX}, "text": {"field": "text"}},
            },
        ],
    )


def optimisation_panel(single: Sequence[Comparison], across: Comparison) -> dict[str, Any]:
    """Return the gain of -O3 in single contexts, and over many."""
    rows = []
    for comparison in (*single, across):
        speedup, interval = comparison.speedup, comparison.ci95
        if isinstance(speedup, Undefined) or interval is None:
            continue
        length = comparison.stratum.get("env_bytes")
        rows.append(
            {
                "name": f"environment +{length} bytes" if length is not None else "20 random environments",
                "value": speedup.value,
                "low": interval.low,
                "high": interval.high,
                "says": f"{ratio(speedup.value, interval)} ×",
                "all": length is None,
            }
        )
    y = {
        "field": "name",
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": {"labelAlign": "left", "labelOffset": -11, "labelPadding": 0, "labelColor": INK, "zindex": 1},
    }
    colour = {"condition": {"test": "datum.all", "value": ACCENT}, "value": OPEN}

    def x(field: str) -> dict[str, Any]:
        return number(field, None, scale={"nice": False, "padding": 24}, axis=None)

    return _get_panel(
        "Gain of -O3, with 95 % intervals",
        [
            {
                "data": {"values": rows},
                "mark": {"type": "rule", "strokeWidth": 5, "strokeCap": "round", "yOffset": 8},
                "encoding": {"x": x("low"), "x2": {"field": "high"}, "y": y, "color": colour},
            },
            {
                "data": {"values": rows},
                "mark": {"type": "text", "align": "right", "yOffset": -11, "fontWeight": 600},
                "encoding": {"x": {"value": PANEL_PX}, "y": y, "text": {"field": "says"}},
            },
        ],
    )


def stack_panel(times_s: Sequence[float], step_bytes: int) -> dict[str, Any]:
    """Elapsed time of one unchanged program over the length of its environment."""
    rows = [{"bytes": i * step_bytes, "ms": 1000 * time} for i, time in enumerate(times_s)]
    x = number("bytes", "bytes of environment", scale={"nice": False}, axis={"tickCount": 4, "grid": False})
    y = number("ms", "ms", scale={"zero": True}, axis={"tickCount": 4})
    mark = {"type": "circle", "size": 14, "color": ACCENT, "opacity": 0.8}
    return _get_panel(
        "One unchanged program",
        [{"data": {"values": rows}, "mark": mark, "encoding": {"x": x, "y": y}}],
    )


def _get_panel(title: str, layers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "title": {"text": title, "anchor": "start", "fontSize": 12, "color": INK, "offset": 10},
        "width": PANEL_PX,
        "height": HEIGHT_PX,
        "layer": [*layers],
    }


def write_demo(file: Path, panels: Sequence[Mapping[str, Any]]) -> None:
    """Write the panels side by side as SVG."""
    spec = {"data": data("none"), "hconcat": [*panels], "spacing": 34, "padding": 12}
    write_output(file, draw_svg(spec | {"datasets": {"none": []}}))
