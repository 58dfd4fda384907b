"""Noises of two treatments with equal geometric means, block by block, on the scale of logarithms."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import BUILTIN
from steelyard.stats.planning.unseen import unseen_share

S: Final = 0.02
"""Standard deviation of one run of normal noise."""
SLOW: Final = math.log(1.5)
RARE: Final = 0.1
"""A mode of one arm: a tenth of its runs takes 1.5 times as long."""


@dataclass(frozen=True, slots=True)
class Noise:
    """Two arms.

    Attributes
    ----------
    draw : callable
        Logarithms of old and of new, experiments by blocks.
    keeps_level : bool
        Whether errors are to keep their level.
    most : float
        Percent that may be called different at any look.
    mode : bool
        Whether the old arm has the rare mode.
    """

    draw: Callable[[np.random.Generator, int, int], tuple[Floats, Floats]]
    keeps_level: bool = True
    most: float = 5.0
    mode: bool = False


def true_log(slow: npt.NDArray[np.bool_]) -> float:
    """Logarithm of the true ratio, new over old better, that runs of which these were slow are told by.

    Where a mode is rarer than what so many runs could have missed, and has not shown, it is that of the runs
    outside of it: the answer says how frequent what it does not know of may be.
    """
    outside = unseen_share(slow.size) > RARE and not slow.any()
    return -RARE * SLOW if outside else 0.0


def slow_runs(old: Floats) -> npt.NDArray[np.bool_]:
    """Which values of the old arm are in the rare mode."""
    return np.asarray(old > SLOW / 2)


def samples(old: Floats, new: Floats) -> list[Sample]:
    """Two samples, by the logarithms of their values."""
    n = old.size
    ids, ones, none = array("q", range(1, n + 1)), array("q", [1] * n), array("q", [0] * n)
    return [
        Sample(
            BUILTIN["wall_s"],
            Treatment(place, f"t{place}", {"t": place}),
            array("d", np.exp(logs)),
            ids,
            ones,
            none,
            ids,
        )
        for place, logs in enumerate((old, new), 1)
    ]


def autoregressive(rng: np.random.Generator, phi: float, count: int, n: int) -> Floats:
    """x_i = phi x_(i-1) + e_i, from the stationary law on; experiments by blocks."""
    x = rng.normal(size=(count, n))
    x[:, 0] /= math.sqrt(1 - phi**2)
    for i in range(1, n):
        x[:, i] += phi * x[:, i - 1]
    return x


def in_blocks(rng: np.random.Generator, d: Floats) -> tuple[Floats, Floats]:
    """Two arms with these differences, which share what is as large."""
    shared = S * rng.normal(size=d.shape)
    return shared + d / 2, shared - d / 2


def _alike(draw: Callable[[np.random.Generator, tuple[int, int]], Floats]) -> Noise:
    return Noise(lambda rng, count, n: (S * draw(rng, (count, n)), S * draw(rng, (count, n))))


def _lognormal(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Of standard deviation 1 and mean 0."""
    return (rng.lognormal(0, 0.5, shape) - math.exp(0.125)) / math.sqrt((math.exp(0.25) - 1) * math.exp(0.25))


def _outliers(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    far = rng.random(shape) < 0.05
    values: Floats = rng.normal(size=shape) + far * rng.exponential(10, shape)
    return values


def _bimodal(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    values: Floats = rng.normal(size=shape) + 20 * (rng.random(shape) < 0.2)
    return values


def _one_lognormal(beside: float, most: float = 5.0) -> Noise:
    """The other arm is normal, with this part of its standard deviation."""
    return Noise(
        lambda rng, count, n: (S * _lognormal(rng, (count, n)), beside * S * rng.normal(size=(count, n))),
        most=most,
    )


def _odd_arm(rng: np.random.Generator, count: int, n: int) -> tuple[Floats, Floats]:
    old, new = rng.normal(0, S, (2, count, n))
    return old + ((rng.random((count, n)) < RARE) - RARE) * SLOW, new


def _dependent(phi: float) -> Noise:
    def draw(rng: np.random.Generator, count: int, n: int) -> tuple[Floats, Floats]:
        return in_blocks(rng, S * autoregressive(rng, phi, count, n))

    return Noise(draw, keeps_level=False, most=100.0)


NOISES: Final[dict[str, Noise]] = {
    "normal": _alike(lambda rng, shape: rng.normal(size=shape)),
    "normal, s 1 and 4": Noise(
        lambda rng, count, n: (S * rng.normal(size=(count, n)), 4 * S * rng.normal(size=(count, n)))
    ),
    "t with 3 degrees of freedom": _alike(lambda rng, shape: rng.standard_t(3, shape)),
    "lognormal, σ 0.5": _alike(_lognormal),
    "bimodal 80/20, × 1.5": _alike(_bimodal),
    "5 % outliers, Exp(10 s)": _alike(_outliers),
    "one arm lognormal, the other constant": _one_lognormal(0),
    "one arm lognormal, the other half as wide": _one_lognormal(0.5, most=6.0),
    "one arm lognormal, the other as wide": _one_lognormal(1),
    "one arm, a tenth × 1.5": Noise(_odd_arm, mode=True),
    "differences AR(1) 0.3": _dependent(0.3),
    "differences AR(1) 0.5": _dependent(0.5),
    "differences AR(1) 0.8": _dependent(0.8),
}
