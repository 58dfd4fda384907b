"""Layers of a chart: their marks, their rows after transforms, and what they say together of an axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from steelyard.extensions.page.drawing.expressions import compile_expression, is_valid
from steelyard.extensions.page.drawing.frame import Field, Spec

Row = Mapping[str, Any]
Data = Mapping[str, Sequence[Row]]


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
    """Yield the marks with their rows; data and encoding are also those of the layers ``around``."""
    outer = around or Layer({}, {}, ())
    encoding = {**outer.encoding, **spec.get("encoding", {})}
    rows, source = outer.rows, outer.source
    if "data" in spec:
        source = spec["data"].get("name", "")
        rows = data[source] if source else spec["data"]["values"]
    for layer in spec.get("layer", ()):
        yield from list_layers(layer, data, Layer({}, encoding, rows, source))
    if "mark" in spec:
        mark = spec["mark"] if isinstance(spec["mark"], Mapping) else {"type": spec["mark"]}
        yield Layer(mark, encoding, _transform(rows, spec.get("transform", ())), source)


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
