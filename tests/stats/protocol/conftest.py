"""The samples of docs/statistics.md, "The protocol": quantiles of known shapes, no random number in them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from steelyard.stats.pairing import Pair
from steelyard.stats.protocol.pair import examine
from steelyard.stats.protocol.profile import profile
from steelyard.stats.protocol.rules import Rules


@pytest.fixture(scope="session")
def quantiles():
    z = ndtri((np.arange(1, 31) - 0.5) / 30)
    bumps = np.where(np.arange(30) % 3 == 0, 10.6, 10.0)
    raw = {
        "N1": 10 + 0.1 * z,
        "N2": 10.05 + 0.1 * z,
        "N3": 10.2 + 0.3 * z,
        "L1": 9.9 + 0.1 * np.exp(z),
        "L2": 10 + 0.1 * np.exp(z),
        "M1": bumps + 0.05 * z,
    }
    return {name: np.round(values, 6) for name, values in raw.items()}


@pytest.fixture(scope="session")
def through(sample):
    """One pair of lists of values through the protocol, before Holm."""

    def run(old, new, rules=None, **given):
        a, b = sample(old, treatment=1, **given), sample(new, treatment=2, **given)
        return examine(Pair(a, b, {}), profile(a), profile(b), rules or Rules())

    return run
