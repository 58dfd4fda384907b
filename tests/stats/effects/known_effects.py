"""An experiment with three factors whose effects are known."""

from __future__ import annotations

import math

CUBE = {"a": ["lo", "hi"], "b": [0, 1], "c": [False, True]}


def log_mean(cell):
    """Known effects: a doubles, c saves a tenth, and both together cost a twentieth."""
    high = cell["a"] == "hi"
    return math.log(2) * high + math.log(0.9) * (cell["c"] is True) + math.log(1.05) * (high and cell["c"])


def by_name(found):
    return {effect.factors: effect for effect in found.effects}
