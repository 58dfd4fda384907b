"""Noise of records one after the other, for histories and for the search for a commit."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from steelyard.core.arrays import Floats


def ar1(rng: np.random.Generator, n: int, phi: float, *shape: int) -> Floats:
    """Normal noise of variance 1 whose neighbours correlate by phi."""
    shocks: Floats = rng.normal(size=(*shape, n))
    shocks[..., 1:] *= math.sqrt(1 - phi * phi)
    for t in range(1, n):
        shocks[..., t] += phi * shocks[..., t - 1]
    return shocks


@pytest.fixture(scope="session")
def noise_of() -> Callable[..., Floats]:
    return ar1
