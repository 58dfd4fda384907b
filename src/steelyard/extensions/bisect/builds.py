"""Which commits changed a program, where every build of it has a speed of its own as well.

Two builds of one source can differ by several per cent, by where the linker puts functions (Mytkowicz, Diwan,
Hauswirth and Sweeney 2009, DOI 10.1145/1508244.1508275). Measuring a build again does not average that out,
and the builds of two neighbouring commits differ by it as much as by a change. So the logarithm of what build
k shows is

    y_k = level + e_k + noise,    e_k ~ N(0, tau^2),    noise ~ N(0, v_k)

and the level changes at no commit, at one, or at two, by N(0, c^2) each. The likelihood of each such
hypothesis has a closed form for a given tau, and is averaged over tau: builds on one side of a change show
how large it is. Of two builds alone, it is known as well as the prior knows it.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Bools, Floats, Ints

LEAST_TAU: Final = 2e-3
MOST_TAU: Final = 0.1
"""The standard deviation between builds, in logarithms, to the largest that is reported; each is as probable.
Of counts that hardly vary from run to run, it may be as small as their variation."""
EXACT: Final = 1e-6
GRID: Final = 25
NO_LAYOUT: Final = np.array([EXACT])
"""Where each block has builds of its own, whose spread is that of blocks."""
NO_CHANGE: Final = 0.25
TWO_CHANGES: Final = 0.15
"""Prior probabilities; the rest is one change. Each commit is as probable."""


START: Final = np.zeros(1, dtype=np.int64)


class BuildsVerdict(msgspec.Struct, frozen=True):
    """What is known of the commits.

    Attributes
    ----------
    commits : array, shape (n,)
        Probability that the commit made the change, the larger one where there are two.
    no_change : float
        Probability that none did, and the ends differ as two builds of one source do. Together with
        ``commits`` 1.
    two_changes : float
        Probability that two commits made a change.
    tau : float
        Standard deviation between builds of one source, in logarithms; the median of its posterior.
    """

    commits: Floats
    no_change: float
    two_changes: float
    tau: float


class Builds(msgspec.Struct, frozen=True):
    """Measured builds in the order of their commits.

    Attributes
    ----------
    places : array of int
        0 for the good end, k + 1 for commit k; ascending.
    values : array
        Logarithm of the metric, all over the same reference.
    variances : array
        Of the values, by the noise of measurement.
    """

    places: Ints
    values: Floats
    variances: Floats

    def judge(self, n: int, size: float, tau: Floats) -> BuildsVerdict:
        """Weigh the hypotheses.

        Parameters
        ----------
        n : int
            Commits behind the good end; the last build is that of commit n - 1, the bad end.
        size : float
            Standard deviation of a change, c, in logarithms.
        tau : array
            Standard deviations between builds, on a geometric grid; each is as probable.
        """
        weights = 1 / (self.variances + tau[:, np.newaxis] ** 2)
        zero = np.zeros((tau.size, 1))
        sums = [
            np.concatenate([zero, np.cumsum(weights * self.values**power, axis=1)], axis=1)
            for power in range(3)
        ]
        gaps = np.diff(self.places)
        cuts = np.arange(1, self.places.size)
        # On a geometric grid, each size of tau is as probable with a weight of tau.
        shared = np.log(weights).sum(axis=1) / 2 + np.log(tau)
        none = shared + _compute_level(sums, START, np.array([self.places.size]))[0][:, 0]
        row, _ = _place_one_change(sums, cuts, size)
        logs = [
            (none + math.log(NO_CHANGE))[:, np.newaxis],
            shared[:, np.newaxis] + row + np.log(gaps / n * (1 - NO_CHANGE - TWO_CHANGES)),
        ]
        first, second = np.triu_indices(cuts.size, k=1)
        if first.size:
            two, is_second = _compute_two_changes(sums, cuts[first], cuts[second], size)
            pairs = gaps[first] * gaps[second] / (n * (n - 1) / 2)
            logs.append(shared[:, np.newaxis] + two + np.log(pairs * TWO_CHANGES))
        together = np.concatenate(logs, axis=1)
        posterior = np.exp(together - together.max())
        posterior /= posterior.sum()
        by_gap = posterior[:, 1 : cuts.size + 1].sum(axis=0)
        if first.size:
            pairs = posterior[:, cuts.size + 1 :]
            np.add.at(by_gap, first, np.where(is_second, 0.0, pairs).sum(axis=0))
            np.add.at(by_gap, second, np.where(is_second, pairs, 0.0).sum(axis=0))
        below = np.cumsum(posterior.sum(axis=1))
        return BuildsVerdict(
            commits=np.repeat(by_gap / gaps, gaps),
            no_change=float(posterior[:, 0].sum()),
            two_changes=float(posterior[:, cuts.size + 1 :].sum()),
            tau=float(tau[np.searchsorted(below, below[-1] / 2)]),
        )


def spread_taus(sd: float) -> Floats:
    """Return the standard deviations between builds that are weighed, by that of one run, in logarithms."""
    return np.geomspace(min(LEAST_TAU, max(sd, EXACT)), MOST_TAU, GRID)


def _compute_level(sums: list[Floats], start: Ints, end: Ints) -> tuple[Floats, Floats, Floats]:
    """Return the logarithm of the likelihood of builds that share a level, their mean, and its weight."""
    weight, first, second = (row[:, end] - row[:, start] for row in sums)
    mean = first / weight
    return -(second - first * mean) / 2 - np.log(weight) / 2, mean, weight


def _place_one_change(sums: list[Floats], cuts: Ints, size: float) -> tuple[Floats, Floats]:
    before, good, of_good = _compute_level(sums, START, cuts)
    behind, bad, of_bad = _compute_level(sums, cuts, np.array([sums[0].shape[1] - 1]))
    step = bad - good
    variance = size**2 + 1 / of_good + 1 / of_bad
    return before + behind - np.log(variance) / 2 - step**2 / variance / 2, step


def _compute_two_changes(sums: list[Floats], cuts: Ints, ints: Ints, size: float) -> tuple[Floats, Bools]:
    """Return the likelihood of two changes, and whether the second is the larger."""
    parts = (
        _compute_level(sums, START, cuts),
        _compute_level(sums, cuts, ints),
        _compute_level(sums, ints, np.array([sums[0].shape[1] - 1])),
    )
    log = sum(part[0] for part in parts)
    row, two = parts[1][1] - parts[0][1], parts[2][1] - parts[1][1]
    shared = 1 / parts[1][2]
    first = size**2 + 1 / parts[0][2] + shared
    second = size**2 + shared + 1 / parts[2][2]
    determinant = first * second - shared**2
    square = (row**2 * second + 2 * row * two * shared + two**2 * first) / determinant
    return log - np.log(determinant) / 2 - square / 2, np.abs(two) > np.abs(row)
