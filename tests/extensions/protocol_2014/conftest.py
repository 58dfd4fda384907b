"""Pairs of samples through the protocol."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "stats"))

from small_samples import quantiles, run_2, run_5, sample

from steelyard.core.sample import Sample
from steelyard.extensions.protocol_2014.pair import examine
from steelyard.extensions.protocol_2014.profile import profile
from steelyard.extensions.protocol_2014.results import ProtocolPair, Rules
from steelyard.stats.compare.pairing import Pair

__all__ = ["quantiles", "run_2", "run_5", "sample"]


@pytest.fixture(scope="session")
def through(sample: Callable[..., Sample]) -> Callable[..., ProtocolPair]:
    """One pair of lists of values through the protocol, before Holm."""

    def run(
        old: Sequence[float], new: Sequence[float], rules: Rules | None = None, **given: Any
    ) -> ProtocolPair:
        a, b = sample(old, treatment=1, **given), sample(new, treatment=2, **given)
        return examine(Pair(a, b, {}), profile(a), profile(b), rules or Rules())

    return run
