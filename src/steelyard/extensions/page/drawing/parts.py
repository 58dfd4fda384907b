"""Parts of a picture as they are written: what a group shares once, lines that give way to texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from steelyard.extensions.page.drawing.elements import Box, Label, cut_line, number, write_element
from steelyard.extensions.page.drawing.frame import Frame

CLEAR_PX: Final = 3
"""Between a text and a line that gives way to it."""


class Part(msgspec.Struct, frozen=True):
    """An element to be written."""

    name: str
    attributes: Mapping[str, object]
    inside: str = ""
    label: Label | None = None

    def write(self, shared: Mapping[str, object]) -> str:
        """Write it, without what the group around it has."""
        attributes = {key: value for key, value in self.attributes.items() if key not in shared}
        if self.label is not None:
            return self.label.write(attributes, self.inside)
        return write_element(self.name, attributes, self.inside)


_INHERITED: Final = ("fill", "stroke", "fill_opacity", "data_t")
"""Attributes that a group can have for all of its marks."""


def list_shared(every: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Return the attributes that all marks of a group share, and inherit from it."""
    if len(every) < 2:
        return {}
    first = every[0]
    return {
        key: first[key]
        for key in _INHERITED
        if first.get(key) is not None and all(attributes.get(key) == first[key] for attributes in every)
    }


def merge(parts: Sequence[Part]) -> list[Part]:
    """Return the parts, of which lines and rectangles of one look that say nothing are one path.

    Thousands of them take a quarter of the bytes.
    """
    merged: dict[tuple[object, ...], list[Part]] = {}
    for i, part in enumerate(parts):
        look = tuple(part.attributes.get(key) for key in _INHERITED)
        plain = part.name in _GEOMETRY and not part.inside and not part.attributes.get("rx")
        merged.setdefault((part.name, *look) if plain else (i,), []).append(part)
    return [_join(group) if len(group) > 1 else group[0] for group in merged.values()]


_GEOMETRY: Final = {"line": ("x1", "y1", "x2", "y2"), "rect": ("x", "y", "width", "height")}


def _join(parts: Sequence[Part]) -> Part:
    pieces = []
    for part in parts:
        a, b, c, d = (number(float(str(part.attributes[key]))) for key in _GEOMETRY[part.name])
        if part.name == "line":
            pieces.append(f"M{a} {b}V{d}" if a == c else f"M{a} {b}H{c}" if b == d else f"M{a} {b}L{c} {d}")
        else:
            pieces.append(f"M{a} {b}h{c}v{d}h-{c}z")
    look = {key: value for key, value in parts[0].attributes.items() if key in _INHERITED}
    return Part("path", {"d": "".join(pieces), **look})


def cut(
    place: float, frame: Frame, boxes: Sequence[Box], *, upright: bool
) -> list[tuple[float, float, float, float]]:
    """Return the parts of a line across the plot that no text stands on."""
    if upright:
        gaps = [
            (box.top - CLEAR_PX, box.bottom + CLEAR_PX)
            for box in boxes
            if box.start - CLEAR_PX < place < box.end + CLEAR_PX
        ]
        return [(place, low, place, high) for low, high in cut_line(0.0, frame.height, gaps)]
    gaps = [
        (box.start - CLEAR_PX, box.end + CLEAR_PX)
        for box in boxes
        if box.top - CLEAR_PX < place < box.bottom + CLEAR_PX
    ]
    return [(low, place, high, place) for low, high in cut_line(frame.start, frame.end, gaps)]
