"""Sign-flip test of a mean: differences that are symmetric about it could as well have the other sign.

A program that is compared with itself in randomised blocks has such differences whatever its times are like,
since the order that was drawn gave each of them its sign.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from steelyard.core.arrays import Floats
from steelyard.stats.distributions.order_statistics import two_sided
from steelyard.stats.hypothesis.sign_flip_lattice import quantiles

FEWEST: Final = 7
"""Differences whose signs are flipped: with fewer, 5 % is too near to the least share of all patterns."""
MOST: Final = 64
"""Differences: a pattern of signs is a word of 64 bits."""
ENUMERATED: Final = 14
"""Up to so many differences all 2^n patterns are taken, and else as many as these would be, counted or
drawn."""
_ROUNDING: Final = 1e-12
"""Sums that differ from 0 by less, relative to the sum of all distances, would be 0 in another order."""

_Bytes = npt.NDArray[np.uint8]


def subset_means(differences: Floats, seed: int = 1) -> Floats:
    """Ascending means of the non-empty subsets of 1 to 64 differences: all, or 2^14 - 1 quantiles of them.

    Of more than 14 differences, some of which are equal or opposite, so that sums of subsets are too, as many
    are drawn by ``seed`` instead.

    The hypothesis that the mean is m is rejected, against a larger one, by as many patterns of signs of the
    differences minus m as there are subsets (of those that change their sign) with a mean of at most m: the
    true mean is as likely to lie between any two neighbours of all (Hartigan 1969, J. Am. Stat. Assoc. 64,
    1303-1317, DOI 10.1080/01621459.1969.10501057).

    Raises
    ------
    ValueError
        No differences, or more than 64.
    """
    n = differences.size
    if not 0 < n <= MOST:
        raise ValueError(f"1 to {MOST} differences are needed, got {n}")
    if n > ENUMERATED and np.unique(np.abs(differences)).size == n:
        return quantiles(differences, 2**ENUMERATED - 1)
    eights, sizes = _compute_subsets(n, seed)
    sums = np.zeros(sizes.size)
    for first, chosen in enumerate(eights):
        eight = differences[8 * first : 8 * first + 8]
        sums += (_BITS[:, : eight.size] @ eight).take(chosen)
    sums[np.abs(sums) <= _ROUNDING * float(np.abs(differences).sum())] = 0
    return np.sort(sums / sizes)


def sign_flip_p(differences: Floats) -> float | None:
    """Two-sided p of the hypothesis that the mean is 0, by all patterns of signs.

    ``None`` beyond 14 differences, and without any (Fisher 1935, The Design of Experiments, § 21).
    """
    if not 0 < differences.size <= ENUMERATED:
        return None
    return min(1.0, two_sided(subset_means(differences), 0.0))


def flipped_p(differences: Floats, seed: int = 1) -> float:
    """Two-sided p of the hypothesis that the mean is 0, of any number of differences.

    All patterns of signs of up to 14 that are not 0, else 2^14 drawn by ``seed``, the pattern observed
    counted among them (Phipson and Smyth 2010, DOI 10.2202/1544-6115.1585).
    """
    moved = differences[differences != 0]
    if not moved.size:
        return 1.0
    exact = sign_flip_p(moved)
    if exact is not None:
        return exact
    rng = np.random.default_rng([seed, moved.size])
    observed = abs(float(moved.sum()))
    slack = _ROUNDING * float(np.abs(moved).sum())
    beyond = 0
    for _ in range(_BATCHES):
        signs = rng.integers(0, 2, (_DRAWN // _BATCHES, moved.size)) * 2 - 1
        beyond += int((np.abs(signs @ moved) >= observed - slack).sum())
    return (beyond + 1) / (_DRAWN + 1)


_BATCHES: Final = 16
_DRAWN: Final = _BATCHES * 1024
"""Patterns; in batches, so that a thousand differences need 8 MB."""

_BITS: Final = (np.arange(256)[:, np.newaxis] >> np.arange(8) & 1).astype(np.float64)
"""For each byte, the subset of eight differences that it selects."""


@lru_cache(maxsize=64)
def _compute_subsets(n: int, seed: int) -> tuple[tuple[_Bytes, ...], Floats]:
    """Eight differences a row, for each subset the byte that says which are in it; and the subsets' sizes."""
    count = 2**ENUMERATED - 1
    words = (
        np.arange(1, 2**n, dtype="<u8")
        if n <= ENUMERATED
        else np.random.default_rng([seed, n]).integers(1, 2**n - 1, count, dtype="<u8", endpoint=True)
    )
    eights = np.ascontiguousarray(words.view(np.uint8).reshape(-1, 8).T)[: -(-n // 8)]
    return tuple(eights), np.asarray(_BITS.sum(axis=1)[eights].sum(axis=0))
