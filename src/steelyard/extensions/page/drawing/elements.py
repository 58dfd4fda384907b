"""Elements of SVG by presentation attributes alone: what draws where no style sheet is allowed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

import msgspec

from steelyard.report.text.label import FIRST_COMBINING, columns

_NARROW: Final = frozenset("ijlftrI.,:;'|!()[]/ ")
_WIDE: Final = frozenset("mwMWQO%@—…=+<>~×→−")
_ABOVE: Final = 0.78
"""Of the size of the font, from the line on which letters stand to the top of the highest."""
_UNDER: Final = 0.24
CENTRE: Final = 0.35
"""From the middle of a line of text to the line on which letters stand."""


class Box(msgspec.Struct, frozen=True):
    """A rectangle that something fills."""

    start: float
    top: float
    end: float
    bottom: float


def measure(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a text in a wide font (DejaVu Sans): fonts differ from reader to reader."""
    width = sum(
        0.38 if char in _NARROW else 0.95 if char in _WIDE else 0.73 if char.isupper() else 0.63
        for char in text
        if char < FIRST_COMBINING
    )
    width += sum(max(0.7, 0.55 * columns(char)) for char in text if char >= FIRST_COMBINING)
    return width * size * (1.07 if bold else 1.0)


def shorten_to(text: str, size: float, width: float) -> str:
    """Shorten a text in the middle until it fits."""
    short, count = text, len(text)
    while count > 1 and measure(short, size) > width:
        count -= 1
        end = count // 2
        short = f"{text[: count - end]}…{text[len(text) - end :]}"
    return short


def number(value: float) -> str:
    """One decimal, which no screen shows more of."""
    text = f"{value:.1f}"
    return text.removesuffix(".0")


def write_element(name: str, attributes: Mapping[str, object], inside: str = "") -> str:
    """Write an element; attributes that are ``None`` or empty are left out."""
    texts = (
        f' {key.replace("_", "-")}="{escape(number(value) if isinstance(value, float) else str(value))}"'
        for key, value in attributes.items()
        if value is not None and value != ""
    )
    return f"<{name}{''.join(texts)}>{inside}</{name}>" if inside else f"<{name}{''.join(texts)}/>"


class Label(msgspec.Struct, frozen=True):
    """A line of text.

    Attributes
    ----------
    x, y : float
        Where it begins, ends or has its middle, and the line on which its letters stand.
    anchor : str
        ``start``, ``middle`` or ``end``.
    angle : float
        By which it is turned around that place.
    """

    text: str
    x: float
    y: float
    size: float
    color: str
    anchor: str = "start"
    bold: bool = False
    angle: float = 0.0

    def box(self) -> Box:
        """Return what it covers."""
        width = measure(self.text, self.size, bold=self.bold)
        start = self.x - {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]
        top, bottom = self.y - _ABOVE * self.size, self.y + _UNDER * self.size
        if not self.angle:
            return Box(start, top, start + width, bottom)
        sine, cosine = math.sin(math.radians(self.angle)), math.cos(math.radians(self.angle))
        corners = [(x - self.x, y - self.y) for x in (start, start + width) for y in (top, bottom)]
        turned = [(self.x + x * cosine - y * sine, self.y + x * sine + y * cosine) for x, y in corners]
        return Box(
            min(x for x, _ in turned),
            min(y for _, y in turned),
            max(x for x, _ in turned),
            max(y for _, y in turned),
        )

    def write(self, attributes: Mapping[str, object] | None = None, inside: str = "") -> str:
        """Write it as an element."""
        look = {
            "x": self.x,
            "y": self.y,
            "fill": self.color,
            "font_size": f"{self.size:g}",
            "text_anchor": None if self.anchor == "start" else self.anchor,
            "font_weight": "600" if self.bold else None,
            "transform": f"rotate({self.angle:g} {number(self.x)} {number(self.y)})" if self.angle else None,
        }
        return write_element("text", look | dict(attributes or {}), escape(self.text, quote=False) + inside)


def cut_line(start: float, end: float, gaps: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return what is left of a line where it gives way to texts."""
    parts, at = [], min(start, end)
    for low, high in sorted(gaps):
        if low > at:
            parts.append((at, min(low, max(start, end))))
        at = max(at, high)
        if at >= max(start, end):
            break
    if at < max(start, end):
        parts.append((at, max(start, end)))
    return [(low, high) for low, high in parts if high - low > 0.5]
