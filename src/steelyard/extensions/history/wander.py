"""Levels that wander: series that another model than steps describes as well, so that no commit is named.

Each model is fitted to the series by least squares of its innovations, and charged log(n) for each free value
(Schwarz 1978, DOI 10.1214/aos/1176344136):

- steps, around which neighbours correlate;
- a level that moves with every record and returns slowly or never (a random walk), under noise: as an
  ARMA(1, 1) process, y_t - phi y_(t-1) = e_t - theta e_(t-1) (Muth 1960, DOI 10.1080/01621459.1960.10482064);
- a cycle, such as that of day and night;
- three or more steps between the same two levels, such as those of a machine with two states;
- a straight line.

Of a machine with two states the search finds the long stays alone. So where one step is found, or one that is
undone, a short stay at the other level is looked for, too: neighbouring records, each nearer to it, which are
far more probable there. One record alone is an outlier.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.extensions.history.noise import HIGHEST
from steelyard.extensions.history.results import Pattern
from steelyard.extensions.history.steps import EXACT, Steps, levels

PERSISTENCE: Final = (1.0, 0.97, 0.93, 0.88, 0.8, 0.7)
"""What is left of a departure of the level one record later; 1 is a random walk."""
NOISE_SHARE: Final = (0.0, 0.2, 0.4, 0.55, 0.7, 0.8, 0.87, 0.92, 0.95)
"""theta / phi: 0 where records show the level alone, near 1 where they are mostly noise."""
FEWEST_RECURRENCES: Final = 3
"""Steps between two levels from which they recur: one that is undone is two."""
SHORTEST_STAY: Final = 2
"""Records at the other of two levels that are more than an outlier."""
NEARER: Final = 20.0
"""Twice the logarithm of the odds by which a stay must be more probable at the other level."""
ODDS: Final[Mapping[Pattern, float]] = {"walk": 20.0, "cycle": 20.0, "regimes": 20.0, "line": 4.0}
"""By which steps must be more probable than each other model, for a commit to be named. Of a line less is
asked: a step of three standard deviations in noise that correlates is hardly more probable (simulated)."""
CYCLES: Final = 2
"""Least number of cycles in a series."""


class Fit(msgspec.Struct, frozen=True):
    """A model of a series.

    Attributes
    ----------
    criterion : float
        Of Schwarz: less is better; -inf where a short stay decides.
    drift : float
        Of a line, from the first record to the last.
    """

    pattern: Pattern
    criterion: float
    drift: float = 0.0


def describe(steps: Steps) -> Fit | None:
    """Find the model that describes a series with steps about as well as these do, or better.

    ``None`` where steps are ``ODDS`` times as probable as each.
    """
    if not steps.located:
        return None
    if _has_short_stay(steps):
        return Fit("regimes", -math.inf)
    best = min((_walk(steps), _make_cycle(steps), _make_regimes(steps), _make_line(steps)), key=_handicap)
    return best if _handicap(best) < _measure_steps(steps) else None


def _handicap(fit: Fit) -> float:
    return fit.criterion - 2 * math.log(ODDS[fit.pattern])


def _criterion(squares: float, n: int, values: int) -> float:
    return n * math.log(max(squares, n * EXACT**2) / n) + values * math.log(n)


def _correlate(rest: Floats, weights: Floats) -> float:
    """Return the sum of squares of innovations around a fit.

    Neighbours of the fit correlate by at most ``HIGHEST``.
    """
    scaled = rest * np.sqrt(weights)
    phi = float(scaled[1:] @ scaled[:-1]) / max(float(scaled[:-1] @ scaled[:-1]), EXACT**2)
    phi = min(max(phi, 0.0), HIGHEST)
    return float(((scaled[1:] - phi * scaled[:-1]) ** 2).sum() + scaled[0] ** 2 * (1 - phi**2))


def _measure_steps(steps: Steps) -> float:
    examined = steps.examined
    squares = _correlate(examined.series - levels(steps), examined.weights)
    return _criterion(squares, examined.series.size, 2 * len(steps.located) + 2)


def _walk(steps: Steps) -> Fit:
    series = steps.examined.series - steps.examined.series.mean()
    n = series.size
    phi, share = (grid.ravel() for grid in np.meshgrid(PERSISTENCE, NOISE_SHARE, indexing="ij"))
    # Innovations are linear in the mean, which is fitted last; the first record has the first level.
    innovations = np.empty((n, 2, phi.size))
    innovations[0] = 0.0
    for i in range(1, n):
        innovations[i, 0] = series[i] - phi * series[i - 1]
        innovations[i, 1] = 1 - phi
        innovations[i] += share * phi * innovations[i - 1]
    free, slopes = innovations[:, 0], innovations[:, 1]
    weight = (slopes**2).sum(axis=0)
    mean = np.divide((free * slopes).sum(axis=0), weight, out=np.zeros_like(weight), where=weight > 0)
    squares = ((free - slopes * mean) ** 2).sum(axis=0) * n / (n - 1)
    return Fit("walk", _criterion(float(squares.min()), n, 4))


def _make_cycle(steps: Steps) -> Fit:
    series = steps.examined.series - steps.examined.series.mean()
    n = series.size
    padded = 8 * n
    power = 2 / n * np.abs(np.fft.rfft(series, padded)) ** 2
    place = np.arange(power.size)
    power = power[(place >= CYCLES * padded // n) & (place <= padded // 3)]
    squares = float(series @ series) - float(power.max(initial=0.0))
    return Fit("cycle", _criterion(squares, n, 5))


def _make_regimes(steps: Steps) -> Fit:
    """Return the same steps, with every level one of two."""
    examined = steps.examined
    count = len(steps.located)
    if count < FEWEST_RECURRENCES:
        return Fit("regimes", math.inf)
    bounds = [0, *(step.split for step in steps.located), examined.series.size]
    height = levels(steps)
    heights = np.array([height[start] for start in bounds[:-1]])
    best = math.inf
    for limit in (low + (high - low) / 2 for low, high in pairwise(np.unique(heights))):
        upper = height > limit
        rest = examined.series.copy()
        for part in (upper, ~upper):
            rest[part] -= np.average(rest[part], weights=examined.weights[part])
        best = min(best, _correlate(rest, examined.weights))
    return Fit("regimes", _criterion(best, examined.series.size, count + 3))


def _has_short_stay(steps: Steps) -> bool:
    """Whether a few neighbouring records on one side of a step have the level of the other side."""
    if len(steps.located) >= FEWEST_RECURRENCES:
        return False
    if any(abs(up.size + down.size) > 2 * math.hypot(up.u, down.u) for up, down in pairwise(steps.located)):
        return False
    series, fitted = steps.examined.series, levels(steps)
    upper = fitted > (fitted.min() + fitted.max()) / 2
    high, low = float(series[upper].mean()), float(series[~upper].mean())
    stayed, moved = np.where(upper, high, low), np.where(upper, low, high)
    nearer = ((series - stayed) ** 2 - (series - moved) ** 2) / steps.examined.sd**2
    stays = np.split(nearer, np.flatnonzero(np.diff(nearer > 0)) + 1)
    return any(stay.size >= SHORTEST_STAY and stay[0] > 0 and float(stay.sum()) > NEARER for stay in stays)


def _make_line(steps: Steps) -> Fit:
    examined = steps.examined
    n = examined.series.size
    place = np.arange(n)
    line = np.polynomial.Polynomial.fit(place, examined.series, 1, w=np.sqrt(examined.weights))
    squares = _correlate(examined.series - line(place), examined.weights)
    return Fit("line", _criterion(squares, n, 3), float(line(n - 1) - line(0)))
