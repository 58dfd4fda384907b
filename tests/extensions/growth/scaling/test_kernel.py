"""The compiled search against what NumPy computes from the definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from steelyard import _kernels
from steelyard.extensions.growth.scaling.candidates import one_parameter, several_parameters
from steelyard.extensions.growth.scaling.posterior import search
from steelyard.extensions.growth.scaling.spaces import coarse_space, dense_space, small_space

P = 2.0 ** np.arange(4, 10)


def weighted_fit(design, y, variance):
    w = np.sqrt(1 / variance)
    theta, *_ = np.linalg.lstsq(design * w[:, None], y * w, rcond=None)
    chi2 = float((((y - design @ theta) * w) ** 2).sum())
    return theta, chi2, np.linalg.inv((design * w[:, None]).T @ (design * w[:, None]))


def noisy(rng, n, noise):
    truth = 5 + rng.uniform(1, 50, (n, 1)) * np.log2(P) ** rng.integers(1, 3, (n, 1))
    return truth * (1 + noise * rng.standard_normal(truth.shape)), (noise * truth) ** 2


def test_coefficients_and_covariances_are_those_of_weighted_least_squares():
    candidates = one_parameter(P[:, None], dense_space())
    y, u2 = noisy(np.random.default_rng(1), 5, 0.03)
    match = search(candidates, y, u2, np.ones(5), np.full(5, 24.0))
    checked = set()
    for row in range(5):
        for i in range(20):
            members = [m for m in candidates.members[match.candidate[row, i]] if m >= 0]
            columns = [candidates.raw[m] / candidates.scale[m] for m in members]
            design = np.stack([np.ones(len(P)), *columns], axis=1)
            theta, chi2, covariance = weighted_fit(design, y[row], match.variance[row])
            used = 1 + len(members)
            checked.add(used)
            assert match.coefficient[row, i, :used] == pytest.approx(theta, rel=1e-5, abs=1e-6 * y[row].max())
            assert match.chi2[row, i] == pytest.approx(chi2, rel=1e-4, abs=1e-7)
            assert match.covariance[row, i, :used, :used] == pytest.approx(covariance, rel=1e-4, abs=1e-9)
    assert checked >= {2, 3}


X = np.array([0.2, 0.5, 1.0, 0.9, 0.1])
Z = np.array([0.1, 0.9, 0.3, 1.0, 0.7])
DESIGNS = (
    np.ones((5, 1)),
    np.stack([np.ones(5), X], 1),
    np.stack([np.ones(5), Z], 1),
    np.stack([np.ones(5), X, Z], 1),
)
PRIOR = np.array([0.4, 0.3, 0.2, 0.1])


def posterior_of_four(y, variance, negative_constant):
    """The kernel's posterior of the constant, x, z and x + z: one discrepancy of nothing, known variances."""
    space = _kernels.Space(
        np.stack([X, Z]),
        np.array([[-1, -1, -1], [0, -1, -1], [1, -1, -1], [0, 1, -1]], dtype=np.int32),
        np.log(PRIOR),
        np.arange(4, dtype=np.int32),
        np.array([1e-12]),
        np.array([0.0]),
        negative_constant,
    )
    return space.search(y[None], variance[None], np.zeros(1), np.zeros(1), 4, 1).lead[0]


def share_density(theta, sd, first):
    """One part in five flat in the share where the column is 1, four log-uniform from 1 to 99 % at the first
    point: du/u of a share s = u f / (1 - u + u f).
    """
    u = max(theta[1], sd) / (theta[0] + theta[1])
    share = u * first / (1 - u + u * first)
    return 0.2 + 0.8 / math.log(99) / max(share, 0.01) * first / (1 - u + u * first) ** 2


def test_the_density_of_a_share_integrates_to_one():
    for first in (0.01, 0.3, 1.0):
        shares = np.geomspace(0.01, 0.99, 4001)
        u = shares / (shares + first * (1 - shares))
        density = [share_density((1 - item, item), 0.0, first) for item in u]
        flat = 0.2 * (u[-1] - u[0])
        assert np.trapezoid(density, u) == pytest.approx(0.8 + flat, rel=1e-3)


