"""Samples of two builds whose differences are known."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import BUILTIN


def draw(differences: npt.ArrayLike, shared: Any = 0.0) -> tuple[Sample, ...]:
    """Samples of best and change, block by block, from logarithms of the change's gain."""
    gains = np.asarray(differences, dtype=float)
    n = gains.size
    ids = array("q", range(1, n + 1))
    return tuple(
        Sample(
            BUILTIN["wall_s"],
            Treatment(place, name, {"tree": name}),
            array("d", np.exp(shared + sign * gains / 2)),
            ids,
            array("q", [1] * n),
            array("q", [0] * n),
            ids,
        )
        for place, (name, sign) in enumerate((("best", 1), ("change", -1)), 1)
    )


@pytest.fixture
def draw_samples() -> Callable[..., tuple[Sample, ...]]:
    """``draw_samples(differences)``: best and change."""
    return draw
