"""The posterior over candidates of many functions on the same points, and what follows from it at any
scale.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from scipy.special import gammaln

from steelyard.arrays import Floats
from steelyard.scaling.candidates import Candidates, Integers, SmallIntegers

DRAWS: Final = 512
KEPT: Final = 48
"""Components kept of each function; the lighter half stands for all that are not kept."""
REACH: Final = 2.0
MOST_DISTANCE: Final = 20.0
"""Bounds exponentials; e^20 says as well as anything that nothing is known."""


class Posterior(msgspec.Struct, frozen=True):
    """What the kernel found, functions first. ``variance`` is of the point means, noise and discrepancy
    together.

    Attributes
    ----------
    candidate : array (n, KEPT) of int32
        By falling weight; -1 beyond the last.
    weight, own, chi2 : array (n, KEPT)
        The share of the posterior that the component stands for; its own posterior; its weighted sum of
        squares.
    coefficient : array (n, KEPT, 4)
        The constant, then the terms of ``candidates.members``, for columns divided by ``candidates.scale``.
    covariance : array (n, KEPT, 4, 4)
        At scale 1.
    lead : array (n, leads)
        Posterior of each leading term, over all candidates and not only the kept.
    variance : array (n, m)
    scale, freedom : array (n, discrepancies)
        Of the variance under each discrepancy, relative to ``variance``, and its degrees of freedom.
    log_evidence : array (n,)
        Of the values over their largest, but for the prior of the overall size.
    """

    candidates: Candidates
    candidate: SmallIntegers
    weight: Floats
    own: Floats
    chi2: Floats
    coefficient: Floats
    covariance: Floats
    lead: Floats
    variance: Floats
    scale: Floats
    freedom: Floats
    log_evidence: Floats

    def __len__(self) -> int:
        return len(self.candidate)

    def used(self) -> Integers:
        """How many terms each kept component has, the constant not counted, (n, KEPT)."""
        return np.asarray((self.candidates.members[self.candidate] >= 0).sum(axis=2))


def search(
    candidates: Candidates, value: Floats, u2: Floats, law: Floats, freedom: Floats, threads: int = 1
) -> Posterior:
    """The posterior of each function.

    Parameters
    ----------
    value, u2 : array (n, m)
        The aggregate of each point and the square of its standard uncertainty.
    law, freedom : array (n,)
        ``u2`` grows as value^(2·law); degrees of freedom behind it, 0 where it is known.
    """
    found = candidates.kernel.search(
        np.ascontiguousarray(value), np.ascontiguousarray(u2), law, freedom, KEPT, threads
    )
    return Posterior(candidates, *found)


def discrepancy_posterior(posterior: Posterior) -> Floats:
    """Probability of each discrepancy given each kept component, (n, KEPT, discrepancies)."""
    points = posterior.variance.shape[1]
    left = np.maximum(points - 1 - posterior.used(), 1)[:, :, None].astype(float)
    scale, nu = posterior.scale[:, None, :], posterior.freedom[:, None, :]
    constant = np.where(nu > 1e6, 0.0, gammaln((nu + left) / 2) - gammaln(nu / 2) - left / 2 * np.log(nu / 2))
    chi2 = posterior.chi2[:, :, None]
    log = (
        np.log(posterior.candidates.priors.tau_mass)
        + constant
        - left / 2 * np.log(scale)
        - np.where(nu > 1e6, 0.5 * chi2 / scale, 0.5 * (nu + left) * np.log1p(chi2 / (scale * nu)))
    )
    log -= log.max(axis=2, keepdims=True)
    share: Floats = np.exp(log)
    return np.asarray(share / share.sum(axis=2, keepdims=True))


class Draws(msgspec.Struct, frozen=True):
    """Equally likely formulas of each function: enough to answer every question about values.

    Attributes
    ----------
    component : array (n, DRAWS) of int
        Which kept component.
    coefficient : array (n, DRAWS, 4)
    discrepancy : array (n, DRAWS)
        Relative distance of the truth from the formula at a point that was not measured.
    """

    posterior: Posterior
    component: Integers
    coefficient: Floats
    discrepancy: Floats

    def at(self, target: Floats) -> Floats:
        """Values at one point (parameters,), discrepancy included, (n, DRAWS)."""
        candidates = self.posterior.candidates
        members = candidates.members[np.take_along_axis(self.posterior.candidate, self.component, axis=1)]
        basis = candidates.at(target)[members]
        values: Floats = self.coefficient[:, :, 0] + (self.coefficient[:, :, 1:] * basis).sum(axis=2)
        # What is modelled is never negative; a formula with a negative constant may be, far from the data.
        return np.maximum(values, 0.0) * self._distance(target)

    def at_row(self, row: int, target: Floats) -> Floats:
        """``at`` for one function, (DRAWS,)."""
        candidates = self.posterior.candidates
        members = candidates.members[self.posterior.candidate[row, self.component[row]]]
        basis = candidates.at(target)[members]
        values: Floats = self.coefficient[row, :, 0] + (self.coefficient[row, :, 1:] * basis).sum(axis=1)
        return np.asarray(np.maximum(values, 0.0) * self._distance(target)[row])

    def _distance(self, target: Floats) -> Floats:
        """The factor between formula and truth at a point; a logarithmic distance, so it stays positive."""
        wide = self.discrepancy * beyond(self.posterior.candidates.points, target)
        return np.asarray(np.exp(np.clip(wide, -MOST_DISTANCE, MOST_DISTANCE)))


def beyond(points: Floats, target: Floats) -> float:
    """How much larger a discrepancy is at ``target`` than at a measured point.

    A formula that misses inside the range misses by its shape, and a missed curvature grows with the square
    of the distance: (1 + 2 h / L)² at h octaves outside a range of L octaves, the worst parameter
    counting.
    """
    logs, at = np.log2(points), np.log2(target)
    length = np.maximum(logs.max(axis=0) - logs.min(axis=0), 1.0)
    outside = np.maximum(np.maximum(at - logs.max(axis=0), logs.min(axis=0) - at), 0.0)
    return float(((1 + REACH * outside / length) ** 2).max())


def draw(posterior: Posterior, seed: int = 1) -> Draws:
    """Draw formulas: component, discrepancy, scale, then coefficients, truncated to growing terms.

    The same random numbers serve every function, so that a result does not depend on its neighbours.
    """
    n = len(posterior)
    rng = np.random.default_rng(seed)
    places = rng.permutation((np.arange(DRAWS) + 0.5) / DRAWS)
    rows = np.arange(n)[:, None]
    cumulative = np.cumsum(posterior.weight, axis=1)
    cumulative /= cumulative[:, -1:]
    component = (cumulative[:, None, :-1] < places[None, :, None]).sum(axis=2)
    share = np.cumsum(discrepancy_posterior(posterior), axis=2)[rows, component]
    which = np.minimum((share < rng.random(DRAWS)[None, :, None]).sum(axis=2), share.shape[2] - 1)
    scale = np.take_along_axis(posterior.scale, which, axis=1)
    nu = np.take_along_axis(posterior.freedom, which, axis=1)
    left = np.maximum(posterior.variance.shape[1] - 1 - posterior.used(), 1)[rows, component]
    spread = np.sqrt(
        scale
        * (nu + posterior.chi2[rows, component] / scale)
        / _chi_square(nu + left, rng.standard_normal(DRAWS))
    )
    root = _cholesky(posterior.covariance)[rows, component]
    centre = posterior.coefficient[rows, component]
    coefficient = centre.copy()
    pending = np.ones(component.shape, dtype=bool)
    allow_negative = rng.random(DRAWS) < posterior.candidates.priors.negative_constant
    for _ in range(6):
        step = np.einsum("fdij,dj->fdi", root, rng.standard_normal((DRAWS, 4)))
        trial = centre + spread[:, :, None] * step
        coefficient = np.where(pending[:, :, None], trial, coefficient)
        bad = (coefficient[:, :, 1:] < 0).any(axis=2) | (
            (coefficient[:, :, 0] < 0) & (centre[:, :, 0] > 0) & ~allow_negative
        )
        pending &= bad
        if not pending.any():
            break
    coefficient[:, :, 1:] = np.maximum(coefficient[:, :, 1:], 0.0)
    tau = np.asarray(posterior.candidates.priors.tau)
    discrepancy = tau[which] * rng.standard_normal(DRAWS)
    return Draws(posterior, component, coefficient, discrepancy)


def _chi_square(freedom: Floats, z: Floats) -> Floats:
    """Quantiles by Wilson and Hilferty (1931): within 1 % where it matters here, and one multiplication
    each.
    """
    part = 2 / (9 * freedom)
    return np.asarray(freedom * np.maximum(1 - part + z * np.sqrt(part), 0.05) ** 3)


def _cholesky(covariance: Floats) -> Floats:
    """Lower roots of positive semi-definite 4 x 4 matrices; unused rows stay zero."""
    low = np.zeros_like(covariance)
    for i in range(covariance.shape[-1]):
        for j in range(i + 1):
            rest = covariance[..., i, j] - (low[..., i, :j] * low[..., j, :j]).sum(axis=-1)
            if i == j:
                low[..., i, i] = np.sqrt(np.maximum(rest, 0.0))
            else:
                pivot = low[..., j, j]
                low[..., i, j] = np.where(pivot > 0, rest / np.where(pivot > 0, pivot, 1.0), 0.0)
    return low
