"""Classes of equal counts: which settings of a program differ in what a simulated processor counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from steelyard.core.arrays import Floats

CYCLES: Final = {
    "instructions": 1,
    "i1_misses": 10,
    "d1_misses": 10,
    "mispredicts": 10,
    "lli_misses": 100,
    "lld_misses": 100,
}
"""Estimated cycles of each event, the weights of KCachegrind's cycle estimation."""


def estimate_cycles(counts: Mapping[str, Floats]) -> Floats:
    """Weighted sum of the events of each setting.

    Parameters
    ----------
    counts : Mapping[str, array]
        Every event of ``CYCLES`` to its count in each setting.
    """
    total: Floats = np.sum([weight * counts[event] for event, weight in CYCLES.items()], axis=0)
    return total


def group_counts(counts: Mapping[str, Floats], tolerance: float) -> list[list[int]]:
    """Places of the settings of each class, the largest class first.

    A setting belongs to the first class from whose most frequent counts no event of it differs by more than
    ``tolerance``, in estimated cycles over those of the median setting.
    """
    cycles = float(np.median(estimate_cycles(counts)))
    shares = np.array([weight * counts[event] / cycles for event, weight in CYCLES.items()])
    kinds, places, numbers = np.unique(shares, axis=1, return_inverse=True, return_counts=True)
    places = places.reshape(-1)
    leaders: list[int] = []
    classes: list[list[int]] = []
    for kind in np.argsort(-numbers, kind="stable"):
        near = [np.abs(kinds[:, kind] - kinds[:, leader]).max() <= tolerance for leader in leaders]
        if True not in near:
            leaders.append(int(kind))
            classes.append([])
            near.append(True)
        classes[near.index(True)] += np.flatnonzero(places == kind).tolist()
    return sorted((sorted(group) for group in classes), key=lambda group: (-len(group), group[0]))
