"""An experiment with three factors whose effects are known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from steelyard.results.effects import Effect, Factorial

CUBE = {"a": ["lo", "hi"], "b": [0, 1], "c": [False, True]}


def log_mean(cell: Mapping[str, Any]) -> float:
    """Known effects: a doubles, c saves a tenth, and both together cost a twentieth."""
    high = bool(cell["a"] == "hi")
    saves = cell["c"] is True
    return math.log(2) * high + math.log(0.9) * saves + math.log(1.05) * (high and saves)


def by_name(found: Factorial) -> dict[tuple[str, ...], Effect]:
    return {effect.factors: effect for effect in found.effects}
