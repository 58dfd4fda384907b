"""Layers of a chart: their marks, their rows after transforms, and what they say together of an axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from typing import Any, Final

import msgspec

from steelyard.extensions.page.drawing.expressions import compile_expression, is_valid
from steelyard.extensions.page.drawing.frame import Field, Spec
from steelyard.report.page.chart import SERIES

Row = Mapping[str, Any]
Data = Mapping[str, Sequence[Row]]
COMPUTED: Final = ("aggregate", "bin", "timeUnit", "impute")
"""Keys of an encoding that make other rows of those that are there: without them, the picture is another."""
COLOURS: Final = ("color", "fill", "stroke")
SHADES: Final = ("strokeDash", "opacity", "fillOpacity")
CHANNELS: Final = (*COLOURS, *SHADES, "x", "x2", "y", "y2", "yOffset", "text", "tooltip", "detail", "order")
NO_ROWS: Final[Sequence[Row]] = ()


class Layer(msgspec.Struct, frozen=True):
    """What one mark draws: its look, its encoding, and rows after their transforms."""

    mark: Spec
    encoding: Spec
    rows: Sequence[Row]
    source: str = ""

    @property
    def kind(self) -> str:
        """Return the name of the mark."""
        return str(self.mark["type"])

    @property
    def spanning(self) -> bool:
        """Whether it draws lines from one side of the plot to the other."""
        return self.kind == "rule" and not {"x", "y"} <= self.encoding.keys()


def list_layers(spec: Spec, data: Data, around: Layer | None = None) -> Iterator[Layer]:
    """Yield the marks with their rows; data and encoding are also those of the layers ``around``.

    Raises
    ------
    ValueError
        A layer names no data, or rows that would have to be computed.
    """
    outer = around or Layer({}, {}, NO_ROWS)
    encoding = {**outer.encoding, **spec.get("encoding", {})}
    rows, source = outer.rows, outer.source
    if "data" in spec:
        source = spec["data"].get("name", "")
        if source and source not in data:
            raise ValueError(f"a chart names the data {source!r}, and has {', '.join(data) or 'none'}")
        rows = data[source] if source else spec["data"]["values"]
    for layer in spec.get("layer", ()):
        yield from list_layers(layer, data, Layer({}, encoding, rows, source))
    if "mark" in spec:
        mark = spec["mark"] if isinstance(spec["mark"], Mapping) else {"type": spec["mark"]}
        if rows is NO_ROWS:
            raise ValueError(f"a chart names none of its data: {', '.join(data)}")
        drawn = _transform(rows, spec.get("transform", ()))
        completed = {channel: _complete(channel, field, drawn) for channel, field in encoding.items()}
        yield Layer(mark, completed, drawn, source)


def _complete(channel: str, encoding: Any, rows: Sequence[Row]) -> Any:
    """Give names the colours of series where their encoding has none."""
    if channel not in CHANNELS:
        raise ValueError(f"the channel {channel!r} is not understood")
    if channel == "tooltip":
        return encoding
    computed = [key for key in COMPUTED if encoding.get(key) and encoding[key] != {"binned": True}]
    if computed:
        raise ValueError(f"{computed[0]!r} of {channel} is not understood: compute the rows that are drawn")
    scale = encoding.get("scale") or {}
    if channel not in COLOURS + SHADES or "field" not in encoding or "domain" in scale:
        return encoding
    if channel not in COLOURS or encoding.get("type") != "nominal":
        raise ValueError(f"the scale of {channel} needs a domain and a range")
    names = dict.fromkeys(str(row[encoding["field"]]) for row in rows if encoding["field"] in row)
    colours = dict(zip(names, cycle(SERIES), strict=False))
    return {**encoding, "scale": {**scale, "domain": [*colours], "range": [*colours.values()]}}


def _transform(rows: Sequence[Row], transforms: Sequence[Spec]) -> list[Row]:
    drawn = list(rows)
    for transform in transforms:
        if "filter" in transform:
            test = compile_expression(transform["filter"])
            drawn = [row for row in drawn if test({"datum": row, "chosen": ""})]
        else:
            value = compile_expression(transform["calculate"])
            drawn = [{**row, transform["as"]: value({"datum": row})} for row in drawn]
    return drawn


def make_field(layers: Sequence[Layer], channel: str) -> Field | None:
    """Join what all layers say of an axis."""
    values: list[Any] = []
    kind, title = "", ""
    scale: dict[str, Any] = {}
    axis: dict[str, Any] = {}
    zero = hidden = False
    for layer in layers:
        encoding = layer.encoding.get(channel)
        if encoding is None or "field" not in encoding:
            continue
        kind = kind or encoding.get("type", "quantitative")
        title = title or encoding.get("title") or ""
        scale = {**encoding.get("scale", {}), **scale}
        hidden |= encoding.get("axis", {}) is None
        axis = {**(encoding.get("axis") or {}), **axis}
        fields = [encoding["field"], (layer.encoding.get(f"{channel}2") or {}).get("field")]
        zero |= layer.kind == "bar" and f"{channel}2" not in layer.encoding
        values += [row[field] for row in layer.rows for field in fields if field and is_valid(row.get(field))]
        kind = "nominal" if kind == "ordinal" else kind
    if not kind:
        return None
    if kind == "quantitative":
        scale.setdefault("zero", zero)
        values = [float(value) for value in values]
    return Field(kind, title, scale, None if hidden else axis, tuple(values))
