"""Levels that wander; innovations by their recursion are the witness, rates are simulated."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from steelyard.extensions.history.steps import examine, search
from steelyard.extensions.history.wander import NOISE_SHARE, PERSISTENCE, _walk, describe

S = 0.02
N = 100


def pattern_of(series):
    """The pattern that is said, "steps" where commits are named, "stable" where nothing is."""
    examined = examine(series, np.zeros(series.size))
    steps = search(examined, 0.01) if examined.p <= 0.01 else None
    if steps is None or not steps.located:
        return "stable"
    fit = describe(steps)
    return "steps" if fit is None else fit.pattern


def test_the_criterion_of_a_walk_is_that_of_the_best_of_all_recursions():
    rng = np.random.default_rng(1)
    series = S * (np.cumsum(rng.normal(size=40)) + rng.normal(size=40))
    steps = search(examine(series, np.zeros(40)), 0.2)
    values = steps.examined.series - steps.examined.series.mean()
    squares = []
    for phi in PERSISTENCE:
        for share in NOISE_SHARE:
            innovation, slope, pairs = 0.0, 0.0, []
            for before, value in pairwise(values):
                innovation = value - phi * before + share * phi * innovation
                slope = 1 - phi + share * phi * slope
                pairs.append((innovation, slope))
            innovations, slopes = np.array(pairs).T
            mean = innovations @ slopes / (slopes @ slopes) if phi < 1 else 0.0
            squares.append(((innovations - mean * slopes) ** 2).sum())
    least = 40 * math.log(min(squares) * 40 / 39 / 40) + 4 * math.log(40)
    assert _walk(steps).criterion == pytest.approx(least)


def walk(rng):
    return S * (rng.normal(size=N) + np.cumsum(rng.normal(size=N)))


def slow_return(rng, noise_of):
    return 2 * S * noise_of(rng, N, 0.95)


def regimes(rng):
    return S * (rng.normal(size=N) + 5 * (np.cumsum(rng.random(N) > 0.94) % 2))


def days(rng):
    return S * (rng.normal(size=N) + 5 * np.sin(2 * np.pi * np.arange(N) / 33))


@pytest.mark.simulates
@pytest.mark.parametrize(
    ("draw", "most"),
    [(walk, 9), (slow_return, 6), (days, 1), (regimes, 14)],
)
def test_of_60_series_that_wander_few_name_a_commit(noise_of, draw, most):
    """One or two changes of regime within a series are steps, and cannot be told from those of commits."""
    rng = np.random.default_rng(2)
    extra = (noise_of,) if draw is slow_return else ()
    named = sum(pattern_of(draw(rng, *extra)) == "steps" for _ in range(60))
    assert named <= most


@pytest.mark.simulates
def test_steps_of_five_s_stay_steps(noise_of):
    rng = np.random.default_rng(3)
    for phi, end in ((0.0, N), (0.5, N), (0.0, 58)):
        for _ in range(20):
            series = S * noise_of(rng, N, phi)
            series[50:end] += 6 * S
            assert pattern_of(series) in ("steps", "stable")


def test_each_pattern_is_called_what_it_is():
    rng = np.random.default_rng(4)
    place = np.arange(N)
    noise = S * rng.normal(size=(4, N))
    assert pattern_of(noise[0] + 0.01 * place) == "line"
    assert pattern_of(noise[1] + 0.3 * np.sin(place / 5)) == "cycle"
    assert pattern_of(noise[2] + 0.3 * (place // 12 % 2)) == "regimes"
    assert pattern_of(noise[3] + 0.2 * np.cumsum(rng.normal(size=N))) == "walk"


def test_where_the_zero_of_a_series_is_makes_no_pattern_of_it():
    noise = S * np.random.default_rng(4).normal(size=N)
    cycle = noise + 0.3 * np.sin(np.arange(N) / 5)
    for zero in (-7.0, 0.2, 100.0):
        assert pattern_of(cycle + zero) == "cycle"


def test_a_short_stay_at_the_other_level_tells_two_states_of_a_machine_from_a_commit():
    noise = S * np.random.default_rng(5).normal(size=N)
    step = noise + 5 * S * (np.arange(N) >= 50)
    assert pattern_of(step) == "steps"
    step[70:73] -= 5 * S
    assert pattern_of(step) == "regimes"


def test_one_outlier_at_the_other_level_leaves_a_step_a_step():
    noise = S * np.random.default_rng(5).normal(size=N)
    step = noise + 5 * S * (np.arange(N) >= 50)
    step[70] -= 5 * S
    assert pattern_of(step) == "steps"


@pytest.mark.simulates
def test_steps_in_heavy_tails_and_steps_that_are_undone_in_part_stay_steps():
    rng = np.random.default_rng(6)
    place = np.arange(N)
    patterns = []
    for _ in range(30):
        tails = rng.standard_t(3, size=N) / math.sqrt(3)
        patterns.append(pattern_of(S * (tails + 5 * (place >= 50))))
        patterns.append(pattern_of(S * (rng.normal(size=N) + 6 * (place >= 40) - 3 * (place >= 70))))
    assert patterns.count("regimes") <= 3
