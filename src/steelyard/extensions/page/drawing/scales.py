"""Scales: from numbers and names to places of a picture, and the ticks between."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

_ROUND: Final = (1, 2, 5)
_NICE: Final = 10
"""Steps into which the domain of a scale is divided when its ends become round."""
LARGEST: Final = 1e100
"""Numbers beyond are on no axis, nor on a logarithmic one those below its inverse: nothing measures them."""
SHARPEST: Final = 1e-12
"""Of a number: what differs by less is one place, since ticks could not tell it apart."""
MOST_POWERS: Final = 24
Span = tuple[float, float]


class Numeric(msgspec.Struct, frozen=True):
    """A scale of numbers.

    Attributes
    ----------
    kind : str
        ``linear``, ``log`` or ``symlog``.
    domain, places : (float, float)
        Numbers, and where they lie.
    """

    kind: str
    domain: Span
    places: Span
    constant: float = 1.0
    base: float = 10.0

    def bend(self, value: float) -> float:
        """Return the number on an axis whose steps are equal."""
        if self.kind == "log":
            return math.log(value) if value > 0 else -math.inf
        if self.kind == "symlog":
            return math.copysign(math.log1p(abs(value) / self.constant), value)
        return value

    def unbend(self, value: float) -> float:
        """Return what ``bend`` took."""
        if self.kind == "log":
            return math.exp(value)
        if self.kind == "symlog":
            return math.copysign(math.expm1(abs(value)) * self.constant, value)
        return value

    def place(self, value: float) -> float:
        """Where a number lies."""
        low, high = map(self.bend, self.domain)
        start, end = self.places
        return start + (end - start) * (self.bend(value) - low) / (high - low)

    def ticks(self, count: int) -> list[float]:
        """List round numbers, about as many as asked for."""
        low, high = self.domain
        if self.kind == "log":
            powers = _list_powers(low, high, self.base)
            if len(powers) >= 3 or (len(powers) == 2 and high > 20 * low):
                return _fill_decades(powers, low, high) if self.base == 10 and len(powers) < 4 else powers
        if self.kind == "symlog":
            return _list_symmetric(low, high)
        return list_round(low, high, count)


class Rows(msgspec.Struct, frozen=True):
    """A scale of names, which share a length.

    Attributes
    ----------
    domain : tuple of str
        Names, in their order.
    """

    domain: tuple[str, ...]
    start: float
    step: float

    def middle(self, name: str) -> float:
        """Middle of the place of a name."""
        return self.start + self.step * (self.domain.index(name) + 0.5)


def make_numeric(values: Sequence[float], options: Mapping[str, Any], places: Span) -> Numeric:
    """Make a scale whose domain holds all values.

    Parameters
    ----------
    options : Mapping
        ``scale`` of Vega-Lite: ``type``, ``domain``, ``zero``, ``nice``, ``padding``, ``base``, ``constant``.
    """
    kind = options.get("type", "linear")
    usable = [value for value in values if abs(value) < LARGEST and (kind != "log" or value > 1 / LARGEST)]
    low, high = options.get("domain") or (min(usable, default=1.0), max(usable, default=1.0))
    if options.get("zero", True) and kind != "log" and "domain" not in options:
        low, high = min(low, 0.0), max(high, 0.0)
    if high - low <= SHARPEST * max(abs(low), abs(high), 1 / LARGEST):
        low, high = (low / 1.1, high * 1.1) if kind == "log" else (low - _half(low), high + _half(low))
    scale = Numeric(kind, (low, high), places, options.get("constant", 1.0), options.get("base", 10.0))
    scale = _widen(scale, options.get("padding", 0.0))
    return _round_ends(scale) if options.get("nice", True) and "domain" not in options else scale


def _half(value: float) -> float:
    return abs(value) * 0.1 if abs(value) > 1 / LARGEST else 0.5


def _widen(scale: Numeric, padding: float) -> Numeric:
    length = abs(scale.places[1] - scale.places[0])
    if not padding or length <= 4 * padding:
        return scale
    low, high = map(scale.bend, scale.domain)
    margin = (high - low) * padding / (length - 2 * padding)
    return msgspec.structs.replace(scale, domain=(scale.unbend(low - margin), scale.unbend(high + margin)))


def _round_ends(scale: Numeric) -> Numeric:
    low, high = scale.domain
    if scale.kind == "log":
        low, high = (scale.base ** f(math.log(v, scale.base)) for f, v in ((_floor, low), (_ceil, high)))
    else:
        step = _find_step(low, high, _NICE)
        low, high = _floor(low / step) * step, _ceil(high / step) * step
    return msgspec.structs.replace(scale, domain=(low, high))


def _floor(value: float) -> int:
    return math.floor(value + 1e-9)


def _ceil(value: float) -> int:
    return math.ceil(value - 1e-9)


def _find_step(low: float, high: float, count: int) -> float:
    """Return the round step that divides a span into about ``count`` parts, as d3 chooses it."""
    rough = (high - low) / max(1, count)
    power = 10.0 ** math.floor(math.log10(rough))
    over = rough / power
    return power * (
        10 if over >= math.sqrt(50) else 5 if over >= math.sqrt(10) else 2 if over >= math.sqrt(2) else 1
    )


def list_round(low: float, high: float, count: int) -> list[float]:
    """List the multiples of a round step between two numbers."""
    step = _find_step(low, high, count)
    return [float(f"{place * step:.12g}") for place in range(_ceil(low / step), _floor(high / step) + 1)]


def _list_powers(low: float, high: float, base: float) -> list[float]:
    first, last = _ceil(math.log(low, base)), _floor(math.log(high, base))
    every = max(1, math.ceil((last - first) / MOST_POWERS))
    return [float(f"{base**power:.12g}") for power in range(first, last + 1, every)]


def _fill_decades(powers: Sequence[float], low: float, high: float) -> list[float]:
    every = [digit * power for power in (powers[0] / 10, *powers) for digit in _ROUND]
    return [float(f"{value:.12g}") for value in every if low <= value <= high]


def _list_symmetric(low: float, high: float) -> list[float]:
    largest = max(abs(low), abs(high))
    top = math.floor(math.log10(largest)) if largest else 0
    sizes = [digit * 10.0**power for power in range(top, top - 6, -1) for digit in (1, 5, 2)]
    signed = [sign * size for size in sizes for sign in (1, -1)]
    # The first ones matter most where there is no room for all.
    return [0.0, *(float(f"{value:.12g}") for value in signed if low <= value <= high)]
