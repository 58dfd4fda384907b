"""Treatments in contexts."""

from __future__ import annotations

import math
from typing import Any

from answers.made import make, noisy
from steelyard.core.analysis import Analysis
from steelyard.results.analysis import Answer, DesignFacts, Pace
from steelyard.stats.answer import answer


def contexts_in_passes() -> Answer:
    fields: dict[str, Any] = {
        "contexts": [1 + i % 10 for i in range(30)],
        "passes": [1 + i // 10 for i in range(30)],
    }
    favoured = [x * math.exp(0.04 * (i % 10 - 4)) for i, x in enumerate(noisy(33))]
    samples = [make(noisy(32), 2, "-O2", **fields), make(favoured, 3, "-O3", **fields)]
    facts = DesignFacts(
        "randomized-blocks", 30, 1, contexts=10, passes=3, pace=Pace(0.003, 0.0004), layout_per_launch=True
    )
    return answer("passes", samples, facts, Analysis())


def a_rare_slow_context() -> Answer:
    contexts = list(range(1, 21))
    rare = noisy(72, 20, spread=0.01)
    rare[7] *= 2.5
    samples = [
        make(noisy(71, 20, spread=0.01), 1, "old", contexts=contexts),
        make(rare, 2, "new", contexts=contexts),
        make(noisy(73, 20, spread=0.01, at=0.9e-3), 3, "newest", contexts=contexts),
    ]
    facts = DesignFacts("randomized-blocks", 20, 1, contexts=20, default_context=3)
    return answer("rare", samples, facts, Analysis())


def a_context_for_each_block() -> Answer:
    samples = [make(noisy(30 + t, at=1e-2 / t), t, f"-O{t}", contexts=list(range(1, 31))) for t in (2, 3)]
    return answer("contexts", samples, DesignFacts("randomized-blocks", 30, 1, contexts=30), Analysis())