def stated_evidence(y, variance, negative_constant):
    """prior (d-1)! (2π)^(d/2) |Cov|^½ exp(-χ²/2) P(coefficients allowed), from NumPy."""
    size = y.max()
    weights = []
    for prior, design in zip(PRIOR, DESIGNS, strict=True):
        d = design.shape[1]
        theta, chi2, covariance = weighted_fit(design, y / size, variance / size**2)
        z = theta / np.sqrt(np.diag(covariance))
        inside = np.where(z > 4, 1.0, 1 / (1 + np.exp(-1.702 * z)))
        allowed = inside[1:].prod()
        if d > 1:
            allowed *= inside[0] + negative_constant * (1 - inside[0])
        if d == 2:
            allowed *= share_density(theta, math.sqrt(covariance[1, 1]), design[0, 1])
        occam = math.factorial(d - 1) * (2 * math.pi) ** (d / 2) * math.sqrt(np.linalg.det(covariance))
        weights.append(prior * occam * math.exp(-chi2 / 2) * allowed)
    return np.array(weights) / sum(weights)


@pytest.mark.parametrize(
    ("truth", "variance", "negative_constant"),
    [
        (10 + 2 * X + 0.5 * Z, 0.6, 1.0),
        (10 + 2 * X + 2 * Z, 0.3, 0.1),
        (0.3 * X + 3 * Z, 0.5, 0.02),
        (-0.5 + 3 * X + 3 * Z, 0.4, 0.02),
    ],
)
def test_weights_of_candidates_follow_the_stated_evidence(truth, variance, negative_constant):
    y, variances = truth + np.array([0.1, -0.2, 0.15, 0.05, -0.1]), variance * np.array([1, 1.5, 0.8, 1, 1.2])
    expected = stated_evidence(y, variances, negative_constant)
    # ln T is interpolated between eight places an octave: 1 % for what has a weight that counts.
    assert posterior_of_four(y, variances, negative_constant) == pytest.approx(expected, rel=0.01, abs=1e-4)


def test_posteriors_sum_to_one_and_do_not_depend_on_threads_or_neighbours():
    candidates = one_parameter(P[:, None], dense_space())
    y, u2 = noisy(np.random.default_rng(2), 40, 0.1)
    match = search(candidates, y, u2, np.ones(40), np.full(40, 24.0), threads=1)
    two = search(candidates, y, u2, np.ones(40), np.full(40, 24.0), threads=3)
    alone = search(candidates, y[7:8], u2[7:8], np.ones(1), np.full(1, 24.0))
    assert match.lead.sum(axis=1) == pytest.approx(np.ones(40))
    assert match.weight.sum(axis=1) == pytest.approx(np.ones(40))
    assert np.array_equal(match.lead, two.lead)
    assert np.array_equal(match.coefficient, two.coefficient)
    assert np.array_equal(match.coefficient[7], alone.coefficient[0])


