"""Samples by hand, and how likely a perfect tool passes a test of a rate."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from scipy import stats as witness

sys.path.insert(0, str(Path(__file__).parent))

from small_samples import quantiles, run_2, run_5, sample

__all__ = ["quantiles", "run_2", "run_5", "sample"]


def passes_with(n: int, rate: float, low: int, high: int) -> float:
    """How likely a tool whose true rate is ``rate`` shows ``low`` to ``high`` of ``n`` (exact binomial)."""
    return witness.binom.cdf(high, n, rate) - witness.binom.cdf(low - 1, n, rate)


@pytest.fixture(scope="session")
def perfect_passes() -> Callable[..., float]:
    return passes_with
