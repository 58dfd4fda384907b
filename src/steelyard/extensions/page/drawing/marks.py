"""Marks of a layer as elements of SVG: rules, dots, ticks, rectangles, texts, lines and areas."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

import msgspec

from steelyard.extensions.page.drawing.elements import CENTRE, Label, number
from steelyard.extensions.page.drawing.expressions import compile_expression, is_valid
from steelyard.extensions.page.drawing.frame import Frame, keep_inside
from steelyard.extensions.page.drawing.layers import Layer, Row
from steelyard.extensions.page.drawing.scales import Numeric, Rows

BASELINES: Final = {"top": 0.78, "bottom": -0.24, "middle": CENTRE}


class Shape(msgspec.Struct, frozen=True):
    """One mark: its element's name and attributes, its row, and what texts of it say."""

    name: str
    attributes: Mapping[str, object]
    row: Row
    label: Label | None = None


def draw_shapes(layer: Layer, frame: Frame) -> Iterator[Shape]:
    """Draw the rows of a layer, in the coordinates of the plot."""
    drawn = {
        "rule": _draw_rule,
        "tick": _draw_tick,
        "rect": _draw_rectangle,
        "bar": _draw_rectangle,
        "text": _draw_text,
        "circle": _draw_dot,
        "point": _draw_dot,
    }.get(layer.kind)
    if layer.kind in ("line", "area"):
        yield from _draw_lines(layer, frame)
        return
    if drawn is None:
        raise ValueError(f"the mark {layer.kind!r} is not understood")
    ends = _stack(layer) if layer.kind == "bar" else {}
    for i, row in enumerate(layer.rows):
        stacked = {**row, "_start": ends[i][0], "_end": ends[i][1]} if ends else row
        shape = drawn(layer, stacked, frame)
        if shape is not None:
            yield shape


def choose(layer: Layer, channel: str, row: Row) -> Any:
    """Return the value of a channel for a row; ``None`` where it is not encoded."""
    encoding = layer.encoding.get(channel)
    if encoding is None:
        return None
    condition = encoding.get("condition")
    if condition is not None:
        if compile_expression(condition["test"])({"datum": row, "chosen": ""}):
            return condition["value"]
        return encoding["value"]
    if "value" in encoding:
        return encoding["value"]
    value, scale = row.get(encoding["field"]), encoding.get("scale") or {}
    if encoding.get("type") == "quantitative":
        (low, high), (least, most) = scale["domain"], scale["range"]
        return least + (most - least) * (float(value or 0) - low) / (high - low)
    domain = list(map(str, scale["domain"]))
    return scale["range"][domain.index(str(value))] if str(value) in domain else None


def _choose_colour(layer: Layer, row: Row, frame: Frame, *channels: str) -> str:
    for channel in (*channels, "color"):
        color = choose(layer, channel, row) if channel in layer.encoding else layer.mark.get(channel)
        if color is not None:
            return frame.look.colour(str(color))
    return frame.look.colour("var(--ink)" if layer.kind == "text" else "var(--muted)")


def _find_place(layer: Layer, channel: str, row: Row, frame: Frame, field: str = "") -> float | None:
    """Where a row lies along an axis; the middle where it has none, ``None`` where that cannot be drawn."""
    across = channel[0] == "x"
    scale = frame.x_scale if across else frame.y_scale
    encoding = layer.encoding.get(channel)
    length = frame.end if across else frame.height
    if encoding is None:
        return None
    if "value" in encoding:
        value = encoding["value"]
        return length if value in ("width", "height") else float(value) + (frame.start if across else 0.0)
    value = row.get(field or encoding["field"])
    if not is_valid(value):
        return None
    if isinstance(scale, Rows):
        return scale.middle(str(value)) if str(value) in scale.domain else None
    assert scale is not None  # noqa: S101 -- for the type checker: a field of the channel made it
    place = scale.place(float(value))  # type: ignore[arg-type]
    return place if math.isfinite(place) else None


def _find_y(layer: Layer, row: Row, frame: Frame) -> float | None:
    """Return the place on the axis of rows or numbers, with the offset within a row."""
    y = _find_place(layer, "y", row, frame)
    if y is None:
        return None
    y += float(layer.mark.get("yOffset", 0)) + float(layer.mark.get("dy", 0))
    offset = layer.encoding.get("yOffset")
    if offset is not None and isinstance(frame.y_scale, Rows):
        low, high = offset["scale"]["domain"]
        y += frame.y_scale.step * ((float(row[offset["field"]]) - low) / (high - low) - 0.5)
    return y