@pytest.mark.parametrize(
    "y",
    [
        [1e-140] * 6,
        [1e140] * 6,
        [1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 1e9],
        [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        [5.0, 4.0, 3.0, 2.0, 1.0, 0.5],
    ],
    ids=["tiny", "huge", "spread", "zeros", "falling"],
)
def test_no_data_give_a_number_that_is_none(y):
    candidates = one_parameter(P[:, None], dense_space())
    value = np.array([y])
    match = search(candidates, value, (1e-6 * value) ** 2, np.ones(1), np.zeros(1))
    for array in (match.lead, match.weight, match.coefficient, match.variance, match.scale):
        assert np.isfinite(array).all()
    assert match.lead.sum() == pytest.approx(1)


def test_what_is_kept_stands_for_all_that_is_not():
    candidates = one_parameter(P[:, None], dense_space())
    y, u2 = noisy(np.random.default_rng(3), 10, 0.2)
    match = search(candidates, y, u2, np.ones(10), np.full(10, 24.0))
    # The heavier half stands for itself alone, the others for more than themselves.
    alone = np.isclose(match.weight, match.own_weight, rtol=1e-12)
    assert (alone.sum(axis=1) >= match.weight.shape[1] // 2).all()
    assert not alone.all()
    assert match.own_weight.sum(axis=1).max() < 0.999
    assert match.weight.sum(axis=1) == pytest.approx(np.ones(10))


def test_a_space_that_contradicts_itself_is_refused():
    columns, tau = np.ones((2, 4)), np.array([0.1])
    unsorted = np.array([[0, 1, -1], [0, -1, -1]], dtype=np.int32)
    groups = np.array([0, 1], dtype=np.int32)
    with pytest.raises(ValueError, match="sorted"):
        _kernels.Space(columns, unsorted, np.zeros(2), groups, tau, np.zeros(1))
    missing = np.array([[0, -1, -1], [5, -1, -1]], dtype=np.int32)
    with pytest.raises(ValueError, match="not there"):
        _kernels.Space(columns, missing, np.zeros(2), groups, tau, np.zeros(1))


def test_two_and_three_parameters_find_exact_products_and_sums():
    grid2 = np.array([(p, q) for p in (4.0, 8, 16, 32, 64) for q in (10.0, 20, 30, 40, 50)])
    two = several_parameters(grid2, [coarse_space(), coarse_space()])
    grid3 = np.array(
        [(p, q, r) for p in (4.0, 8, 16, 32) for q in (10.0, 20, 30, 40) for r in (2.0, 3, 5, 7)]
    )
    three = several_parameters(grid3, [small_space()] * 3)
    p, q = grid2.T
    a, b, c = grid3.T
    cases = [
        (two, 3 + 0.2 * p * np.log2(p) * q**0.5, ["p log p", "p^0.5"]),
        (two, 3 + 0.2 * p**2 + 5 * q**1.5, ["p^2", "p^1.5"]),
        (three, 1 + a * b**0.5 * c**2, ["p", "p^0.5", "p^2"]),
        (three, 1 + 7 * a**1.5 + 3 * b * c, ["p^1.5", "p", "p"]),
    ]
    for candidates, y, leads in cases:
        value = y[None]
        match = search(candidates, value, (1e-6 * value) ** 2, np.ones(1), np.zeros(1))
        best = candidates.leads[int(match.lead[0].argmax())]
        assert [g.text("p") for g in best] == leads


def test_shares_of_discrepancies_follow_students_law():
    # One discrepancy a row of scale and freedom; left-variate t densities from SciPy.
    scale, nu = np.array([[1.0, 2.0, 5.0]]), np.array([[4.0, 10.0, 2e6]])
    prior, chi2, freedom = np.array([0.5, 0.3, 0.2]), np.array([[3.0, 12.0]]), np.array([[3, 2]])
    none = np.zeros((1, 2, 4))
    result = _kernels.Components(
        np.ones((1, 2)), chi2, none, np.zeros((1, 2, 4, 4)), freedom, scale, nu, np.log(prior)
    ).discrepancy_share()
    for i in range(2):
        m = int(freedom[0, i])
        at = np.zeros(m)
        at[0] = np.sqrt(chi2[0, i])
        density = [
            p * stats.multivariate_t(shape=s * np.eye(m), df=df).pdf(at)
            for p, s, df in zip(prior, scale[0], nu[0], strict=True)
        ]
        assert result[0, i] == pytest.approx(np.array(density) / sum(density), rel=1e-4)


def test_predicted_quantiles_are_those_of_numpy():
    rng = np.random.default_rng(2)
    candidate, members = (
        np.array([[1, 0]], dtype=np.int32),
        np.array([[-1, -1, -1], [0, 1, -1]], dtype=np.int32),
    )
    component = rng.integers(0, 2, (1, 101))
    coefficient = rng.random((1, 101, 4))
    tau, miss, normal = 0.1 * rng.random((1, 101)), np.array([[0.2, 0.3]]), rng.standard_normal(101)
    basis, quantile = np.array([2.0, 3.0, 0.0]), np.array([0.025, 0.5, 0.975])
    ones = np.ones(101)
    numbers = _kernels.Numbers(ones, ones, ones, np.ones((1, 101, 4)), np.ones(101, np.uint8), normal)
    values, result = _kernels.predict(
        _kernels.Shapes(candidate, members, miss),
        component,
        coefficient,
        tau,
        numbers,
        _kernels.Targets(basis[None], np.array([5.0]), quantile),
    )
    grown = np.where(component[0] == 0, coefficient[0, :, 1:3] @ basis[:2], 0.0)
    share = grown / (coefficient[0, :, 0] + grown)
    distance = np.hypot(tau[0], miss[0, component[0]] * share) * (1 + 4 * share)
    expected = (coefficient[0, :, 0] + grown) * np.exp(distance * normal)
    assert values[0] == pytest.approx(expected)
    assert result[0] == pytest.approx(np.quantile(expected, quantile))


def test_arrays_that_do_not_fit_each_other_are_refused():
    ones = np.ones(5)
    with pytest.raises(ValueError, match="one of each a draw"):
        _kernels.Numbers(ones, ones[:4], ones, np.ones((1, 5, 4)), np.ones(5, np.uint8), ones)
    with pytest.raises(ValueError, match="functions x kept"):
        _kernels.Shapes(np.zeros((2, 3), np.int32), np.zeros((1, 3), np.int32), np.zeros((3, 3)))
    with pytest.raises(ValueError, match="a target has a basis"):
        _kernels.Targets(np.ones((2, 3)), ones[:1], ones)
