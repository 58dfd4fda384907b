"""How much of their time the trials waited for a CPU."""

from __future__ import annotations

from collections.abc import Collection

from steelyard.store.entries import Disturbance
from steelyard.store.trials import WAITED_NS, Trials


def disturbances(trials: Trials, uncounted: Collection[int]) -> dict[int, Disturbance]:
    """Of each treatment whose trials told their waiting, without those of ``uncounted`` blocks. Sums of whole
    nanoseconds are exact up to 104 days.
    """
    import numpy as np

    treatments, blocks, waited_ns, wall_ns = (
        np.frombuffer(column, np.int64)
        for column in trials.columns("treatment", "block", WAITED_NS, "wall_ns")
    )
    chosen = waited_ns >= 0
    if uncounted:
        chosen &= ~np.isin(blocks, list(uncounted))
    treatments = treatments[chosen]
    counts = np.bincount(treatments)
    waited, wall = (
        np.bincount(treatments, weights=each[chosen], minlength=counts.size) for each in (waited_ns, wall_ns)
    )
    return {
        treatment: Disturbance(
            treatment,
            int(counts[treatment]),
            float(waited[treatment] / wall[treatment]) if wall[treatment] else 0.0,
        )
        for treatment in np.flatnonzero(counts).tolist()
    }
