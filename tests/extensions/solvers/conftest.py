from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from steelyard.extensions.solvers.runs import Campaign, SolverRun

LIMIT_S = 600.0


@pytest.fixture
def drawn() -> Callable[..., Campaign]:
    """Draw campaigns of two solvers whose instances share how hard they are; some are never solved."""

    def draw(seed: Any, instances: int, shift: float, *, spread: float = 0.5, seeds: int = 1) -> Campaign:
        rng = np.random.default_rng(seed)
        hardness = rng.normal(3.5, 2.0, instances)
        runs = []
        for solver, factor in (("a", 0.0), ("b", shift)):
            logarithms = hardness + factor + rng.normal(0, spread, instances)
            for number in range(seeds):
                times = np.exp(logarithms + rng.normal(0, 0.3, instances))
                runs += [
                    SolverRun(
                        solver,
                        f"i{place}",
                        "solved" if time <= LIMIT_S else "timeout",
                        float(min(time, LIMIT_S)),
                        str(number),
                    )
                    for place, time in enumerate(times)
                ]
        return Campaign(tuple(runs), LIMIT_S, "as given")

    return draw
