"""Sensitivities, effective degrees of freedom and expanded uncertainty (JCGM 100, the GUM)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from steelyard.results.budget import Expanded
from steelyard.stats.distributions.student import t_quantile


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
