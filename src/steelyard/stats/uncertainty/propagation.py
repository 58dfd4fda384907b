"""The law of propagation of uncertainty, with covariances, and expanded uncertainty (JCGM 100, the GUM)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from steelyard.results.budget import Expanded
from steelyard.stats.distributions.student import t_quantile


def propagate(
    sensitivities: Sequence[float],
    uncertainties: Sequence[float],
    covariances: npt.ArrayLike | None = None,
) -> float:
    """Return the combined standard uncertainty (GUM Eq. 13).

    It is u_c^2 = sum c_i^2 u_i^2 + 2 sum_{i<j} c_i c_j u(x_i, x_j).

    Parameters
    ----------
    covariances : array of shape (n, n), optional
        Of the estimates, symmetric; what stands on its diagonal is not read. Type A, of means over the same
        n units: s_xy / n.

    Raises
    ------
    ValueError
        Lengths that do not fit, an uncertainty below 0, or covariances larger than the uncertainties allow.
    """
    c, u = np.asarray(sensitivities, dtype=np.float64), np.asarray(uncertainties, dtype=np.float64)
    if c.shape != u.shape or c.ndim != 1:
        raise ValueError(f"{c.size} sensitivities for {u.size} uncertainties")
    if (u < 0).any():
        raise ValueError(f"an uncertainty is not negative, got {u.min()}")
    scaled = c * u
    variance = float(scaled @ scaled)
    if covariances is not None:
        table = np.asarray(covariances, dtype=np.float64)
        if table.shape != (u.size, u.size):
            raise ValueError(f"covariances of {u.size} estimates need {u.size} x {u.size} entries")
        if not np.array_equal(table, table.T):
            raise ValueError("covariances must be symmetric")
        between = table - np.diag(np.diagonal(table))
        limit = np.outer(u, u)
        if (np.abs(between) > limit * (1 + 1e-9)).any():
            raise ValueError("a covariance is larger than the product of its uncertainties")
        variance += float(c @ between @ c)
    if variance < -1e-9 * float(scaled @ scaled):
        raise ValueError("these covariances make a variance negative: no measurements can have them")
    return math.sqrt(max(0.0, variance))


def sensitivities(
    function: Callable[[npt.NDArray[np.float64]], float],
    estimates: Sequence[float],
    uncertainties: Sequence[float],
) -> tuple[float, ...]:
    """Sensitivity coefficients of a function of several estimates (GUM 5.1.3, note 2).

    They are [f(x_i + u_i) - f(x_i - u_i)] / 2 u_i; steps of 1e-6 of the value where an uncertainty is 0.
    """
    at = np.asarray(estimates, dtype=np.float64)
    values: list[float] = []
    for i, u in enumerate(uncertainties):
        step = np.zeros_like(at)
        step[i] = u or 1e-6 * (abs(at[i]) or 1.0)
        values.append((float(function(at + step)) - float(function(at - step))) / (2 * float(step[i])))
    return tuple(values)


def effective_freedom(contributions: Sequence[float], freedoms: Sequence[float | None]) -> float | None:
    """Welch-Satterthwaite: (sum c_i^2 u_i^2)^2 / sum (c_i u_i)^4 / nu_i, GUM Eq. G.2b.

    Parameters
    ----------
    contributions : sequence of float
        c_i u_i.
    freedoms : sequence of (float or None)
        ``None``: infinitely many, as those of a component that is stated and not estimated.

    Returns
    -------
    float or None
        ``None``: infinitely many.
    """
    total = sum(c * c for c in contributions)
    if total == 0:
        return None
    rest = sum(
        (c * c / total) ** 2 / nu for c, nu in zip(contributions, freedoms, strict=True) if nu is not None
    )
    return 1 / rest if rest > 0 else None


def expand(u: float, nu: float | None, alpha: float = 0.05) -> Expanded:
    """U = k u, with k the quantile of t (of the normal distribution where ``nu`` is ``None``)."""
    freedom = math.inf if nu is None else nu
    k = t_quantile(freedom, alpha)
    return Expanded(u, freedom, k, k * u)
