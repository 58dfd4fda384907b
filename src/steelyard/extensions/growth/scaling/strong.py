"""Second opinions on values of what falls: Amdahl's law and a power.

Codes obey a + b/p, with both parts from 0 up (G. M. Amdahl, Validity of the single processor approach, AFIPS
1967), better than any longer sum where few points were measured. Each opinion counts by how well it predicts
a point that is left out, the posterior's by what its formula misses. What repetitions contradict does not
count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.extensions.growth.scaling.candidates import Booleans

WEIGHTS: Final = (2.0, 0.3)
"""Of Amdahl's law and of a power, beside that of the posterior."""
LEAST_MISS: Final = 0.05
"""Relative miss that is reckoned with at least, where values have no repetitions."""
OF_NOISE: Final = 2.0
"""Standard uncertainties of a point that are reckoned with at least, where values have repetitions."""
SMALLEST_MISS: Final = 0.002
"""Relative miss below which that does not go."""
MEETS: Final = 2.5
"""Standard uncertainties of a point, by repetitions, by which an opinion may miss what is left out."""
COUNTS: Final = 0.02
"""Weight from which on an opinion lies in the interval."""
ROOM: Final = 1.2
"""Factor by which the interval reaches beyond such an opinion."""
TINY: Final = 1e-300


class StrongOpinions(msgspec.Struct, frozen=True):
    """Opinions on functions that fall.

    Attributes
    ----------
    values : array (2, n, targets)
        By Amdahl's law, by a power.
    misses : array (2, n)
        Root mean square, in logarithms, by which each misses points that it was not fitted to; infinite where
        repetitions contradict it.
    floor : array (n,)
    """

    values: Floats
    misses: Floats
    floor: Floats

    def convert(self, row: int, target: int, value: float, missed: float) -> tuple[float, float, float]:
        """Return what stands for ``value``, and the lowest and highest opinion that count.

        ``missed`` is the relative miss of its formula.
        """
        floor = float(self.floor[row])
        opinions = [float(opinion) for opinion in self.values[:, row, target]]
        squares = [float(miss) ** 2 + floor**2 for miss in self.misses[:, row]]
        weights = [weight / square for weight, square in zip(WEIGHTS, squares, strict=True)]
        if value > 0 or not any(weights):
            opinions.append(value)
            weights.append(1 / max(missed, floor) ** 2)
        shares = np.array(weights) / sum(weights)
        logs = np.log(np.maximum(opinions, TINY))
        middle = float(np.exp(shares @ logs))
        counting = [opinion for opinion, share in zip(opinions, shares, strict=True) if share >= COUNTS]
        return middle, min(counting) / ROOM, max(counting) * ROOM


def strong_opinions(
    points: Floats, values: Floats, u2: Floats, repeated: Booleans, targets: Floats
) -> StrongOpinions:
    """Fit both to functions of one parameter.

    Parameters
    ----------
    points : array (m, 1)
        Ascending.
    values, u2 : array (n, m)
    repeated : array (n,) of bool
        Whether ``u2`` comes from repetitions.
    targets : array (targets, 1)
    """
    x, y, at = points[:, 0], np.maximum(values, TINY), targets[:, 0]
    fits: Sequence[Callable[[Floats, Floats, Floats], Floats]] = (amdahl, power_law)
    u = np.sqrt(u2).mean(axis=1) / np.maximum(np.abs(values).mean(axis=1), TINY)
    floor = np.where(repeated, np.clip(OF_NOISE * u, SMALLEST_MISS, LEAST_MISS), LEAST_MISS)
    # Values over tens of orders leave the range of numbers: such an opinion is none.
    with np.errstate(all="ignore"):
        misses = np.array([_miss_left_out(fit, x, y) for fit in fits])
        opinions = np.array([fit(x, y, at) for fit in fits])
    unusable = ~(np.isfinite(misses) & np.isfinite(opinions).all(axis=2))
    misses = np.where(unusable | (repeated & (misses > MEETS * u)), np.inf, misses)
    return StrongOpinions(np.where(np.isfinite(opinions), opinions, TINY), misses, floor)


def _miss_left_out(fit: Callable[[Floats, Floats, Floats], Floats], x: Floats, y: Floats) -> Floats:
    """Root mean square of the logarithms by which points that are left out are missed, (n,)."""
    squares = []
    for place in range(len(x)):
        rest = np.arange(len(x)) != place
        predicted = fit(x[rest], y[:, rest], x[[place]])[:, 0]
        squares.append(np.log(np.maximum(predicted, TINY) / y[:, place]) ** 2)
    return np.asarray(np.sqrt(np.mean(squares, axis=0)))


def amdahl(x: Floats, y: Floats, at: Floats) -> Floats:
    """Fit a + b/p with a, b from 0 up, by least squares of relative distances, (n, targets)."""
    basis = np.stack([1 / y, 1 / (x * y)])
    (aa, ab), (_, bb) = np.einsum("inm,jnm->ijn", basis, basis)
    a1, b1 = basis.sum(axis=2)
    determinant = np.maximum(aa * bb - ab**2, TINY)
    a, b = (bb * a1 - ab * b1) / determinant, (aa * b1 - ab * a1) / determinant
    only_a, only_b = a1 / np.maximum(aa, TINY), b1 / np.maximum(bb, TINY)
    a, b = np.where(b < 0, only_a, np.where(a < 0, 0.0, a)), np.where(a < 0, only_b, np.maximum(b, 0.0))
    return np.asarray(a[:, None] + b[:, None] / at)


def power_law(x: Floats, y: Floats, at: Floats) -> Floats:
    """Fit c p^k by least squares of logarithms, (n, targets)."""
    logs, centred = np.log(y), np.log(x) - np.log(x).mean()
    slope = logs @ centred / max(float(centred @ centred), TINY)
    far = np.log(at) - np.log(x).mean()
    return np.asarray(np.exp(np.clip(logs.mean(axis=1)[:, None] + slope[:, None] * far, -690, 690)))
