"""Box plots in one line of text: whiskers to the least and largest value, a box between the quartiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from steelyard.results.samples import Summary

WHISKER: Final = "─"
BOX: Final = "▒"
MEDIAN: Final = "█"


def format_boxes(summaries: Sequence[Summary], width: int) -> list[str]:
    """Draw one plot of ``width`` columns for each summary, all on one axis.

    The axis is logarithmic, or linear where a value is not positive. Without values, there are no plots.
    """
    lows = [summary.min for summary in summaries if summary.min is not None]
    highs = [summary.max for summary in summaries if summary.max is not None]
    if not lows or min(lows) == max(highs):
        return ["" for _ in summaries]
    scaled = math.log if min(lows) > 0 else float
    low, high = scaled(min(lows)), scaled(max(highs))

    def at(value: float) -> int:
        return round((scaled(value) - low) / (high - low) * (width - 1))

    def draw(summary: Summary) -> str:
        if summary.min is None or summary.max is None or summary.median is None:
            return ""
        cells = [" "] * width
        cells[at(summary.min) : at(summary.max) + 1] = WHISKER * (at(summary.max) - at(summary.min) + 1)
        if summary.quartiles is not None:
            first, last = at(summary.quartiles.low), at(summary.quartiles.high)
            cells[first : last + 1] = BOX * (last - first + 1)
        cells[at(summary.median)] = MEDIAN
        return "".join(cells).rstrip()

    return [draw(summary) for summary in summaries]
