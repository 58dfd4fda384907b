"""Switches of behaviour: found where they are, not where they are not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.extensions.growth.algebra import Growth
from steelyard.extensions.growth.scaling import Expectation, Question, model, model_all, series_of
from steelyard.extensions.growth.scaling.aggregate import aggregate
from steelyard.extensions.growth.scaling.segments import LEAST_POINTS, LOG_SIZE_RANGE, SWITCH_PRIOR, Segmenter
from steelyard.extensions.growth.scaling.spaces import dense_space

P = [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]


def series(values, name="f"):
    return series_of(name, ["p"], [[p] for p in P], np.asarray(values).tolist())


def switching(p):
    """A tree up to 128 processes, then a ring: what libraries do to small messages."""
    return 10 * np.log2(p) if p <= 128 else 20 + 0.5 * p


def test_a_switch_is_found_where_it_is_and_the_last_stretch_speaks():
    rng = np.random.default_rng(1)
    values = np.array([switching(p) for p in P])[:, None] * (1 + 0.01 * rng.standard_normal((10, 5)))
    result = model(series(values), Question(scale={"p": 16384}))
    assert [(s.start, s.end) for s in result.segments] == [(8, 128), (256, 4096)]
    assert result.lead == (Growth.make(1),)
    assert "segments" in {w.kind for w in result.warnings}
    prediction = result.predictions[0]
    assert prediction.low <= switching(16384) <= prediction.high
    # The tree below 128 processes says nothing of 16,384 any more.
    assert prediction.high / prediction.low < 1.5


def test_two_switches_are_found_too():
    longer = [*P, 8192, 16384]
    truth = np.array([float(p) if p <= 32 else (40 + np.log2(p) if p <= 512 else 3.0 * p) for p in longer])
    values = truth[:, None] * (1 + 0.002 * np.random.default_rng(2).standard_normal((12, 5)))
    result = model(series_of("f", ["p"], [[p] for p in longer], values.tolist()))
    assert [s.start for s in result.segments] == [8, 64, 1024]


def test_a_last_stretch_of_three_points_of_eight_is_not_taken_for_a_law():
    # p up to 128, and then three points from elsewhere, as exact as they may be.
    values = [float(p) for p in P[:5]] + [2000.0, 2100.0, 2900.0]
    at = [[p] for p in P[:8]]
    noise = 1 + 0.002 * np.random.default_rng(2).standard_normal((8, 5))
    question = Question(expectations={"*": Expectation("O(p)")})
    result = model(series_of("f", ["p"], at, (np.array(values)[:, None] * noise).tolist()), question)
    assert result.segments == ()
    assert result.validation.rank != "none"
    assert "lack_of_fit" in {w.kind for w in result.warnings}


def test_values_a_little_off_a_logarithm_stay_near_it():
    # Without noise and within 2 % of log p: no certainty of anything, least of all of O(p log p).
    rng = np.random.default_rng(11)
    question = Question(expectations={"*": Expectation("O(log p)")})
    for _ in range(20):
        off = np.log2(P[:8]) * (1 + 0.02 * rng.uniform(-1, 1, 8))
        result = model(series_of("f", ["p"], [[p] for p in P[:8]], off[:, None].tolist()), question)
        assert result.segments == ()
        assert result.validation.rank != "none"


def test_one_formula_is_not_cut():
    rng = np.random.default_rng(3)
    many = [
        series((5 + 2 * np.array(P) ** 0.5)[:, None] * (1 + 0.05 * rng.standard_normal((10, 5))), str(i))
        for i in range(200)
    ]
    # 1 % may be cut: a method that cuts 1 % passes with probability 0.998.
    assert sum(bool(m.segments) for m in model_all(many)) <= 7


def test_cutting_can_be_switched_off():
    values = np.array([switching(p) for p in P])[:, None] * (
        1 + 0.01 * np.random.default_rng(1).standard_normal((10, 5))
    )
    result = model(series(values), Question(segments=False))
    assert result.segments == ()
    assert "lack_of_fit" in {w.kind for w in result.warnings}


def test_a_gather_like_step_predicts_from_its_last_stretch():
    # Without noise: 16 … 128 one law, 256 on another with a jump.
    truth = np.array([2.0 + 0.25 * p if p <= 64 else 100 + 0.01 * p**1.5 for p in P])
    result = model(series(truth[:, None]), Question(scale={"p": 8192}))
    assert result.segments
    assert result.predictions[0].value == pytest.approx(100 + 0.01 * 8192**1.5, rel=0.05)


def compositions(m):
    """All ways to cut m points into stretches of at least three."""
    if m == 0:
        yield ()
    for length in range(LEAST_POINTS, m + 1):
        for rest in compositions(m - length):
            yield (*rest, (m - length, m))


@pytest.mark.parametrize("truth", [lambda p: 5 + p**0.5, switching], ids=["one formula", "a switch"])
def test_the_probability_of_a_switch_is_that_of_all_ways_to_cut(truth):
    grid = np.array(P, dtype=float)[:, None]
    noise = np.random.default_rng(5).standard_normal((1, 10, 5))
    data = aggregate(np.array([truth(p) for p in P])[None, :, None] * (1 + 0.05 * noise))
    segmenter = Segmenter(grid, dense_space())
    stretches = segmenter.fit(data, np.array([0]), 1)
    result = segmenter.segment(stretches, 0)

    def log_of(cuts):
        total = (len(cuts) - 1) * math.log(SWITCH_PRIOR / len(P))
        for start, end in cuts:
            piece = stretches[start, end]
            total += float(piece.posterior.log_evidence[0]) - (end - start) * math.log(
                piece.data.value[0].max()
            )
            total -= LOG_SIZE_RANGE if end - start < len(P) else 0.0
        return total

    logs = {cuts: log_of(cuts) for cuts in compositions(len(P))}
    top = max(logs.values())
    evidence = math.exp(logs[((0, len(P)),)] - top)
    every = sum(math.exp(value - top) for value in logs.values())
    assert result.probability == pytest.approx(1 - evidence / every, rel=1e-6, abs=1e-9)
    cut = {cuts: value for cuts, value in logs.items() if len(cuts) > 1}
    assert result.cuts == max(cut, key=cut.get)
