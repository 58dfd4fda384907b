"""One chart as SVG: layers of Vega-Lite, drawn in Python.

What is understood is the part of Vega-Lite that the charts of this package use; a test holds each chart to
it, and compares places with those that Vega itself finds. Texts cover no line: lines that cross the plot
give way to them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from steelyard.extensions.page.drawing.elements import Box, Label, measure, number, shorten_to, write_element
from steelyard.extensions.page.drawing.expressions import is_valid
from steelyard.extensions.page.drawing.frame import Frame, Look, Spec
from steelyard.extensions.page.drawing.layers import Data, Layer, list_layers, make_field
from steelyard.extensions.page.drawing.legend import draw_legend, list_entries
from steelyard.extensions.page.drawing.marks import Shape, draw_shapes
from steelyard.extensions.page.drawing.parts import Part, cut, list_shared, merge
from steelyard.extensions.page.drawing.scales import Numeric, Rows


class Hints(msgspec.Struct, frozen=True):
    """What a page adds to a picture.

    Attributes
    ----------
    name : str
        Identifier of the picture in the page; empty: none.
    title, about : str
        Said to readers who do not see it.
    heading : str
        A line above it.
    root : Mapping[str, object]
        Further attributes of the outermost element.
    texts : bool
        Whether marks say what they are when the pointer rests on them.
    treatments : Mapping[str, int]
        Numbers of treatments, which marks carry.
    live : str
        The data set whose rows the page holds elsewhere: its marks carry the number of their row there.
    """

    name: str = ""
    title: str = ""
    about: str = ""
    heading: str = ""
    root: Mapping[str, object] = {}
    texts: bool = False
    treatments: Mapping[str, int] = {}
    live: str = ""


def draw_picture(spec: Spec, data: Data, look: Look, hints: Hints = Hints()) -> str:  # noqa: B008 -- frozen
    """Draw a chart.

    Raises
    ------
    ValueError
        It uses something of Vega-Lite that this does not understand.
    """
    layers = list(list_layers(spec, data))
    x, y = (make_field(layers, channel) for channel in "xy")
    ends = max((label.box().end - label.box().start for label in _list_ends(layers, look)), default=0.0)
    frame = Frame(x, y, spec, look, ends)
    heading, lowered = _draw_heading(hints.heading, look)
    entries, height = draw_legend(list_entries([layer.encoding for layer in layers]), look)
    raised = _raise_texts(layers, look)
    frame.move_down(lowered + height + raised)
    shapes = [list(draw_shapes(layer, frame)) for layer in layers]
    boxes = [label.box() for label in frame.labels]
    boxes += [shape.label.box() for drawn in shapes for shape in drawn if shape.label is not None]
    body = [
        *_write_grid(frame, boxes),
        *(
            _write_group(layer, drawn, frame, boxes, hints)
            for layer, drawn in zip(layers, shapes, strict=True)
        ),
        *(label.write() for label in frame.labels),
    ]
    total = frame.top + frame.height + frame.bottom
    inside = [
        _write_words(hints),
        write_element("rect", {"width": "100%", "height": "100%", "fill": look.colour("var(--page)")}),
        *heading,
        f'<g transform="translate(0 {number(lowered)})">{"".join(entries)}</g>' if entries else "",
        f'<g transform="translate(0 {number(frame.top)})">{"".join(body)}</g>',
    ]
    root: dict[str, object] = {
        "xmlns": "http://www.w3.org/2000/svg",
        "width": float(look.width),
        "height": total,
        "viewBox": f"0 0 {number(look.width)} {number(total)}",
        "preserveAspectRatio": "xMinYMin",
        "font_family": look.font,
    }
    if hints.name:
        root |= {"role": "img", "aria_labelledby": f"{hints.name}-title {hints.name}-about"}
    return write_element("svg", root | dict(hints.root), "".join(inside))


def _draw_heading(text: str, look: Look) -> tuple[list[str], float]:
    """Draw a heading, in as many lines as it needs; return the elements and their height."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and measure(longer, look.size, bold=True) <= look.width - 4:
            lines[-1] = longer
        else:
            lines.append(word)
    height = 1.3 * look.size
    color = look.colour("var(--ink)")
    labels = [
        Label(shorten_to(line, look.size, look.width - 4), 2, (i + 1) * height, look.size, color, bold=True)
        for i, line in enumerate(lines)
    ]
    return [label.write() for label in labels], height * len(lines) + (6 if lines else 0)


def _write_words(hints: Hints) -> str:
    if not hints.name:
        return ""
    return write_element("title", {"id": f"{hints.name}-title"}, _escape(hints.title)) + write_element(
        "desc", {"id": f"{hints.name}-about"}, _escape(hints.about)
    )


def _list_ends(layers: Sequence[Layer], look: Look) -> Iterator[Label]:
    """Yield the texts that stand at the right ends of rows."""
    for layer in layers:
        if layer.kind == "text" and layer.encoding.get("x", {}).get("value") == "width":
            field = layer.encoding["text"]["field"]
            for row in layer.rows:
                yield Label(str(row.get(field) or ""), 0, 0, look.size, "", bold=True)


