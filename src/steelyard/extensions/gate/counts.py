"""Counts: judged by difference where every process of a side reports the same number, to the digit.

Let all n processes of base report b, and all n of head report h, beyond the margin. If head is not worse
(its count is stochastically at most that of base, times the margin), this has a probability of at most
2 * 4**-n, whatever the distributions are. With a = P(base = b) and S = P(base > b), P(head = h > b) is at
most S, so that the sum over all b of (a * S)**n is at most max(a * S)**(n - 1) * sum(a * S); a * S is at
most 1/4, and the sum at most 1/2. The event of n processes contains that of n + 1, so looks cost nothing.

A count that differs between processes of one side is judged as a time is. Where one is 0, no ratio exists:
then by signs of blocks, of which the k-th look has 2**-k of the level.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from steelyard.core.units import Better
from steelyard.extensions.gate.suite import BenchmarkEvidence

TOLERANCE: Final = 1e-12
"""Of a margin, for decimal fractions that binary ones only approach."""


def repeats(base: Sequence[float], head: Sequence[float]) -> bool:
    """Whether each side has one number, the same in all of its processes."""
    return len(set(base)) == 1 == len(set(head))


def count_change(base: float, head: float) -> float:
    """Change relative to base; infinite where base is 0 and head is not."""
    if head == base:
        return 0.0
    return (head - base) / abs(base) if base else math.copysign(math.inf, head)


def bound_chance(processes: int) -> float:
    """Probability of at most this, that two counts that vary alike differ and look exact in n processes."""
    return min(1.0, 2.0 * 0.25**processes)


def count_processes_needed(level: float) -> int:
    """Return the processes of each side from which on a difference that repeats is below a level."""
    return math.ceil(math.log(2 / level, 4))


def weigh_exact(
    base: Sequence[float], head: Sequence[float], margin: float, better: Better
) -> BenchmarkEvidence:
    """Evidence of counts that repeat; one that is the same, or within the margin, is so as a fact."""
    worse = -1 if better == "higher" else 1
    change = worse * count_change(base[0], head[0])
    if abs(change) <= margin * (1 + TOLERANCE):
        return BenchmarkEvidence(equivalent=0.0)
    p = bound_chance(min(len(base), len(head)))
    return BenchmarkEvidence(worse=p) if change > 0 else BenchmarkEvidence(better=p)


def weigh_signs(
    base: Sequence[float], head: Sequence[float], margin: float, better: Better, looks: int
) -> BenchmarkEvidence:
    """Evidence of blocks in which head is beyond the margin, on either side (Dixon and Mood 1946).

    Parameters
    ----------
    base, head : sequence of float
        Block by block, as many of either.
    looks : int
        So far, this one included.
    """
    worse = -1 if better == "higher" else 1
    gaps = [worse * (new - old) - margin * abs(old) for old, new in zip(base, head, strict=True)]
    gains = [worse * (old - new) - margin * abs(old) for old, new in zip(base, head, strict=True)]
    p_worse, p_better = (
        min(1.0, 2.0**looks * _tail(sum(value > 0 for value in values), len(values)))
        for values in (gaps, gains)
    )
    return BenchmarkEvidence(worse=p_worse, better=p_better)


def _tail(successes: int, n: int) -> float:
    """Probability of so many heads of n fair coins, or more."""
    return math.fsum(math.comb(n, k) * 0.5**n for k in range(successes, n + 1))
