"""``TextAxis``: where changes stand in a figure, by the logarithm of their ratio.

Twice and half are then as far from none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

import msgspec

_STEPS: Final = (1, 2, 5)
_LOSSES: Final = (-1, -2, -5, -10, -20, -30, -50, -75, -90, -99, -99.9)
_LEAST: Final = 0.1
"""Percent that the longer side shows at least; what is closer to none is told by the table."""


class TextAxis(msgspec.Struct, frozen=True):
    """Axis from ``low`` to ``high`` percent, in ``width`` columns.

    They are round numbers with 0 between them or at one.

    ``low`` is 0 where nothing lies so far below that a column would show it.
    """

    low: float
    high: float
    width: int

    def place(self, percent: float) -> int:
        """Return the column of a change, from 0; beyond the ends, the last one."""
        at = (_log(percent) - _log(self.low)) / (_log(self.high) - _log(self.low))
        return min(max(0, round(at * (self.width - 1))), self.width - 1)

    def labels(self) -> str:
        """Return the line below: 0, the ends, and round changes between them where there is room."""
        inside = sorted(_round(self.low, self.high), key=lambda value: -abs(_log(value)))
        line = [" "] * self.width
        for percent in (0.0, self.high, self.low, *inside):
            text = "0" if percent == 0 else f"{percent:+,.10g} %"
            at = self.place(percent)
            # Under its column, as far as the ends of the axis allow.
            start = min(max(0, at - len(text) // 2), self.width - len(text))
            around = line[max(0, start - 2) : start + len(text) + 2]
            if start >= 0 and not "".join(around).strip():
                line[start : start + len(text)] = text
        return "".join(line).rstrip()


def axis_of(bounds: Iterable[float], width: int) -> TextAxis:
    """Return the axis that shows all of ``bounds``, in percent above -100."""
    values = list(bounds)
    least, most = min([0.0, *values]), max([0.0, *values])
    column = max(-_log(least), _log(most)) / width
    low = _place_loss(least) if -_log(least) > column / 2 else 0.0
    high = _place_gain(most) if _log(most) > column / 2 else 0.0
    return TextAxis(low, high, width) if high > low else TextAxis(-1.0, 1.0, width)


def _log(percent: float) -> float:
    return math.log1p(max(percent, -99.9999) / 100)


def _place_gain(percent: float) -> float:
    return next(gain for gain in _make_gains() if gain >= percent)


def _place_loss(percent: float) -> float:
    small = [-value for value in _compute_gains_below(1.0) if value >= -percent]
    return small[0] if small else next((loss for loss in _LOSSES if loss <= percent), -99.9999)


def _make_gains() -> Iterable[float]:
    power = round(math.log10(_LEAST))
    while True:
        for step in _STEPS:
            yield float(f"{step}e{power}")
        power += 1


def _compute_gains_below(limit: float) -> list[float]:
    gains_below: list[float] = []
    for gain in _make_gains():
        if gain >= limit:
            return gains_below
        gains_below.append(gain)
    return gains_below


def _round(low: float, high: float) -> list[float]:
    gains: list[float] = []
    for gain in _make_gains():
        if gain >= high:
            break
        gains.append(gain)
    losses = [-value for value in _compute_gains_below(1.0) if -value > low]
    return [*gains, *losses, *(loss for loss in _LOSSES if loss > low)]
