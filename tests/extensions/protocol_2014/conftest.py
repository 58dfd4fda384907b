"""Pairs of samples through the protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from steelyard.core.sample import Sample
from steelyard.extensions.protocol_2014.results import ProtocolPair, Rules
from steelyard.stats.compare.pairing import Pair
from steelyard.extensions.protocol_2014.pair import examine
from steelyard.extensions.protocol_2014.profile import profile


@pytest.fixture(scope="session")
def through(sample: Callable[..., Sample]) -> Callable[..., ProtocolPair]:
    """One pair of lists of values through the protocol, before Holm."""

    def run(
        old: Sequence[float], new: Sequence[float], rules: Rules | None = None, **given: Any
    ) -> ProtocolPair:
        a, b = sample(old, treatment=1, **given), sample(new, treatment=2, **given)
        return examine(Pair(a, b, {}), profile(a), profile(b), rules or Rules())

    return run
