"""The posterior over candidates of many functions on the same points.

What follows from it at any scale is here too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec
import numpy as np

from steelyard import _kernels
from steelyard.core.arrays import Floats
from steelyard.core.special import normal_cdf
from steelyard.extensions.growth.scaling.candidates import Candidates, Integers, SmallIntegers

DRAWS: Final = 512
LEAST_MISS: Final = 0.005
"""Relative distance of truth and formula at a measured point that is reckoned with beyond the data."""
LEAST_ROUGH: Final = 0.03
"""… of formulas that stand for shapes outside of the space, which are near to one of them at best."""
DOUBT: Final = 0.05
"""Of ranks stated above 0.9, so many more are wrong outside of the space than the posterior says."""
EXACT: Final = 0.002
"""Relative uncertainty of a point below which that vanishes."""
BLURRED: Final = 0.12
DOUBT_OF_BLURRED: Final = 1.8
"""Relative uncertainty of the best known point from which on the law of the noise is doubted too, and by how
much more for each unit: normal laws do not hold for what spreads over orders of magnitude.
"""
ATTEMPTS: Final = 6
"""At coefficients that are allowed; then negative ones become 0."""
INTERVAL: Final = (0.025, 0.5, 0.975)
"""Quantiles that are told of a value: both ends and the middle."""
KEPT: Final = 48
"""Components kept of each function; the lighter half stands for all that are not kept."""
REACH: Final = 2.0


class Posterior(msgspec.Struct, frozen=True):
    """What the kernel found, functions first.

    ``variance`` is of the point means, noise and discrepancy together.

    Attributes
    ----------
    candidate : array (n, KEPT) of int32
        By falling weight; -1 beyond the last.
    weight, own_weight, chi2 : array (n, KEPT)
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
    own_weight: Floats
    chi2: Floats
    coefficient: Floats
    covariance: Floats
    lead: Floats
    variance: Floats
    scale: Floats
    freedom: Floats
    log_evidence: Floats
    noise: Floats
    """Relative standard uncertainty of the last point, noise and discrepancy together, (n,)."""
    doubt: Floats
    """Probability of what no candidate says, (n,); less where data and formulas are nearly exact."""
    blurred: Floats
    """Its part by noise that is too large for its law, (n,)."""
    ends: Floats | None = None
    """Probability that a falling component ends above 0, (n, KEPT); ``None`` where none falls."""

    def __len__(self) -> int:
        return len(self.candidate)

    def part(self, rows: Sequence[int]) -> Posterior:
        """Return some functions."""
        by_name = {
            name: value[rows]
            for name in self.__struct_fields__
            if isinstance(value := getattr(self, name), np.ndarray)
        }
        return msgspec.structs.replace(self, **by_name)

    def freedom_left(self) -> Integers:
        """Points less coefficients of each kept component, at least 1, (n, KEPT)."""
        return np.asarray(np.maximum(self.variance.shape[1] - 1 - self.count_used(), 1))

    def count_used(self) -> Integers:
        """How many terms each kept component has, the constant not counted, (n, KEPT)."""
        return np.asarray((self.candidates.members >= 0).sum(axis=1)[self.candidate])


def search(
    candidates: Candidates, value: Floats, u2: Floats, law: Floats, freedom: Floats, threads: int = 1
) -> Posterior:
    """Return the posterior of each function.

    Parameters
    ----------
    value, u2 : array (n, m)
        The aggregate of each point and the square of its standard uncertainty.
    law, freedom : array (n,)
        ``u2`` grows as value^(2·law); degrees of freedom behind it, 0 where it is known.
    """
    findings = candidates.kernel.search(
        np.ascontiguousarray(value), np.ascontiguousarray(u2), law, freedom, KEPT, threads
    )
    size = np.abs(value)
    # A last point of nothing has no relative uncertainty; a thousandth of the largest stands for it.
    last = np.sqrt(findings.variance[:, -1]) / np.maximum(
        np.maximum(size[:, -1], 1e-3 * size.max(axis=1)), 1e-300
    )
    blur = (np.sqrt(u2) / np.maximum(size, 1e-300)).min(axis=1)
    blurred = np.minimum(np.maximum(blur - BLURRED, 0.0) * DOUBT_OF_BLURRED, 1 - DOUBT)
    doubt = DOUBT * np.minimum(last / EXACT, 1.0) + blurred
    posterior = Posterior(
        candidates,
        **{name: getattr(findings, name) for name in Posterior.__struct_fields__ if hasattr(findings, name)},
        noise=last,
        doubt=doubt,
        blurred=blurred,
    )
    return _add_ends(posterior, value) if candidates.falls.any() else posterior


def _add_ends(posterior: Posterior, value: Floats) -> Posterior:
    """Let what falls end in its constant, O(1), unless the constant is 0.

    The odds of the constant being 0 are its density there after and before the data (Savage and Dickey),
    uniform from 0 to the largest value before.
    """
    candidates = posterior.candidates
    group = candidates.group[posterior.candidate]
    falling = candidates.falls[group] & (posterior.candidate >= 0)
    variance = posterior.covariance[:, :, 0, 0] * _mean_scale(posterior)
    sd = np.sqrt(np.maximum(variance, 1e-300))
    z = np.clip(posterior.coefficient[:, :, 0] / sd, -30, 1e6)
    density = np.exp(-0.5 * z * z) / (np.sqrt(2 * np.pi) * normal_cdf(z))
    odds = density * np.abs(value).max(axis=1)[:, None] / sd
    ends = 1 / (1 + odds)
    lead = posterior.lead.copy()
    rows = np.arange(len(posterior))
    for candidate in np.flatnonzero(candidates.falls):
        inside = falling & (group == candidate)
        weight = np.where(inside, posterior.weight, 0.0)
        total = weight.sum(axis=1)
        share = (weight * ends).sum(axis=1) / np.where(total > 0, total, 1.0)
        lead[rows, 0] += share * lead[rows, candidate]
        lead[rows, candidate] *= 1 - share
    return msgspec.structs.replace(posterior, lead=lead, ends=np.where(falling, ends, 0.0))


