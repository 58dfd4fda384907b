"""Axis of ratios: logarithmic, since half as fast is as far from 1 as twice as fast, with round ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Final

from steelyard.report.page.chart import number

_TICKS: Final = 6
"""About as many fit on a narrow page."""
_WIDE: Final = 4
"""Largest over smallest ratio from which ticks are 1, 2 and 5 times powers of ten."""
_ROUND: Final = (1, 2, 5)


def make_ratio_axis(field: str, title: str | None, ratios: Iterable[float]) -> dict[str, Any]:
    """Encode ratios on a logarithmic axis.

    Parameters
    ----------
    ratios : iterable of float
        All that the chart draws, ends of intervals too. Where one is not positive, the axis is linear.
    """
    finite = [ratio for ratio in ratios if math.isfinite(ratio)]
    if not finite or min(finite) <= 0:
        return number(field, title, scale={"nice": False, "padding": 14}, axis={"tickCount": _TICKS})
    axis = {"values": list_round_ratios(min(1.0, *finite), max(1.0, *finite)), "format": "~g"}
    return number(field, title, scale={"type": "log", "nice": False, "padding": 14}, axis=axis)


def list_round_ratios(low: float, high: float) -> list[float]:
    """List the round numbers between two positive ratios, at most about ``_TICKS``."""
    if high >= _WIDE * low:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        # Of many decades, powers of ten are enough.
        digits = _ROUND if len(decades) <= _WIDE else (1,)
        ticks = [digit * 10.0**decade for decade in decades for digit in digits]
    else:
        span = max(high - low, 1e-6) / _TICKS
        power = 10.0 ** math.floor(math.log10(span))
        step = next((digit * power for digit in _ROUND if digit * power >= span), 10 * power)
        ticks = [place * step for place in range(math.floor(low / step), math.ceil(high / step) + 1)]
    return [float(f"{tick:.12g}") for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]
