"""Where a step is, and how large.

There is the posterior of its place between two neighbours, and the interval of its size with the doubt about
the place in it.

With a flat prior over the splits and over both levels, a split has a posterior proportional to
exp(t^2 / 2) / sqrt(W_before W_behind), t the step over its standard error there. Noise that correlates enters
by its long-run variance, which makes the set wider than need be.
"""

from __future__ import annotations

import math

import msgspec
import numpy as np

from steelyard.extensions.history.noise import LEAST_SIDE
from steelyard.extensions.history.scan import Sums
from steelyard.stats.distributions.student import t_quantile

COVERAGE = 0.95


class Step(msgspec.Struct, frozen=True):
    """A step between two neighbours.

    Attributes
    ----------
    split : int
        The first record behind it, at its most probable place with ``LEAST_SIDE`` records on either side.
    splits : tuple of int
        The other places it may have, this one included, in ascending order.
    probability : float
        Of these together, at least ``COVERAGE``.
    size, u : float
        Level behind it less the level before, and its standard uncertainty.
    halfwidth : float
        Of the 95 % interval of the size.
    t : float
        The size over the noise alone.
    before, behind : float
        The levels.
    """

    split: int
    splits: tuple[int, ...]
    probability: float
    size: float
    u: float
    halfwidth: float
    t: float
    before: float
    behind: float


def locate(sums: Sums, start: int, end: int, long_run: float, nu: float) -> Step:
    """Return the one step among the records from ``start`` to before ``end``.

    There are at least ``2 * LEAST_SIDE`` of them.

    Parameters
    ----------
    long_run : float
        Standard deviation of the noise, as it counts for means.
    nu : float
        Degrees of freedom with which it is known.
    """
    splits = np.arange(start + 1, end)
    at, behind = sums.weights[splits] - sums.weights[start], sums.weights[end] - sums.weights[splits]
    t = sums.steps(np.asarray(start), splits, np.asarray(end)) / long_run
    logs = t**2 / 2 - np.log(at * behind) / 2
    posterior = np.exp(logs - logs.max())
    posterior /= posterior.sum()
    # A place next to a bound is possible, but one record alone shows no step.
    inner = slice(LEAST_SIDE - 1, splits.size - LEAST_SIDE + 1)
    best = int(posterior[inner].argmax()) + LEAST_SIDE - 1
    errors = long_run * np.sqrt(1 / at + 1 / behind)
    sizes = t * errors
    # The law of total variance, over the places that the step may have.
    u = math.sqrt(float(errors[best]) ** 2 + float(posterior @ (sizes - sizes[best]) ** 2))
    order = np.argsort(-posterior, kind="stable")
    order = np.concatenate([[best], order[order != best]])
    needed = int(np.searchsorted(np.cumsum(posterior[order]), COVERAGE)) + 1
    chosen = np.sort(order[:needed])
    split = int(splits[best])
    before = float((sums.values[split] - sums.values[start]) / at[best])
    return Step(
        split=split,
        splits=tuple(splits[chosen].tolist()),
        probability=float(posterior[chosen].sum()),
        size=float(sizes[best]),
        u=u,
        halfwidth=t_quantile(nu, 1 - COVERAGE) * u,
        t=float(t[best]),
        before=before,
        behind=before + float(sizes[best]),
    )
