"""One error over all functions: sign flips of whole blocks, the largest t, stepping down.

Where two builds are equal, swapping them within a block changes nothing but signs, whatever the distribution
of times and however functions depend on each other: the probability that any function is named is at most
``alpha``. Westfall and Young 1993, algorithm 2.8; Romano and Wolf 2005 (DOI 10.1198/016214504000000539).
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats

FEWEST_BLOCKS: Final = 12
"""With fewer, intervals of functions that are named are too short (``conditional``)."""
MOST_EXACT: Final = 12
"""Blocks up to which all signs are gone through."""
_DRAWS: Final = 4_096


class Family(msgspec.Struct, frozen=True, eq=False):
    """All functions, tested together.

    Attributes
    ----------
    t : array of double, shape (functions,)
        Mean difference over its standard error.
    p : array of double, shape (functions,)
        Adjusted over the family.
    critical : array of double, shape (functions,)
        The |t| from which each would be named, as the others are.
    """

    t: Floats
    p: Floats
    critical: Floats


def judge_family(differences: Floats, alpha: float, seed: int) -> Family:
    """Test whether the differences of each function are 0 in the mean.

    Parameters
    ----------
    differences : array of double, shape (blocks, functions)
        New minus old.
    alpha : float
        Probability that any function without a difference is named.
    seed : int
        Draws the signs, where there are too many to go through.
    """
    blocks, functions = differences.shape
    flipped = np.abs(_compute_t(_choose_signs(blocks, seed), differences))
    t = flipped[0]
    order = np.argsort(-t, kind="stable")
    p = np.ones(functions)
    critical = np.full(functions, np.inf)
    largest = 0.0
    for rank, place in enumerate(order):
        highest = flipped[:, order[rank:]].max(axis=1)
        # Equal but for rounding counts as reached.
        largest = max(largest, float(np.mean(highest >= t[place] * (1 - 1e-9))))
        p[place] = largest
    unnamed = p > alpha
    for place in range(functions):
        members = unnamed.copy()
        members[place] = True
        highest = np.sort(flipped[:, members].max(axis=1))
        critical[place] = highest[-max(1, int(alpha * highest.size))]
    return Family(_compute_t(np.ones((1, blocks)), differences)[0], p, critical)


def _choose_signs(blocks: int, seed: int) -> Floats:
    """Return signs, a row for each draw: the first row leaves all differences as they are."""
    if blocks <= MOST_EXACT:
        # The first block keeps its sign: |t| is the same for opposite signs.
        count = 1 << (blocks - 1)
        bits = (np.arange(count)[:, None] >> np.arange(blocks - 1)) & 1
        return np.hstack([np.ones((count, 1)), 1.0 - 2.0 * bits])
    rng = np.random.Generator(np.random.Philox(seed))
    signs: Floats = 1.0 - 2.0 * rng.integers(0, 2, (_DRAWS, blocks)).astype(np.float64)
    signs[0] = 1.0
    return signs


def _compute_t(signs: Floats, differences: Floats) -> Floats:
    """Return t for each row of signs and each function; 0 where a function has no difference at all."""
    blocks = differences.shape[0]
    mean = signs @ differences / blocks
    square = (differences**2).sum(axis=0)
    variance = np.maximum(square - blocks * mean**2, square * 1e-15) / (blocks - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t: Floats = np.where(square > 0, mean / np.sqrt(variance / blocks), 0.0)
    return t
