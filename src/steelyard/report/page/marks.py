"""What pictures are made of: marks, the rows that they draw, and what colours them, as Vega-Lite."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import cycle
from typing import Any

from steelyard.report.page.chart import MUTED, SERIES, data

Encoding = Mapping[str, Any]


def mark(
    kind: str, encoding: Encoding, *, rows: str = "", condition: str = "", **look: Any
) -> dict[str, Any]:
    """Return a layer with a mark for each row.

    Parameters
    ----------
    kind : str
        Of Vega-Lite's marks: ``rule``, ``point``, …
    rows : str
        The data set; empty: that of the whole chart.
    condition : str
        A field that a row must have to be drawn, or an expression; empty: all are.
    **look
        What all marks share: ``color``, ``size``, …
    """
    layer: dict[str, Any] = {"data": data(rows)} if rows else {}
    if condition:
        test = f"isValid(datum.{condition})" if condition.isidentifier() else condition
        layer["transform"] = [{"filter": test}]
    return layer | {"mark": {"type": kind, **look}, "encoding": dict(encoding)}


def line_at(value: float, channel: str, encode: Callable[[str], Encoding]) -> dict[str, Any]:
    """Return the dashed line of what is compared with: 1 of ratios, 0 of differences.

    Parameters
    ----------
    channel : {"x", "y"}
    encode : callable
        Encoding of a field on that axis.
    """
    rule = mark("rule", {channel: encode("at")}, color=MUTED, strokeDash=[3, 3])
    return {"data": {"values": [{"at": value}]}, **rule}


def point(encoding: Encoding, size: int, *, rows: str = "", **look: Any) -> dict[str, Any]:
    """Return a filled dot for each row."""
    return mark("point", encoding, rows=rows, filled=True, size=size, **look)


def diamond(encoding: Encoding, condition: str, size: int, color: str, *, rows: str) -> dict[str, Any]:
    """Return a diamond around each row of which something is to be said."""
    return mark(
        "point",
        encoding,
        rows=rows,
        condition=condition,
        shape="diamond",
        size=size,
        color=color,
        strokeWidth=1.4,
    )


def colour_scale(field: str, colours: Mapping[str, Any], **options: Any) -> dict[str, Any]:
    """Return an encoding that gives each value of a field its colour or dashes, with a legend by default."""
    scale = {"domain": [*colours], "range": [*colours.values()]}
    return {"field": field, "type": "nominal", "title": None, "scale": scale, **options}


def series_scale(field: str, names: Iterable[str], **options: Any) -> dict[str, Any]:
    """Return an encoding that gives each name the next colour of series, beginning anew after the last."""
    distinct = dict.fromkeys(names)
    return colour_scale(field, dict(zip(distinct, cycle(SERIES), strict=False)), **options)


def opacity_scale(field: str, lightest: float, darkest: float) -> dict[str, Any]:
    """Return an opacity that grows with a share."""
    scale = {"domain": [0, 1], "range": [lightest, darkest]}
    return {"field": field, "type": "quantitative", "legend": None, "scale": scale}


def name_axis(field: str, **options: Any) -> dict[str, Any]:
    """Return an axis of names, in the order of the rows."""
    return {"field": field, "type": "nominal", "sort": None, **options}
