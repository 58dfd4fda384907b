"""Points with error bars as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final, NamedTuple

WIDTH: Final = 640
HEIGHT: Final = 360
MARGIN: Final = 56
COLOURS: Final = ("#1b6ca8", "#c1440e", "#3a7d44")


class Point(NamedTuple):
    """A value and its standard deviation."""

    x: float
    y: float
    s: float


def drawn(title: str, along: str, series: Mapping[str, Sequence[Point]]) -> str:
    """Series beside each other, from 0 to the top of the largest bar."""
    points = [point for its in series.values() for point in its]
    left, right = min(p.x for p in points) - 0.5, max(p.x for p in points) + 0.5
    top = max(p.y + p.s for p in points) or 1.0

    def x(value: float) -> float:
        return MARGIN + (value - left) / (right - left) * (WIDTH - 2 * MARGIN)

    def y(value: float) -> float:
        return HEIGHT - MARGIN - max(value, 0.0) / top * (HEIGHT - 2 * MARGIN)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" ',
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{MARGIN}" y="24">{escape(title)}</text>',
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 12}" text-anchor="middle">{escape(along)}</text>',
        f'<path d="M{MARGIN} {MARGIN}V{HEIGHT - MARGIN}H{WIDTH - MARGIN}" fill="none" stroke="black"/>',
    ]
    for tick in range(5):
        value = top * tick / 4
        parts.append(f'<text x="{MARGIN - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.3g}</text>')
    parts.extend(
        f'<text x="{x(at):.1f}" y="{HEIGHT - MARGIN + 16}" text-anchor="middle">{at}</text>'
        for at in range(round(left + 0.5), round(right - 0.5) + 1)
    )
    for i, (name, its) in enumerate(series.items()):
        colour = COLOURS[i % len(COLOURS)]
        place = f'x="{WIDTH - MARGIN}" y="{24 + 16 * i}" text-anchor="end"'
        parts.append(f'<text {place} fill="{colour}">{escape(name)}</text>')
        for p in its:
            parts.append(f'<path d="M{x(p.x):.1f} {y(p.y - p.s):.1f}V{y(p.y + p.s):.1f}" stroke="{colour}"/>')
            parts.append(f'<circle cx="{x(p.x):.1f}" cy="{y(p.y):.1f}" r="2.5" fill="{colour}"/>')
    return "\n".join([*parts, "</svg>", ""])
