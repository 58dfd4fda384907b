"""Axis of ratios: logarithmic, since half as fast is as far from 1 as twice as fast, with round ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from steelyard.core.units import Metric
from steelyard.report.answer.words import format_comparative
from steelyard.report.page.chart import number, relabel

_TICKS: Final = 6
"""About as many fit on a narrow page."""
_WIDE: Final = 4
"""Largest over smallest ratio from which ticks are 1, 2 and 5 times powers of ten."""
_ROUND: Final = (1, 2, 5)


class Directions(msgspec.Struct, frozen=True):
    """What ratios below and above 1 mean: ``slower`` and ``faster``."""

    worse: str
    better: str


def name_directions(metric: Metric) -> Directions:
    """Return the words of a metric."""
    return Directions(format_comparative(metric, better=False), format_comparative(metric, better=True))


def make_ratio_axis(
    field: str, title: str | None, ratios: Iterable[float], directions: Directions | None = None
) -> dict[str, Any]:
    """Encode ratios on a logarithmic axis.

    Parameters
    ----------
    ratios : iterable of float
        All that the chart draws, ends of intervals too. Where one is not positive, the axis is linear.
    directions : Directions, optional
        Ticks say by how much something is worse or better, in place of the ratio: ``2 × slower`` at 0.5.
    """
    finite = [ratio for ratio in ratios if math.isfinite(ratio)]
    if not finite or min(finite) <= 0:
        return number(field, title, scale={"nice": False, "padding": 14}, axis={"tickCount": _TICKS})
    low, high = min(1.0, *finite), max(1.0, *finite)
    axis: dict[str, Any] = {"values": list_round_ratios(low, high), "format": "~g"}
    if directions is not None:
        labels = _label_both_sides(low, high, directions)
        axis |= {"values": [*labels], "labelExpr": relabel(labels, "datum.value")}
    return number(field, title, scale={"type": "log", "nice": False, "padding": 14}, axis=axis)


def _label_both_sides(low: float, high: float, directions: Directions) -> dict[float, str]:
    """Return round ratios on both sides of 1, below it inverses of round numbers; 1 comes first."""
    times = list_round_ratios(1.0, max(high, 1 / low))
    worse = {1 / ratio: f"{ratio:g} × {directions.worse}" for ratio in times if 1 < ratio <= 1 / low}
    better = {ratio: f"{ratio:g} × {directions.better}" for ratio in times if 1 < ratio <= high}
    return {1.0: "1", **worse, **better}


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
