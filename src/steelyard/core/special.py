"""Distribution functions of statistics and their inverses, elementwise over numbers and arrays.

Outside of their domain, and of NaN, they are NaN. Computed by Boost.Math in ``native/kernels/special.cpp``;
SciPy, which has them too, takes 144 MB and 0.15 s of CPU to load, and is the witness of the tests.
"""

from __future__ import annotations

from typing import Any, Final, overload

import numpy as np
import numpy.typing as npt

from steelyard import _kernels
from steelyard.core.arrays import Floats


class Elementwise:
    """A function of numbers, which gives a number, and of arrays, which broadcast."""

    __slots__ = ("_function",)

    def __init__(self, function: _kernels.Elementwise) -> None:
        self._function = function

    @overload
    def __call__(self, *arguments: float) -> float: ...  # type: ignore[overload-overlap] # the first that fits
    @overload
    def __call__(self, *arguments: float | npt.NDArray[Any]) -> Floats: ...
    def __call__(self, *arguments: float | npt.NDArray[Any]) -> float | Floats:
        """Apply the function to numbers, or to arrays and numbers."""
        if not any(isinstance(argument, np.ndarray) for argument in arguments):
            return self._function(*arguments)  # type: ignore[arg-type] # mypy does not narrow a tuple
        arrays = np.broadcast_arrays(*(np.asarray(argument, dtype=np.float64) for argument in arguments))
        return self._function(*(array.ravel() for array in arrays)).reshape(arrays[0].shape)


normal_cdf: Final = Elementwise(_kernels.normal_cdf)
"""``(z)``: P(Z <= z) of a standard normal distribution."""
normal_quantile: Final = Elementwise(_kernels.normal_quantile)
"""``(p)``: the z with P(Z <= z) = p."""
student_cdf: Final = Elementwise(_kernels.student_cdf)
"""``(nu, t)``: P(T <= t) of Student's t; ``nu`` may be infinite."""
student_quantile: Final = Elementwise(_kernels.student_quantile)
"""``(nu, p)``: the t with P(T <= t) = p."""
f_cdf: Final = Elementwise(_kernels.f_cdf)
"""``(nu1, nu2, f)``: P(F <= f) of Fisher's F."""
f_sf: Final = Elementwise(_kernels.f_sf)
"""``(nu1, nu2, f)``: P(F > f) of Fisher's F."""
chi2_cdf: Final = Elementwise(_kernels.chi2_cdf)
"""``(nu, x)``: P(X <= x) of chi-squared."""
chi2_quantile: Final = Elementwise(_kernels.chi2_quantile)
"""``(nu, p)``: the x with P(X <= x) = p."""
beta_cdf: Final = Elementwise(_kernels.beta_cdf)
"""``(a, b, x)``: P(X <= x) of a beta distribution."""
beta_quantile: Final = Elementwise(_kernels.beta_quantile)
"""``(a, b, p)``: the x with P(X <= x) = p."""
binomial_pmf: Final = Elementwise(_kernels.binomial_pmf)
"""``(k, n, p)``: P(X = k) of k successes in n trials with probability p each."""
binomial_cdf: Final = Elementwise(_kernels.binomial_cdf)
"""``(k, n, p)``: P(X <= k); 1 from n on."""
binomial_probability: Final = Elementwise(_kernels.binomial_probability)
"""``(k, n, cdf)``: the p with P(X <= k) = cdf, for k below n."""
binomial_order: Final = Elementwise(_kernels.binomial_order)
"""``(tail, n, p)``: the largest k with P(X < k) <= tail, at most n: the rank of the order statistic at which
an interval of a quantile begins; 0 without one."""


def f_quantile(nu1: float, nu2: float, p: float) -> float:
    """Find the f with P(F <= f) = p of Fisher's F: nu1 F / (nu2 + nu1 F) has a beta distribution."""
    x, rest = beta_quantile(nu1 / 2, nu2 / 2, p), beta_quantile(nu2 / 2, nu1 / 2, 1 - p)
    return nu2 / nu1 * x / rest
