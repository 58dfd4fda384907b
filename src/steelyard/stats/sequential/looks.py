"""``Looks``: after how many blocks an experiment was looked at, and the level left for the last look.

An error of ``alpha`` is spent over the looks (Lan and DeMets 1983, DOI 10.2307/2336502). A look at n blocks
has spent 3/4 alpha (1 - sqrt(2 / n)) altogether, so that looks may go on without end; a quarter is left for
t, which rejects more than normal means do where blocks are few, and most where a look counts because its
interval is narrow. A look that a limit of time or blocks makes the last, and not what was seen, spends the
rest of the 3/4, and all of alpha where it is the only one. Blocks that are added after it are looked at for a
tenth more: the j-th time for alpha / (10 * 2^j).

Looks that may end a run at a verdict alone, however wide the interval, spend in proportion to their blocks:
3/4 alpha by ``HORIZON`` of them (the power family with exponent 1; Kim and DeMets 1987, DOI
10.1093/biomet/74.1.149), and from there on ``LATER (1 - HORIZON / n)`` more. A limit that makes the last look
leaves a tenth of alpha, for t.

The level of a look is the one at which a true hypothesis is rejected there, and at no earlier look, as often
as the look may spend: by the joint distribution of normal means of more and more blocks, integrated look by
look (Armitage, McPherson and Rowe 1969, DOI 10.2307/2343787). Any two-sided test of the blocks so far may
judge at it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.look_schedule import Until
from steelyard.core.special import normal_cdf, normal_quantile

OPEN: Final = 3 / 4
"""Of alpha, what looks without end may spend altogether."""
HORIZON: Final = 150
"""Blocks by which looks that end at a verdict have spent ``OPEN``."""
LATER: Final = 0.15
"""Of alpha, what such looks may spend after them, and what a limit that makes the last look leaves of it."""
EXTENSIONS: Final = 10
"""Parts of alpha, one of which is spent on all extensions together."""

_OVERALL: Final[Floats] = np.concatenate((np.geomspace(1e-10, 1e-5, 6), np.geomspace(1e-4, 1.0, 17)))
"""Probabilities of an error over all looks for which levels are tabled; linear in logarithms between them."""
_NODES: Final = 64
_NEAREST: Final = 0.005
"""Looks that follow each other by a smaller share of the blocks are judged by the union bound."""


class Looks(msgspec.Struct, frozen=True):
    """Looks at one experiment.

    Attributes
    ----------
    blocks : tuple of int
        At each look so far, the last one included; ascending, the first at 3 blocks at the earliest.
    closed : int or None
        Blocks at the look that a limit made the last; later looks are at blocks that were added. ``None``
        where each look so far could have been followed by another.
    until : {"size", "verdict"}
        What a look has to show to end the run: a verdict with a narrow interval, or a verdict.

    Raises
    ------
    ValueError
        No looks, looks that do not ascend, one below 3 blocks that spends by their number, or a last one that
        was not made.
    """

    blocks: tuple[int, ...]
    closed: int | None = None
    until: Until = "size"

    def __post_init__(self) -> None:
        ascending = all(a < b for a, b in zip(self.blocks, self.blocks[1:], strict=False))
        if not self.blocks or not ascending or (self.planned and self.blocks[0] < 3):
            raise ValueError(f"looks must ascend, from 3 blocks on, got {self.blocks}")
        if self.closed is not None and self.closed not in self.blocks:
            raise ValueError(f"closed after {self.closed} blocks, but looks were at {self.blocks}")

    @property
    def planned(self) -> bool:
        """Whether there were looks that could end the run because of what they showed."""
        return self.closed is None or self.closed != self.blocks[0]

    @property
    def _only(self) -> bool:
        return self.closed == self.blocks[0] == self.blocks[-1]

    def level(self, alpha: float) -> float:
        """Return the two-sided level of the last look.

        An error over all looks, and all later ones, has a probability of at most ``alpha``.
        """
        if self._only:
            return alpha
        return _interpolate(alpha, _OVERALL, _walk(self.blocks, self.closed, self.until).levels)

    def overall(self, p: float) -> float:
        """Return the smallest ``alpha`` with which the last look rejects what has this ``p`` in its blocks.

        It is the inverse of ``level``. Over all looks it is at most a with a probability of at most a,
        whatever a is.
        """
        if self._only:
            return p
        return min(1.0, _interpolate(p, _walk(self.blocks, self.closed, self.until).levels, _OVERALL))


def level_at(alpha: float, blocks: tuple[int, ...], closed: int | None = None) -> float:
    """Return the level of the last of these looks; ``alpha`` over all of them."""
    return Looks(blocks, closed).level(alpha)


def _interpolate(x: float, xs: Floats, ys: Floats) -> float:
    if x <= 0:
        return 0.0
    if x < xs[0]:
        return float(x * ys[0] / xs[0])
    return float(np.exp(np.interp(math.log(x), np.log(xs), np.log(ys))))


def _spent(blocks: tuple[int, ...], closed: int | None, until: Until) -> float:
    """Share of alpha that is spent up to and with the last look."""
    last = blocks[-1]
    if closed is None or last < closed:
        if until == "size":
            return OPEN * (1 - math.sqrt(2 / last))
        return OPEN * last / HORIZON if last < HORIZON else OPEN + LATER * (1 - HORIZON / last)
    added = sum(look > closed for look in blocks)
    total = OPEN if until == "size" else OPEN + LATER
    return (1.0 if closed == blocks[0] else total) + (1 - 0.5**added) / EXTENSIONS


class _Walk(msgspec.Struct, frozen=True, eq=False):
    """Sums of standard normal values that no look up to ``blocks`` has rejected, one row a probability.

    Attributes
    ----------
    sums, masses : array of double
        Places of a quadrature, and the probability at each.
    """

    levels: Floats
    blocks: int
    sums: Floats
    masses: Floats


@lru_cache(maxsize=1024)
def _walk(blocks: tuple[int, ...], closed: int | None, until: Until) -> _Walk:
    n = blocks[-1]
    closed_before = closed if closed is not None and closed < n else None
    before = _walk(blocks[:-1], closed_before, until) if len(blocks) > 1 else None
    share = _spent(blocks, closed, until) - (_spent(blocks[:-1], closed_before, until) if before else 0)
    # Extensions spend more than all; a probability stays below 1 for all that.
    spends = np.minimum(_OVERALL * share, 0.99)
    if before is None:
        levels, reach = spends, -normal_quantile(spends / 2)
    elif n - before.blocks < _NEAREST * n:
        return _Walk(spends, before.blocks, before.sums, before.masses)
    else:
        step = math.sqrt(n - before.blocks)

        def reject(reach: Floats) -> Floats:
            beyond = normal_cdf((before.sums - reach[:, np.newaxis] * math.sqrt(n)) / step)
            return np.asarray(2 * (before.masses * beyond).sum(axis=1))

        reach = _solve(reject, spends)
        levels = 2 * normal_cdf(-reach)
    nodes, weights = _compute_rule()
    sums = nodes * reach[:, np.newaxis] * math.sqrt(n)
    widths = weights * reach[:, np.newaxis] * math.sqrt(n)
    if before is None:
        density = np.exp(-(sums**2) / (2 * n)) / math.sqrt(2 * math.pi * n)
    else:
        apart = (sums[:, :, np.newaxis] - before.sums[:, np.newaxis, :]) / step
        kernel = np.exp(-(apart**2) / 2) / (math.sqrt(2 * math.pi) * step)
        density = np.einsum("kij,kj->ki", kernel, before.masses)
    return _Walk(levels, n, sums, density * widths)


def _solve(rejected: Callable[[Floats], Floats], target: Floats) -> Floats:
    """Critical values, one a row, beyond which ``rejected`` is as much as wanted; 0 where it never is."""
    low, high = np.zeros(target.size), np.full(target.size, 40.0)
    for _ in range(50):
        middle = (low + high) / 2
        above = rejected(middle) > target
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return high


@lru_cache(maxsize=1)
def _compute_rule() -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights for the interval from -1 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights
