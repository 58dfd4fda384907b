"""Strong scaling: work divided, a serial part, and what few points of it predict."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from steelyard.extensions.growth.scaling import Question, model_all, series_of
from steelyard.extensions.growth.scaling.strong import COUNTS, ROOM, strong_opinions

P = [1.0, 2.0, 4.0, 8.0, 16.0]


def opinions(rows, known=False, u=0.0, at=(64.0,), points=P):
    values = np.array(rows, dtype=float)
    u2 = (u * values) ** 2
    grid = np.array(points)[:, None]
    return strong_opinions(grid, values, u2, np.full(len(values), known), np.array(at)[:, None])


def test_amdahls_law_is_that_of_non_negative_least_squares():
    rng = np.random.default_rng(3)
    rows = [(a + b / np.array(P)) * (1 + 0.1 * rng.standard_normal(5)) for a, b in rng.uniform(0, 5, (30, 2))]
    rows += [np.array([5.0, 4, 2.2, 1, 0.1]), np.array([1.0, 1.1, 1.2, 1.3, 1.5])]  # a, b below 0
    result = opinions(rows).values[0, :, 0]
    for row, value in zip(rows, result, strict=True):
        basis = np.column_stack([1 / row, 1 / (np.array(P) * row)])
        (a, b), _ = optimize.nnls(basis, np.ones(5))
        assert value == pytest.approx(a + b / 64, rel=1e-6)


def test_the_power_is_that_of_a_line_of_logarithms():
    rows = np.random.default_rng(4).uniform(1, 9, (5, 5))
    result = opinions(rows).values[1, :, 0]
    for row, value in zip(rows, result, strict=True):
        slope, start = np.polyfit(np.log(P), np.log(row), 1)
        assert value == pytest.approx(np.exp(start + slope * np.log(64)), rel=1e-9)


def test_what_meets_points_that_are_left_out_counts_and_the_other_does_not():
    result = opinions([[2 + 30 / p for p in P]])
    value, low, high = result.convert(0, 0, 2.4, missed=0.3)
    assert value == pytest.approx(2 + 30 / 64, rel=0.02)
    assert (low, high) == (pytest.approx(2.4 / ROOM, rel=0.05), pytest.approx(2.47 * ROOM, rel=0.05))
    # The power is below 2 % there.
    assert 1 / COUNTS == 50


def test_what_repetitions_contradict_does_not_count():
    row = [30 / p + 0.5 * p for p in P]
    free, repeated = opinions([row]), opinions([row], known=True, u=0.01)
    assert free.convert(0, 0, 32.5, missed=0.01)[0] < 31
    assert repeated.convert(0, 0, 32.5, missed=0.01)[0] == pytest.approx(32.5)


def test_a_value_of_nothing_gives_way_to_the_opinions():
    value, _, _ = opinions([[8 / p for p in P]]).convert(0, 0, 0.0, missed=0.01)
    assert value == pytest.approx(8 / 64, rel=1e-6)


@pytest.mark.parametrize("points", [4, 5, 6])
def test_strong_scaling_is_predicted_as_well_as_by_amdahls_law(points):
    rng = np.random.default_rng(points)
    at, far = [float(2**k) for k in range(points)], float(2 ** (points + 1))
    shares = 10 ** rng.uniform(-3, -0.5, 80)
    overhead = 10 ** rng.uniform(-4, -2, 80)
    rows = [
        [100 * (s + (1 - s) / p + o * np.log2(p)) * (1 + 0.02 * rng.standard_normal()) for p in at]
        for s, o in zip(shares, overhead, strict=True)
    ]
    truth = 100 * (shares + (1 - shares) / far + overhead * np.log2(far))
    series = [series_of(f"f{n}", ["p"], [[p] for p in at], [[v] for v in row]) for n, row in enumerate(rows)]
    models = model_all(series, Question(targets=({"p": far},)))
    values = np.array([model.predictions[0].value for model in models])
    amdahl = opinions(rows, at=(far,), points=at).values[0, :, 0]
    error, error_of_amdahl = (np.median(np.abs(v / truth - 1)) for v in (values, amdahl))
    assert error <= 1.25 * error_of_amdahl
    held = sum(m.predictions[0].low <= t <= m.predictions[0].high for m, t in zip(models, truth, strict=True))
    assert held >= 74
