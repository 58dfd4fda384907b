"""Sides that grow alike up to a constant; total least squares by SciPy's ``minimize`` is the witness."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize as witness

from steelyard.extensions.growth.algebra import parse_rule
from steelyard.extensions.growth.scaling import series_of
from steelyard.extensions.growth.scaling.equal_growth import _fit, is_equal_growth

P = np.array([16.0, 32.0, 64.0, 128.0, 256.0, 512.0])
RULE = parse_rule("a <= b")


def sides(left, right, noise=0.02, scales=P):
    rng = np.random.default_rng(1)
    return {
        name: series_of(
            name,
            ("p",),
            [[p] for p in scales],
            (
                np.array([at(p) for p in scales])[:, None]
                * np.exp(noise * rng.standard_normal((len(scales), 5)))
            ).tolist(),
        )
        for name, at in (("a", left), ("b", right))
    }


def test_other_constants_do_not_tell_growth_apart():
    assert is_equal_growth(RULE, sides(lambda p: 1 + 0.3 * p**0.5, lambda p: 5 + 0.1 * p**0.5))


def test_a_power_more_is_not_alike_and_neither_is_what_falls():
    assert not is_equal_growth(RULE, sides(lambda p: 1 + 0.1 * p, lambda p: 5 + p**0.5))
    assert not is_equal_growth(RULE, sides(lambda p: 1 + 0.1 * p, lambda p: 5 + 100 / p))


def test_two_points_and_single_values_say_nothing():
    alike = (lambda p: 1 + p, lambda p: 5 + p)
    assert not is_equal_growth(RULE, sides(*alike, scales=P[:2]))
    single = {
        name: series_of(name, ("p",), [[p] for p in P], [[at(p)] for p in P])
        for name, at in zip("ab", alike, strict=True)
    }
    assert not is_equal_growth(RULE, single)


def test_the_line_is_that_of_regression_with_noise_on_both_sides():
    rng = np.random.default_rng(2)
    right = 5 + P**0.5
    lhs = (1 + 3 * right) * (1 + 0.02 * rng.standard_normal(6))
    noise = np.full(6, 0.02)
    slope, squares = _fit(lhs, right, noise, noise)

    def misses(line):
        start, b = line
        return float((((lhs - start - b * right) / (0.02 * np.hypot(lhs, b * right))) ** 2).sum())

    least = witness.minimize(misses, x0=(1.0, 3.0), method="Nelder-Mead", options={"xatol": 1e-8})
    assert slope == pytest.approx(least.x[1], rel=0.01)
    assert squares == pytest.approx(least.fun, rel=0.02)
