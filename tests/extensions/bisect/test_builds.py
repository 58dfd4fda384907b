"""Probabilities of commits among builds that differ; multivariate normal densities are the witness."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from steelyard.extensions.bisect.builds import (
    GRID,
    LEAST_TAU,
    MOST_TAU,
    NO_CHANGE,
    NO_LAYOUT,
    TWO_CHANGES,
    Builds,
    spread_taus,
)


def enumerated(builds, n, size):
    """Probability of no change, of each single one, and of each pair, from the density of all values."""
    flat = 3.0
    posterior = {}
    for tau in np.geomspace(LEAST_TAU, MOST_TAU, GRID):
        for changes in [(), *((item,) for item in range(n)), *combinations(range(n), 2)]:
            covariance = np.diag(builds.variances + tau**2) + flat**2
            for commit in changes:
                behind = (builds.places > commit).astype(float)
                covariance = covariance + size**2 * np.outer(behind, behind)
            prior = {0: NO_CHANGE, 1: (1 - NO_CHANGE - TWO_CHANGES) / n, 2: TWO_CHANGES / (n * (n - 1) / 2)}
            log = multivariate_normal(np.zeros(len(covariance)), covariance).logpdf(builds.values)
            posterior.setdefault(changes, []).append(log + math.log(prior[len(changes)] * tau))
    most = max(max(logs) for logs in posterior.values())
    weights = {changes: sum(math.exp(log - most) for log in logs) for changes, logs in posterior.items()}
    total = sum(weights.values())
    return {changes: weight / total for changes, weight in weights.items()}


def test_the_probabilities_are_those_of_normal_densities():
    places = np.arange(6)
    builds = Builds(places, np.array([0.0, 0.004, -0.003, 0.02, 0.031, 0.029]), np.full(6, 1e-5))
    verdict = builds.judge(5, 0.03, spread_taus(0.02))
    witness = enumerated(builds, 5, 0.03)
    assert verdict.no_change == pytest.approx(witness[()], rel=1e-3)
    pairs = sum(probability for changes, probability in witness.items() if len(changes) == 2)
    assert verdict.two_changes == pytest.approx(pairs, rel=1e-3)
    single = np.array([witness[(commit,)] for commit in range(5)])
    assert (verdict.commits >= single * (1 - 1e-3)).all()
    assert verdict.commits.sum() == pytest.approx(single.sum() + pairs, rel=1e-3)
    assert int(verdict.commits.argmax()) == int(single.argmax())


def test_two_builds_alone_cannot_tell_a_small_change_from_layout():
    ends = Builds(np.array([0, 1]), np.array([0.0, 0.02]), np.full(2, 1e-7))
    assert 0.05 < ends.judge(1, 0.02, spread_taus(0.02)).no_change < 0.95
    large = Builds(np.array([0, 1]), np.array([0.0, 1.0]), np.full(2, 1e-7))
    assert large.judge(1, 1.0, spread_taus(0.02)).no_change < 1e-6


def test_builds_that_agree_name_the_commit_and_builds_that_scatter_do_not():
    places = np.arange(9)
    agree = np.array([0.0, 0.001, -0.001, 0.0, 0.03, 0.031, 0.029, 0.03, 0.03])
    verdict = Builds(places, agree, np.full(9, 1e-7)).judge(8, 0.03, spread_taus(0.02))
    assert verdict.commits[3] > 0.98
    scatter = np.array([0.0, 0.03, -0.01, 0.025, 0.005, 0.03, 0.0, 0.02, 0.03])
    verdict = Builds(places, scatter, np.full(9, 1e-7)).judge(8, 0.03, spread_taus(0.02))
    assert verdict.commits.max() < 0.5
    assert verdict.tau == pytest.approx(0.015, rel=0.5)


def test_of_two_changes_the_larger_is_the_one():
    values = np.repeat([0.0, 0.02, 0.1], 4)
    verdict = Builds(np.arange(12), values, np.full(12, 1e-7)).judge(11, 0.1, spread_taus(0.02))
    assert verdict.commits[7] > 0.9
    assert verdict.two_changes > 0.9


def test_without_noise_and_with_commits_between_builds_probabilities_are_shared():
    verdict = Builds(np.array([0, 4, 8]), np.array([0.0, 0.0, 0.5]), np.zeros(3)).judge(
        8, 0.5, spread_taus(0.0)
    )
    assert verdict.commits[:4] == pytest.approx(np.full(4, verdict.commits[0]))
    assert verdict.commits[4:].sum() > 0.95
    assert verdict.commits.sum() + verdict.no_change == pytest.approx(1)


def test_where_layouts_are_drawn_two_builds_alone_tell_a_change():
    ends = Builds(np.array([0, 1]), np.array([-0.01, 0.01]), np.full(2, 1e-6))
    assert ends.judge(1, 0.02, NO_LAYOUT).no_change < 1e-6
    assert ends.judge(1, 0.02, spread_taus(0.02)).no_change > 0.05
