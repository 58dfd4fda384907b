"""The step in which values of a clock or a sensor were read, or printed.

A mean of rounded values has an error that no repetition averages out where values vary less than by half a
step: up to half a step, u = step / sqrt 12 (GUM F.2.2.1). Where they vary more, rounding averages out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample
from steelyard.core.units import BUILTIN, Metric

DITHER: Final = 0.5
"""Standard deviation, in steps, from which on rounding averages out: its error is then below 0.3 % of a step
(2 / pi * exp(-2 pi^2 sigma^2) of half a step)."""

STEP: Final = "step of the values"
"""Name of the error that a step adds."""

_COUNTED: Final = frozenset({"", "1", "B", "cycles", "instructions", "allocs", "events", "#"})
"""Units of numbers that are exact however often they repeat."""
_FINEST: Final = 1e-7
"""Relative steps below are digits of a number, not steps of a reading."""
_LEAST_LEVELS: Final = 4
"""Different values from which on a common divisor of them is a step."""
_DIGITS: Final = 15


def is_reading(metric: Metric) -> bool:
    """Whether a metric is read from a clock or a sensor, whose equal values are rounded ones; no count is."""
    return metric.unit not in _COUNTED


def find_reading_step(samples: Sequence[Sample]) -> float | None:
    """Return the step of the values of one metric, where those of a treatment vary too little to hide it.

    It is the last decimal that any value has, or a common divisor of at least four different values.

    Parameters
    ----------
    samples : sequence of Sample
        Of all treatments.

    Returns
    -------
    float or None
        In the unit of the metric; ``None`` where no step matters.
    """
    if not samples or not is_reading(samples[0].metric) or samples[0].metric.name in BUILTIN:
        return None
    groups = [
        values
        for sample in samples
        if sample.provenance != "simulated" and len(values := np.asarray(sample.values, dtype=np.float64)) > 1
    ]
    if not groups or not all(np.isfinite(values).all() for values in groups):
        return None
    levels = np.unique(np.abs(np.concatenate(groups)))
    step = max(_find_decimal(levels), _find_divisor(levels))
    is_coarse = any(values.std(ddof=1) < DITHER * step for values in groups)
    is_constant = levels.size == 1
    return step if is_coarse and (is_constant or step > _FINEST * float(levels[-1])) else None


def _find_decimal(levels: Floats) -> float:
    """Return the place of the last digit of any value."""
    return min((_place_of(float(level)) for level in levels if level > 0), default=0.0)


def _place_of(value: float) -> float:
    """Return the place of the last digit that a number needs: 0.1 of 78.8, 1 of 80.0, 100 of 1500."""
    if value == 0:
        return 0.0
    digits, _, exponent = f"{value:.{_DIGITS - 1}e}".partition("e")
    decimals = len(digits.replace(".", "").rstrip("0")) - 1
    return math.pow(10.0, int(exponent) - decimals)


def _find_divisor(levels: Floats) -> float:
    """Return the smallest gap between values if all are multiples of it; 0 of few values."""
    if levels.size < _LEAST_LEVELS:
        return 0.0
    gap = float(np.diff(levels).min())
    multiples = levels / gap
    return gap if np.abs(multiples - np.round(multiples)).max() < 1e-6 * multiples.max() else 0.0
