"""Rounding errors: the spread that arithmetic alone gives equal values, which no test takes for real."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from steelyard.core.arrays import Floats

ROUNDING: Final = 64 * float(np.finfo(np.float64).eps)
"""Relative to the largest value that went into a result: a logarithm is one of a few operations."""


def round_logs(*logs: Floats) -> float:
    """Return the spread that differences of these logarithms can have without a cause.

    It is relative to the largest of them (or to 1: a relative error of x is an absolute one of log x).
    """
    return ROUNDING * max(1.0, *map(largest, logs))


def largest(values: Floats) -> float:
    """Magnitude of the largest of these values; 0 of an empty array."""
    return float(np.abs(values).max(initial=0.0))


def constant(values: Floats) -> bool:
    """Whether values differ by no more than rounding, relative to the largest."""
    return float(np.ptp(values)) <= ROUNDING * float(np.abs(values).max())


def steady(differences: Floats, rounding: float) -> Floats:
    """Differences of logarithms, or of values over their mean.

    They are as many of their mean where ``rounding`` alone could have spread them, and zeros where it could
    have made that too: a test of signs takes any other for as many that agree.
    """
    spread = float(np.ptp(differences)) if differences.size else math.inf
    # A value of 0 has no logarithm that rounding could be judged by.
    if not math.isfinite(spread) or spread > rounding:
        return differences
    mean = float(differences.mean())
    if abs(mean) <= rounding:
        return np.zeros_like(differences)
    return np.full_like(differences, mean)
