"""Digits of a number: as many as its uncertainty leaves standing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec

from steelyard.core.units import format_duration, format_quantity, format_unit
from steelyard.results.interval import Interval

_PREFIXES: Final = {"G": 1e9, "M": 1e6, "k": 1e3, "m": 1e-3, "µ": 1e-6, "n": 1e-9}
_SI_UNITS: Final = ("s", "B", "1/s", "B/s", "bit/s")
_MOST_DIGITS: Final = 6
_SMALL: Final = 1e-3
"""Below, a number whose unit takes no prefix is shown in powers of ten."""
_SUPERSCRIPTS: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MOST_DECIMALS: Final = 9
"""Of a unit that was asked for, which may be far too large."""
_LAST_DECIMAL: Final = 15
"""Of a number near 1, in double precision."""


def decimals(uncertainty: float) -> int:
    """Return the decimals that show one digit of the uncertainty, or two.

    Two are shown where the uncertainty begins below 3.55 (rule of the Particle Data Group).

    Negative where even the last digits before the point are uncertain; 0 for an uncertainty of 0.
    """
    if uncertainty <= 0 or not math.isfinite(uncertainty):
        return 0
    exponent = math.floor(math.log10(uncertainty))
    return -exponent + (1 if uncertainty / 10.0**exponent < 3.55 else 0)


def ratio_decimals(value: float, interval: Interval | None) -> int:
    """Decimals for a ratio and its interval alike; where nothing is uncertain, enough to tell it from 1."""
    if interval is None or interval.high == interval.low:
        off = abs(value - 1)
        return min(_MOST_DIGITS, max(3, 1 - math.floor(math.log10(off)))) if off else 3
    count = decimals((interval.high - interval.low) / 2)
    # A wide interval must still show where it begins, and a ratio near 1 on which side of it.
    first = -math.floor(math.log10(interval.low)) + 1 if interval.low > 0 else 1
    return min(_MOST_DIGITS, max(0, count, first if value < 10 else 0))


def ratio(value: float, interval: Interval | None) -> str:
    """``1.021``; never 1 where the interval excludes it."""
    digits = ratio_decimals(value, interval)
    if interval is not None and interval.excludes(1):
        digits = separating_decimals(value, digits, 1)
    return _fix(value, digits)


def bounds(value: float, interval: Interval) -> str:
    """``1.012 to 1.028``, with the digits of the ratio; a bound that would round to 1 has more."""
    return f"{_bound(value, interval, interval.low)} to {_bound(value, interval, interval.high)}"


def _bound(value: float, interval: Interval, bound: float) -> str:
    digits = ratio_decimals(value, interval)
    return _fix(bound, separating_decimals(bound, digits, 1) if interval.excludes(1) else digits)


def separating_decimals(value: float, digits: int, *thresholds: float) -> int:
    """Return the least decimals, from ``digits`` on, that tell a number from all other thresholds."""
    return max((_decimals_beside(value, digits, threshold) for threshold in thresholds), default=digits)


def _decimals_beside(value: float, digits: int, threshold: float) -> int:
    if value == threshold or not math.isfinite(value):
        return digits
    separating = range(digits, max(digits, _LAST_DECIMAL) + 1)
    return next((count for count in separating if round(value, count) != threshold), digits)


def factor(value: float, digits: int = 3) -> str:
    """Return a ratio with so many digits, or with as many as tell it from 1."""
    text = f"{value:.{digits}g}"
    return text if float(text) != 1 else _fix(value, separating_decimals(value, digits - 1, 1))


def percent_bounds(interval: Interval, places: int, margin: float = 0.0) -> str:
    """Return the bounds of a relative change in percent: ``+5.2 to +7.0``.

    A bound has more decimals where it would round to no change, or to the margin that the interval excludes.
    """
    thresholds = [at for at in {0.0, margin, -margin} if interval.excludes(at)]
    return " to ".join(
        _percent_bound(100 * bound, places, [100 * at for at in thresholds])
        for bound in (interval.low, interval.high)
    )


def _percent_bound(bound: float, places: int, thresholds: Sequence[float]) -> str:
    digits = places if abs(bound) < 99.5 else 0
    return f"{bound:+.{separating_decimals(bound, digits, *thresholds)}f}"


def _fix(value: float, digits: int) -> str:
    """Write fixed point where that is readable: not for millions, nor for what all digits would hide."""
    return f"{value:.{digits}f}" if 10.0**-digits <= abs(value) < 1e6 else f"{value:.2g}"


def percent(share: float) -> str:
    """Return a fraction with two digits: ``0.62 %``, ``9.5 %``, ``120 %``."""
    value = 100 * share
    return f"{value:.0f} %" if 9.95 <= value < 1e5 else f"{value:.2g} %"


def probability(p: float) -> str:
    """``0.35``, ``0.012``, ``<0.0001``."""
    if p < 0.0001:
        return "<0.0001"
    return f"{p:.2f}" if p >= 0.0995 else f"{p:.{-math.floor(math.log10(p)) + 1}f}"


def share(probability: float) -> str:
    """Return a probability: ``83 %``, ``>99 %``, ``<1 %``."""
    if 0.01 <= probability <= 0.99:
        return f"{100 * probability:.0f} %"
    return ">99 %" if probability > 0.5 else "<1 %"


def scale_text(scale: float) -> str:
    """Return a value of a parameter: whole where it is large, three digits where it is small."""
    return f"{scale:.0f}" if scale >= 100 else f"{scale:.3g}"


def quantity(value: float, unit: str, uncertainty: float | None) -> str:
    """Return a value with unit and prefix, with the digits that ``uncertainty`` leaves.

    There are three digits where it is not known.
    """
    if not value or not uncertainty:
        return format_quantity(value, unit)
    digits = math.floor(math.log10(abs(value))) + 1 + decimals(uncertainty)
    return format_quantity(value, unit, min(_MOST_DIGITS, max(2, digits)))


class Scale(msgspec.Struct, frozen=True):
    """One unit and one number of decimals for everything in a column.

    Attributes
    ----------
    factor : float
        What values are divided by.
    unit : str
        With its prefix; empty for a pure number.
    """

    factor: float
    unit: str
    decimals: int

    def text(self, value: float | None) -> str:
        """Return the value in this unit; a dash for ``None``."""
        if value is None:
            return "–"
        return f"{value / self.factor:,.{self.decimals}f}"

    def hides(self, value: float, uncertainty: float | None) -> bool:
        """Whether rounding loses more than a hundredth of a value, and more than its uncertainty."""
        rounded = round(value / self.factor, self.decimals) * self.factor
        return abs(rounded - value) > max(0.01 * abs(value), uncertainty or 0.0)


def scale(
    values: Sequence[float], uncertainties: Sequence[float], unit: str, *, prefix: str | None = None
) -> Scale:
    """Return the scale of a column: its prefix and its decimals.

    The prefix is that of the largest value, or of seconds the one that is asked for; the decimals are those
    of the smallest uncertainty, six digits at most.
    """
    largest = max((abs(value) for value in values), default=0.0)
    text = format_quantity(largest, unit).rpartition(" ")[2] if unit in _SI_UNITS else format_unit(unit)
    if unit not in _SI_UNITS and 1e-300 < largest < _SMALL:
        exponent = 3 * math.floor(math.log10(largest) / 3)
        power = f"10{str(exponent).translate(_SUPERSCRIPTS)}"
        small = scale(
            [value / 10.0**exponent for value in values],
            [uncertainty / 10.0**exponent for uncertainty in uncertainties],
            unit,
        )
        return Scale(10.0**exponent, f"{power} {text}".rstrip(), small.decimals)
    if prefix is not None and unit == "s":
        text = f"{prefix}s"
    factor = _PREFIXES.get(text.removesuffix(unit.removeprefix("1")), 1.0) if unit in _SI_UNITS else 1.0
    scaled = [uncertainty / factor for uncertainty in uncertainties if uncertainty > 0]
    count = len(str(int(largest / factor)))
    if scaled:
        digits = decimals(min(scaled))
    elif all(float(value).is_integer() for value in values) and unit not in _SI_UNITS:
        digits = 0
    else:
        digits = 3 - count
    most = _MOST_DECIMALS if prefix is not None else _MOST_DIGITS - count
    return Scale(factor, text, min(max(0, digits), max(0, most)))


def about(seconds: float | None) -> str:
    """`` (about 5 s)``, after a space; empty below a second, which makes nobody hesitate and reads "0 s"."""
    return f" (about {format_duration(seconds)})" if seconds and seconds >= 1 else ""
