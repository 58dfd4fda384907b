"""The published method: leave-one-out against refitting without the point."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.extensions.growth.algebra import Growth
from steelyard.extensions.growth.scaling import seed001
from steelyard.extensions.growth.scaling.columns import Exponents, TermColumn
from steelyard.extensions.growth.scaling.spaces import mpi_study_space, seed001_space

P = 2.0 ** np.arange(6, 13)


def refitted(points, value, space):
    """Prediction error of every left-out point, each fit made anew."""
    press = {}
    for term in space.terms:
        f = Exponents.make([TermColumn((term,))], 1).at(points)[0]
        total = 0.0
        for out in range(len(value)):
            keep = np.arange(len(value)) != out
            slope, constant = np.polyfit(f[keep], value[keep], 1)
            total += (value[out] - constant - slope * f[out]) ** 2
        press[term] = total
    return press


def closest(value):
    """The term with the smallest residuals, nothing left out."""
    rest = {}
    for term in mpi_study_space().terms:
        f = Exponents.make([TermColumn((term,))], 1).at(P[:, None])[0]
        slope, constant = np.polyfit(f, value, 1)
        rest[term] = float(((value - constant - slope * f) ** 2).sum())
    return min(rest, key=rest.get)


def test_the_chosen_term_predicts_left_out_points_best():
    rng = np.random.default_rng(1)
    differs = 0
    for growth in (Growth.make(0, 1), Growth.make("2/3", 1), Growth.make(1)) * 12:
        f = np.array([growth.at(p) for p in P])
        value = (10 + 3 * f / f.max() * 50) * (1 + 0.1 * rng.standard_normal(len(P)))
        result = seed001.fit(P[:, None], value, mpi_study_space())
        press = refitted(P[:, None], value, mpi_study_space())
        assert result.growth == min(press, key=press.get)
        differs += result.growth != closest(value)
        chosen = Exponents.make([TermColumn((result.growth,))], 1).at(P[:, None])[0]
        slope, constant = np.polyfit(chosen, value, 1)
        assert (result.slope, result.constant) == pytest.approx((slope, constant), rel=1e-6)
        residual = value - constant - slope * chosen
        r2 = 1 - (residual @ residual / (len(P) - 2)) / value.var(ddof=1)
        assert result.r2 == pytest.approx(r2, rel=1e-9)
    # Leaving out decides otherwise than the closest fit often enough that this test sees the difference.
    assert differs >= 3


def test_exact_data_give_their_own_term():
    space = seed001_space(Growth.make(1))
    for term in space.terms:
        value = 7 + 2 * np.array([term.at(p) for p in P])
        result = seed001.fit(P[:, None], value, space)
        assert result.growth == term
        assert result.r2 == pytest.approx(1)


def test_constant_data_are_constant():
    result = seed001.fit(P[:, None], np.full(len(P), 4.2), mpi_study_space())
    assert (result.growth, result.constant, result.slope, result.r2) == (
        Growth(),
        pytest.approx(4.2),
        0.0,
        None,
    )
