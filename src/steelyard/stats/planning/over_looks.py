"""Power of looking until the verdict is decided: how many blocks it takes in 80 % of experiments."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.special import normal_quantile
from steelyard.stats.sequential.looks import Looks

_REACH: Final = 7.0
"""Standard deviations below the mean that are reckoned with."""


class Single(msgspec.Struct, frozen=True):
    """A look after so many blocks, and the probability that it would show the difference by itself."""

    blocks: int
    power: float


def blocks_decided(
    power_at: Callable[[int, float], float], alpha: float, looks: Iterable[int], power: float
) -> int | None:
    """Return the blocks of the look by which the verdict is decided with this ``power``.

    ``power_at`` has the power of so many blocks at the level of one look. ``None`` where ``looks`` end
    before.
    """
    numbers: list[int] = []

    def visit_blocks() -> Iterator[Single]:
        for look in looks:
            numbers.append(look)
            at_look = Looks(tuple(dict.fromkeys(max(3, number) for number in numbers))).level(alpha)
            yield Single(look, power_at(look, at_look))

    for single, reached in accumulate_power(visit_blocks()):
        if reached >= power:
            return single.blocks
    return None


def accumulate_power(singles: Iterable[Single]) -> Iterator[tuple[Single, float]]:
    """Each look, and the probability that it or one before it shows the difference.

    Statistics of looks are as if normal with the correlation sqrt(n_i / n_j), and have the means with which
    each alone shows it as often as t (or signs) do: within two points of simulated t.
    """
    nodes, weights = np.polynomial.legendre.leggauss(64)
    before: tuple[int, float, Floats, Floats] | None = None
    for single in singles:
        n = single.blocks
        mean = normal_quantile(min(max(single.power, 1e-12), 1 - 1e-12)) * math.sqrt(n)
        low = min(mean, 0.0) - _REACH * math.sqrt(n)
        sums = low * (1 - nodes) / 2
        if before is None:
            density = np.exp(-((sums - mean) ** 2) / (2 * n)) / math.sqrt(2 * math.pi * n)
        else:
            earlier, its_mean, places, masses = before
            apart = (sums[:, np.newaxis] - mean) - (places - its_mean)
            kernel = np.exp(-(apart**2) / (2 * (n - earlier))) / math.sqrt(2 * math.pi * (n - earlier))
            density = kernel @ masses
        masses = density * weights * -low / 2
        before = n, mean, sums, masses
        yield single, 1 - float(masses.sum())