def _mean_scale(posterior: Posterior) -> Floats:
    """Return the mean scale of each kept component's variance, over discrepancies and noise, (n, KEPT)."""
    freedom = posterior.freedom_left()[:, :, None]
    scale, nu = posterior.scale[:, None, :], posterior.freedom[:, None, :]
    variance = scale * (nu + posterior.chi2[:, :, None] / scale) / (nu + freedom)
    return np.asarray((discrepancy_posterior(posterior) * variance).sum(axis=2))


def discrepancy_posterior(posterior: Posterior) -> Floats:
    """Probability of each discrepancy given each kept component, (n, KEPT, discrepancies)."""
    return _give_components(posterior).discrepancy_share()


class Draws(msgspec.Struct, frozen=True):
    """Equally likely formulas of each function: enough to answer every question about values.

    Attributes
    ----------
    component : array (n, DRAWS) of int
        Which kept component.
    coefficient : array (n, DRAWS, 4)
    discrepancy : array (n, DRAWS)
        Relative distance of truth and formula at a measured point, as a standard deviation.
    numbers : Numbers
        By which they were drawn, and by which the truth is off at a point that was not measured.
    """

    posterior: Posterior
    component: Integers
    coefficient: Floats
    discrepancy: Floats
    numbers: _kernels.Numbers

    def at(self, target: Floats) -> tuple[Floats, Floats]:
        """Values at one point (parameters,), discrepancy included, (n, DRAWS); their ``INTERVAL``, (n, 3)."""
        return self._predict(target, slice(None))

    def at_row(self, row: int, target: Floats) -> Floats:
        """Values for one function, (DRAWS,)."""
        values, _ = self._predict(target, slice(row, row + 1))
        return np.asarray(values[0])

    def _predict(self, target: Floats, rows: slice) -> tuple[Floats, Floats]:
        posterior, candidates = self.posterior, self.posterior.candidates
        return _kernels.predict(
            _kernels.Shapes(posterior.candidate[rows], candidates.members, misses(posterior)[rows]),
            self.component[rows],
            self.coefficient[rows],
            self.discrepancy[rows],
            self.numbers,
            _give_targets(candidates, target[None, :]),
        )


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


@lru_cache(maxsize=4)
def numbers(negative_constant: float, coefficients: int, seed: int) -> _kernels.Numbers:
    """Return the random numbers of a seed, one of each a draw, which serve every function.

    A result does then not depend on its neighbours. They are: which component, which discrepancy, the scale,
    coefficients (ATTEMPTS times), whether a negative constant is let through, and how many times its distance
    the truth is off at a point that was not measured.
    """
    rng = np.random.default_rng(seed)
    places = rng.permutation((np.arange(DRAWS) + 0.5) / DRAWS)
    picks, chi = rng.random(DRAWS), rng.standard_normal(DRAWS)
    lenient = (rng.random(DRAWS) < negative_constant).astype(np.uint8)
    normal = rng.standard_normal((ATTEMPTS, DRAWS, coefficients))
    return _kernels.Numbers(places, picks, chi, normal, lenient, rng.standard_normal(DRAWS))


def draw(posterior: Posterior, seed: int = 1) -> Draws:
    """Draw formulas: component, discrepancy, scale, then coefficients, truncated to growing terms."""
    drawn_by = _make_numbers_for(posterior, seed)
    component, member, coefficient = _give_components(posterior).draw(drawn_by)
    tau = np.asarray(posterior.candidates.priors.tau)
    return Draws(posterior, component, coefficient, tau[member], drawn_by)


def intervals(posterior: Posterior, targets: Floats, seed: int = 1) -> Floats:
    """Return the ``INTERVAL`` of the values at each target (targets, parameters), (n, targets, 3).

    Values are as of ``draw`` and ``Draws.at``.
    """
    candidates = posterior.candidates
    return _give_components(posterior).foresee(
        _make_numbers_for(posterior, seed),
        _kernels.Shapes(posterior.candidate, candidates.members, misses(posterior)),
        np.array(candidates.priors.tau),
        _give_targets(candidates, targets),
    )


def _make_numbers_for(posterior: Posterior, seed: int) -> _kernels.Numbers:
    return numbers(posterior.candidates.priors.negative_constant, posterior.coefficient.shape[2], seed)


def _give_components(posterior: Posterior) -> _kernels.Components:
    return _kernels.Components(
        posterior.weight,
        posterior.chi2,
        posterior.coefficient,
        posterior.covariance,
        posterior.freedom_left(),
        posterior.scale,
        posterior.freedom,
        np.log(posterior.candidates.priors.tau_mass),
    )


def _give_targets(candidates: Candidates, targets: Floats) -> _kernels.Targets:
    return _kernels.Targets(
        np.array([candidates.at(target) for target in targets]),
        np.array([beyond(candidates.points, target) for target in targets]),
        np.array(INTERVAL),
    )


def misses(posterior: Posterior) -> Floats:
    """Return the least relative distance of truth and formula beyond the data, (n, KEPT).

    It is the distance at a measured point, and is reckoned with beyond the data at least.

    No formula is exact: beyond the data it misses by a little even where it fits, by less than what is noise,
    and by more where it is but the nearest of a few shapes.
    """
    least = np.minimum(LEAST_MISS, posterior.noise)[:, None]
    return np.where(posterior.candidates.rough[posterior.candidate], LEAST_ROUGH, least)
