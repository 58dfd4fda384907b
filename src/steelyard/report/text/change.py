"""A change of a metric between two commits, as every report of commits writes it."""

from __future__ import annotations

import re
from typing import Final

from steelyard.report.text.digits import bounds, percent, ratio
from steelyard.report.text.label import printable
from steelyard.report.text.line import Style
from steelyard.results.direction import Direction
from steelyard.results.interval import Interval

SIGNS: Final[dict[Direction, tuple[str, Style]]] = {
    "worse": ("✗", "bad"),
    "better": ("✓", "good"),
    "neither": ("•", "open"),
}
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_SHORT: Final = 10


def relative(value: float, interval: Interval) -> str:
    """``5.1 % more (95 % CI 4.6 to 5.6 %)``; as a factor where it is large."""
    if not 0.5 < value < 2:
        return f"{ratio(value, interval)} × (95 % CI {bounds(value, interval)})"
    sign = 1 if value > 1 else -1
    low, high = (_number(bound) for bound in sorted((sign * (interval.low - 1), sign * (interval.high - 1))))
    word = "more" if value > 1 else "less"
    return f"{percent(abs(value - 1))} {word} (95 % CI {low} to {high} %)"


def _number(share: float) -> str:
    return f"{'-' if share < 0 else ''}{percent(abs(share)).removesuffix(' %')}"


def short_hash(commit: str) -> str:
    """Return a commit as people write it; the name of a record as it is."""
    return commit[:_SHORT] if _COMMIT.fullmatch(commit) else printable(commit)
