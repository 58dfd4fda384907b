"""Legends: what colours and dashes mean, in rows above the plot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from steelyard.extensions.page.drawing.elements import CENTRE, Label, measure, shorten_to, write_element
from steelyard.extensions.page.drawing.frame import Look

CHANNELS: Final = ("color", "stroke", "fill", "strokeDash")
SYMBOL_PX: Final = 24
"""A symbol, and the room up to its name."""
BETWEEN_PX: Final = 16
ROW_PX: Final = 18


class Entry(msgspec.Struct, frozen=True):
    """A name with its symbol; ``dash`` is empty where lines are not broken."""

    name: str
    color: str
    stroke: bool = False
    dash: Sequence[float] = ()


def list_entries(encodings: Sequence[Mapping[str, Any]]) -> list[Entry]:
    """List what the colours of all layers mean, each name once."""
    entries: dict[str, Entry] = {}
    for encoding in encodings:
        for channel in CHANNELS:
            for entry in _list_of(channel, encoding.get(channel) or {}):
                before = entries.get(entry.name)
                if before is None:
                    entries[entry.name] = entry
                elif channel == "strokeDash":
                    entries[entry.name] = msgspec.structs.replace(before, dash=entry.dash, stroke=True)
    return list(entries.values())


def _list_of(channel: str, encoding: Mapping[str, Any]) -> Iterator[Entry]:
    scale = encoding.get("scale") or {}
    if "field" not in encoding or encoding.get("type") != "nominal" or encoding.get("legend", {}) is None:
        return
    legend = encoding.get("legend") or {}
    stroke = legend.get("symbolType") == "stroke"
    for name, value in zip(scale.get("domain", ()), scale.get("range", ()), strict=False):
        if channel == "strokeDash":
            yield Entry(str(name), "", stroke=True, dash=value if value[-1] else ())
        else:
            yield Entry(str(name), value, stroke, legend.get("symbolDash", ()))


def draw_legend(entries: Sequence[Entry], look: Look) -> tuple[list[str], float]:
    """Draw the entries in one row, or else in columns; return the elements and their height."""
    parts: list[str] = []
    texts = [shorten_to(entry.name, look.size, look.width - SYMBOL_PX - 4) for entry in entries]
    widths = [SYMBOL_PX + measure(text, look.size) + BETWEEN_PX for text in texts]
    if sum(widths) - BETWEEN_PX > look.width - 2:
        widths = [max(widths)] * len(widths)
    x, y = 2.0, ROW_PX / 2
    for entry, text, width in zip(entries, texts, widths, strict=True):
        if x > 2 and x + width - BETWEEN_PX > look.width:
            x, y = 2.0, y + ROW_PX
        parts.append(_draw_symbol(entry, x, y, look))
        label = Label(text, x + SYMBOL_PX, y + CENTRE * look.size, look.size, look.colour("var(--ink)"))
        parts.append(label.write())
        x += width
    return parts, (y + ROW_PX / 2 + 4 if entries else 0.0)


def _draw_symbol(entry: Entry, x: float, y: float, look: Look) -> str:
    color = look.colour(entry.color)
    if not entry.stroke:
        return write_element("circle", {"cx": x + 12, "cy": y, "r": 4.5, "fill": color})
    line = {"x1": x + 1, "y1": y, "x2": x + 19, "y2": y, "stroke": color, "stroke_width": 2}
    dash = " ".join(f"{length:g}" for length in entry.dash)
    return write_element("line", line | {"stroke_dasharray": dash})