def _fill_by_share(layer: Layer, row: Row) -> dict[str, object]:
    opacity = choose(layer, "fillOpacity", row)
    return {"fill_opacity": None if opacity is None else f"{opacity:.2f}"}


def _draw_rule(layer: Layer, row: Row, frame: Frame) -> Shape | None:
    encoding = layer.encoding
    x, y = _find_place(layer, "x", row, frame), _find_y(layer, row, frame)
    if (x is None and "x" in encoding) or (y is None and "y" in encoding):
        return None
    x2, y2 = x, y
    if "x2" in encoding:
        x2 = _find_place(layer, "x", row, frame, encoding["x2"]["field"])
    if "y2" in encoding:
        y2 = _find_place(layer, "y", row, frame, encoding["y2"]["field"])
    if x is None:
        x, x2 = frame.start, frame.end
    if y is None:
        y, y2 = 0.0, frame.height
    if x2 is None or y2 is None:
        return None
    color = _choose_colour(layer, row, frame, "stroke")
    return Shape("line", {"x1": x, "y1": y, "x2": x2, "y2": y2, "stroke": color}, row)


def _draw_tick(layer: Layer, row: Row, frame: Frame) -> Shape | None:
    x, y = _find_place(layer, "x", row, frame), _find_y(layer, row, frame)
    if x is None or y is None:
        return None
    half = float(layer.mark.get("size", layer.mark.get("height", 12))) / 2
    color = _choose_colour(layer, row, frame)
    return Shape("line", {"x1": x, "y1": y - half, "x2": x, "y2": y + half, "stroke": color}, row)


def _draw_dot(layer: Layer, row: Row, frame: Frame) -> Shape | None:
    x, y = _find_place(layer, "x", row, frame), _find_y(layer, row, frame)
    if x is None or y is None:
        return None
    radius = math.sqrt(float(layer.mark.get("size", 30)) / math.pi)
    if layer.mark.get("shape") == "diamond":
        width, height = radius * 0.8, radius * 1.25
        path = (
            f"M{number(x)} {number(y - height)}L{number(x + width)} {number(y)}"
            f"L{number(x)} {number(y + height)}L{number(x - width)} {number(y)}Z"
        )
        color = _choose_colour(layer, row, frame, "stroke")
        return Shape("path", {"d": path, "fill": "none", "stroke": color}, row)
    fill = _choose_colour(layer, row, frame, "fill")
    stroke = layer.mark.get("stroke")
    look = {"stroke": frame.look.colour(stroke)} if stroke else {}
    return Shape("circle", {"cx": x, "cy": y, "r": radius, "fill": fill, **look}, row)


def _draw_rectangle(layer: Layer, row: Row, frame: Frame) -> Shape | None:
    across, along = (_find_ends(layer, channel, row, frame) for channel in "xy")
    if across is None or along is None:
        return None
    (start, end), (top, bottom) = across, along
    gap = float(layer.mark.get("binSpacing", 0))
    attributes: dict[str, object] = {
        "x": start + gap / 2,
        "y": top,
        "width": max(end - start - gap, 0.5),
        "height": max(bottom - top, 0.5),
        "rx": layer.mark.get("cornerRadius"),
        "fill": _choose_colour(layer, row, frame, "fill"),
    }
    return Shape("rect", attributes | _fill_by_share(layer, row), row)


def _find_ends(layer: Layer, channel: str, row: Row, frame: Frame) -> tuple[float, float] | None:
    """Return where a rectangle begins and ends along an axis, in ascending order."""
    scale = frame.x_scale if channel == "x" else frame.y_scale
    encoding = layer.encoding.get(channel)
    if encoding is None:
        return (frame.start, frame.end) if channel == "x" else (0.0, frame.height)
    if isinstance(scale, Rows):
        middle = _find_place(layer, channel, row, frame)
        if middle is None:
            return None
        height = layer.mark.get("height", scale.step) if channel == "y" else scale.step
        half = (height["band"] * scale.step if isinstance(height, Mapping) else float(height)) / 2
        return middle - half, middle + half
    assert isinstance(scale, Numeric)  # noqa: S101 -- for the type checker
    if f"{channel}2" in layer.encoding:
        low, high = row.get(encoding["field"]), row.get(layer.encoding[f"{channel}2"]["field"])
    elif "_start" in row:
        low, high = row["_start"], row["_end"]
    else:
        low, high = 0.0, row.get(encoding["field"])
    if low is None or high is None or not (is_valid(low) and is_valid(high)):
        return None
    start, end = scale.places
    places = sorted(
        min(max(scale.place(float(value)), min(start, end)), max(start, end)) for value in (low, high)
    )
    return places[0], places[1]


