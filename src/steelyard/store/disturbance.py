"""How much of their time the trials waited for a CPU."""

from __future__ import annotations

from collections.abc import Collection

from steelyard.store.entries import Disturbance
from steelyard.store.trials import WAITED_NS, Trials


def disturbances(trials: Trials, uncounted: Collection[int]) -> dict[int, Disturbance]:
    """Of each treatment, without trials of ``uncounted`` blocks. Sums of whole nanoseconds are exact up to
    104 days.
    """
    import numpy as np

    treatments, blocks, waited_ns, wall_ns = (
        np.frombuffer(column, np.int64)
        for column in trials.columns("treatment", "block", WAITED_NS, "wall_ns")
    )
    if uncounted:
        counted = ~np.isin(blocks, list(uncounted))
        treatments, waited_ns, wall_ns = treatments[counted], waited_ns[counted], wall_ns[counted]
    observed = waited_ns >= 0
    counts = np.bincount(treatments)
    asked, waited, wall = (
        np.bincount(treatments, weights=each, minlength=counts.size)
        for each in (observed, np.where(observed, waited_ns, 0), wall_ns)
    )
    return {
        treatment: Disturbance(
            treatment,
            int(counts[treatment]),
            int(asked[treatment]),
            float(waited[treatment] / wall[treatment]) if wall[treatment] else 0.0,
        )
        for treatment in np.flatnonzero(counts).tolist()
    }