def _raise_texts(layers: Sequence[Layer], look: Look) -> float:
    """Return the room for texts that stand above the plot."""
    above = [
        layer for layer in layers if layer.kind == "text" and layer.encoding.get("y", {}).get("value", 0) < 0
    ]
    return look.size + 4 if above else 0.0


def _write_grid(frame: Frame, boxes: Sequence[Box]) -> Iterator[str]:
    look = frame.look
    lines = []
    for field, ticks, upright in ((frame.x, frame.x_ticks, True), (frame.y, frame.y_ticks, False)):
        if field is not None and (field.axis or {}).get("grid", True):
            lines += [part for place in ticks for part in cut(place, frame, boxes, upright=upright)]
    path = "".join(f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}" for x1, y1, x2, y2 in lines)
    if path:
        yield write_element("path", {"d": path, "stroke": look.colour("var(--grid)"), "fill": "none"})


def _write_group(
    layer: Layer, shapes: Sequence[Shape], frame: Frame, boxes: Sequence[Box], hints: Hints
) -> str:
    """Write the shapes of a layer, with the look that they share once."""
    live = bool(hints.live) and layer.source == hints.live
    listed = (part for shape in shapes for part in _list_parts(layer, shape, frame, boxes, hints, live=live))
    parts = merge(list(listed))
    shared = list_shared([part.attributes for part in parts])
    elements = [part.write(shared) for part in parts]
    visible, dim = _read_opacity(layer)
    thickness = layer.mark.get("strokeWidth", layer.mark.get("thickness"))
    lines = layer.kind in ("rule", "tick", "line")
    attributes: dict[str, object] = {
        "fill_opacity": visible if not lines and visible < 1 else None,
        "stroke_opacity": visible if lines and visible < 1 else None,
        "stroke_width": f"{thickness:g}" if thickness else None,
        "stroke_linecap": layer.mark.get("strokeCap"),
        "stroke_dasharray": " ".join(f"{length:g}" for length in layer.mark.get("strokeDash", ())),
        "stroke_linejoin": "round" if layer.kind == "line" else None,
    }
    attributes = {key: f"{v:g}" if isinstance(v, float) else v for key, v in attributes.items()}
    if hints.treatments and dim is not None:
        attributes["data_dim"] = f"{dim / visible:.3g}"
    if live and layer.kind == "circle":
        attributes |= _describe_scales(layer, frame)
    return write_element("g", attributes | shared, "".join(elements)) if elements else ""


def _read_opacity(layer: Layer) -> tuple[float, float | None]:
    """Return the opacity of all marks of a layer, and that of those which step back."""
    encoding = layer.encoding.get("opacity")
    if encoding is not None and "condition" in encoding:
        return float(encoding["condition"]["value"]), float(encoding["value"])
    return float(layer.mark.get("opacity", 1.0)), None


def _describe_scales(layer: Layer, frame: Frame) -> dict[str, object]:
    """Return what the script of a page needs to draw further runs of a treatment."""
    axes: dict[str, object] = {}
    for channel, scale in (("x", frame.x_scale), ("y", frame.y_scale)):
        if isinstance(scale, Numeric):
            axis = {"field": layer.encoding[channel]["field"], **msgspec.to_builtins(scale)}
            axes[f"data_{channel}"] = json.dumps(axis)
        elif isinstance(scale, Rows):
            low, high = layer.encoding["yOffset"]["scale"]["domain"]
            axes[f"data_{channel}"] = json.dumps({"step": scale.step, "jitter": [low, high]})
    return axes


def _list_parts(
    layer: Layer, shape: Shape, frame: Frame, boxes: Sequence[Box], hints: Hints, *, live: bool
) -> Iterator[Part]:
    attributes: dict[str, object] = dict(shape.attributes)
    if (treatment := hints.treatments.get(str(shape.row.get("treatment")))) is not None:
        attributes["data_t"] = treatment
    if live:
        attributes["data_i"] = shape.row["at"]
    tooltip = layer.encoding.get("tooltip")
    inside = _describe(tooltip, shape.row) if tooltip and hints.texts and not live else ""
    if not layer.spanning:
        yield Part(shape.name, attributes, inside, shape.label)
        return
    upright = "x" in layer.encoding
    place = attributes["x1"] if upright else attributes["y1"]
    for x1, y1, x2, y2 in cut(float(str(place)), frame, boxes, upright=upright):
        yield Part(shape.name, {**attributes, "x1": x1, "y1": y1, "x2": x2, "y2": y2}, inside)


def _describe(tooltip: Sequence[Mapping[str, str]], row: Mapping[str, Any]) -> str:
    """Return what a mark says when the pointer rests on it."""
    lines = (
        f"{field['title']}: {row[field['field']]}" for field in tooltip if is_valid(row.get(field["field"]))
    )
    return write_element("title", {}, _escape("\n".join(lines)))


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
