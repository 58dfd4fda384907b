"""``Looks``: after how many blocks an experiment was looked at, and the level left for the last look.

An error of ``alpha`` is spent over the looks (Lan and DeMets 1983, DOI 10.2307/2336502). The level of a
look is the one at which a true hypothesis is rejected there, and at no earlier look, as often as the look may
spend: by the joint distribution of normal means of more and more blocks, integrated look by look (Armitage,
McPherson and Rowe 1969, DOI 10.2307/2343787). Any two-sided test of the blocks so far may judge at it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Final, Literal, assert_never

import msgspec
import numpy as np

from steelyard.arrays import Floats

Spent = Literal["open", "extended"]
Spending = Spent | Literal["none"]
"""``open``: a look at n blocks has spent 7/8 alpha (1 - sqrt(2 / n)) altogether, so that looks may go on
without end; an eighth is left for t, which rejects more than normal means do where blocks are few.
``extended``: the first look spends alpha, the j-th after it alpha / (10 * 2^j).
``none``: looks at half-widths alone, which leave alpha to the end."""

OPEN: Final = 7 / 8
"""Of alpha, what looks without end may spend altogether."""
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
    spending : {"open", "extended", "none"}
        What each look may spend.

    Raises
    ------
    ValueError
        No looks, looks that do not ascend, or one below 3 blocks that spends by their number.
    """

    blocks: tuple[int, ...]
    spending: Spending = "open"

    def __post_init__(self) -> None:
        ascending = all(a < b for a, b in zip(self.blocks, self.blocks[1:], strict=False))
        if not self.blocks or not ascending or (self.spending == "open" and self.blocks[0] < 3):
            raise ValueError(f"looks must ascend, from 3 blocks on, got {self.blocks}")

    def level(self, alpha: float) -> float:
        """The two-sided level of the last look, where an error over all looks, and all later ones, has a
        probability of at most ``alpha``.
        """
        if self.spending == "none":
            return alpha
        return _interpolated(alpha, _OVERALL, _levels(self.blocks, self.spending))

    def overall(self, p: float) -> float:
        """The inverse: the smallest ``alpha`` with which the last look rejects what has this ``p`` in its
        blocks. Over all looks it is at most a with a probability of at most a, whatever a is.
        """
        if self.spending == "none":
            return p
        return min(1.0, _interpolated(p, _levels(self.blocks, self.spending), _OVERALL))


def level_at(alpha: float, blocks: tuple[int, ...], spending: Spending = "open") -> float:
    """The level of the last of these looks; ``alpha`` over all of them."""
    return Looks(blocks, spending).level(alpha)


def _interpolated(x: float, xs: Floats, ys: Floats) -> float:
    if x <= 0:
        return 0.0
    if x < xs[0]:
        return float(x * ys[0] / xs[0])
    return float(np.exp(np.interp(math.log(x), np.log(xs), np.log(ys))))


def _spent(blocks: tuple[int, ...], spending: Spent) -> float:
    """Share of alpha that is spent up to and with the last look."""
    match spending:
        case "open":
            return OPEN * (1 - math.sqrt(2 / blocks[-1]))
        case "extended":
            return 1 + (1 - 0.5 ** (len(blocks) - 1)) / EXTENSIONS
        case _:
            assert_never(spending)


def _levels(blocks: tuple[int, ...], spending: Spent) -> Floats:
    """Of the last look, for each probability in ``_OVERALL``."""
    return _walk(blocks, spending).levels


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


@lru_cache(maxsize=256)
def _walk(blocks: tuple[int, ...], spending: Spent) -> _Walk:
    from scipy.special import ndtr, ndtri

    n = blocks[-1]
    before = _walk(blocks[:-1], spending) if len(blocks) > 1 else None
    share = _spent(blocks, spending) - (_spent(blocks[:-1], spending) if before else 0)
    # Extensions spend more than all; a probability stays below 1 for all that.
    spends = np.minimum(_OVERALL * share, 0.99)
    if before is None:
        levels, reach = spends, -ndtri(spends / 2)
    elif n - before.blocks < _NEAREST * n:
        return _Walk(spends, before.blocks, before.sums, before.masses)
    else:
        step = math.sqrt(n - before.blocks)

        def rejected(reach: Floats) -> Floats:
            beyond = ndtr((before.sums - reach[:, np.newaxis] * math.sqrt(n)) / step)
            return np.asarray(2 * (before.masses * beyond).sum(axis=1))

        reach = _solved(rejected, spends)
        levels = 2 * ndtr(-reach)
    nodes, weights = _rule()
    sums = nodes * reach[:, np.newaxis] * math.sqrt(n)
    widths = weights * reach[:, np.newaxis] * math.sqrt(n)
    if before is None:
        density = np.exp(-(sums**2) / (2 * n)) / math.sqrt(2 * math.pi * n)
    else:
        apart = (sums[:, :, np.newaxis] - before.sums[:, np.newaxis, :]) / step
        kernel = np.exp(-(apart**2) / 2) / (math.sqrt(2 * math.pi) * step)
        density = np.einsum("kij,kj->ki", kernel, before.masses)
    return _Walk(levels, n, sums, density * widths)


def _solved(rejected: Callable[[Floats], Floats], wanted: Floats) -> Floats:
    """Critical values, one a row, beyond which ``rejected`` is as much as wanted; 0 where it never is."""
    low, high = np.zeros(wanted.size), np.full(wanted.size, 40.0)
    for _ in range(50):
        middle = (low + high) / 2
        above = rejected(middle) > wanted
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return high


@lru_cache(maxsize=1)
def _rule() -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights for the interval from -1 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights
