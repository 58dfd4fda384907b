"""Noise of histories, which the search for a commit meets too; and ends that are drawn."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from drawn_noise import noise_of

from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import BUILTIN

__all__ = ["noise_of"]


def make_end(place: int, logs: Sequence[float], metric: str = "wall_s") -> Sample:
    """Sample of an end whose values have these logarithms, block by block."""
    n, name = len(logs), ("good", "bad")[place]
    ids = array("q", range(1, n + 1))
    return Sample(
        BUILTIN[metric],
        Treatment(place + 1, name, {"commit": name}),
        array("d", np.exp(np.asarray(logs))),
        ids,
        array("q", [1] * n),
        array("q", [0] * n),
        ids,
    )


@pytest.fixture
def draw_ends() -> Callable[..., tuple[Sample, Sample]]:
    """``draw_ends(good, bad)``: samples of both ends, from logarithms."""
    return lambda good, bad, metric="wall_s": (make_end(0, good, metric), make_end(1, bad, metric))
