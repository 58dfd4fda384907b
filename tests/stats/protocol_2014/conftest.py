"""Pairs of samples through the protocol."""

from __future__ import annotations

import pytest

from steelyard.results.protocol import Rules
from steelyard.stats.compare.pairing import Pair
from steelyard.stats.protocol_2014.pair import examine
from steelyard.stats.protocol_2014.profile import profile


@pytest.fixture(scope="session")
def through(sample):
    """One pair of lists of values through the protocol, before Holm."""

    def run(old, new, rules=None, **given):
        a, b = sample(old, treatment=1, **given), sample(new, treatment=2, **given)
        return examine(Pair(a, b, {}), profile(a), profile(b), rules or Rules())

    return run