def _stack(layer: Layer) -> dict[int, tuple[float, float]]:
    """Return where each bar begins and ends where bars of a row stand one behind the other."""
    encoding = layer.encoding
    if not encoding.get("x", {}).get("stack") or "y" not in encoding:
        return {}
    order = encoding.get("order", {}).get("field", "")
    ends: dict[str, float] = {}
    stacked: dict[int, tuple[float, float]] = {}
    for i, row in sorted(enumerate(layer.rows), key=lambda item: item[1].get(order, 0)):
        name = str(row[encoding["y"]["field"]])
        start = ends.get(name, 0.0)
        ends[name] = start + float(row[encoding["x"]["field"]])
        stacked[i] = (start, ends[name])
    return stacked


def _draw_text(layer: Layer, row: Row, frame: Frame) -> Shape | None:
    x, y = _find_place(layer, "x", row, frame), _find_y(layer, row, frame)
    text = row.get(layer.encoding["text"]["field"])
    if x is None or y is None or text is None:
        return None
    size = frame.look.size
    anchor = {"left": "start", "right": "end"}.get(layer.mark.get("align", "center"), "middle")
    y += BASELINES[layer.mark.get("baseline", "middle")] * size
    bold = layer.mark.get("fontWeight", 400) == 600
    color = _choose_colour(layer, row, frame)
    label = Label(str(text), x + float(layer.mark.get("dx", 0)), y, size, color, anchor, bold)
    return Shape("text", {}, row, keep_inside(label, frame.look.width))


def _draw_lines(layer: Layer, frame: Frame) -> Iterator[Shape]:
    """Draw a line or an area for each series, from left to right."""
    keys = [layer.encoding[name]["field"] for name in ("color", "detail", "strokeDash")
            if "field" in layer.encoding.get(name, {})]  # fmt: skip
    series: dict[tuple[Any, ...], list[Row]] = {}
    for row in layer.rows:
        series.setdefault(tuple(row.get(key) for key in keys), []).append(row)
    for rows in series.values():
        x_of = layer.encoding["x"]["field"]
        ordered = sorted((row for row in rows if is_valid(row.get(x_of))), key=lambda row: row[x_of])
        points = _list_points(layer, ordered, frame)
        if not points:
            continue
        if layer.kind == "area":
            high = layer.encoding["y2"]["field"]
            over = _list_points(layer, ordered, frame, high)
            fill = _choose_colour(layer, rows[0], frame, "fill")
            path = f"{_join_points(points)}L{_join_points(over[::-1])[1:]}Z"
            yield Shape("path", {"d": path, "fill": fill}, rows[0])
            continue
        if layer.mark.get("interpolate") == "step":
            points = _make_steps(points)
        dash = choose(layer, "strokeDash", rows[0])
        attributes = {
            "d": _join_points(points),
            "fill": "none",
            "stroke": _choose_colour(layer, rows[0], frame, "stroke"),
            "stroke_dasharray": " ".join(f"{length:g}" for length in dash) if dash and dash[-1] else None,
        }
        yield Shape("path", attributes, rows[0])


def _list_points(
    layer: Layer, rows: Sequence[Row], frame: Frame, field: str = ""
) -> list[tuple[float, float]]:
    points = []
    for row in rows:
        x, y = _find_place(layer, "x", row, frame), _find_place(layer, "y", row, frame, field)
        if x is not None and y is not None:
            points.append((x, y))
    return points


def _make_steps(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return a line of level pieces that change half-way between points."""
    steps = [points[0]]
    for (x, y), (next_x, next_y) in pairwise(points):
        steps += [((x + next_x) / 2, y), ((x + next_x) / 2, next_y)]
    return [*steps, points[-1]]


def _join_points(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
