"""Switches of behaviour: found where they are, not where they are not."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.growth import Growth
from steelyard.scaling import Question, model, model_all, series_of

P = [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]


def series(values, name="f"):
    return series_of(name, ["p"], [[p] for p in P], np.asarray(values).tolist())


def switching(p):
    """A tree up to 128 processes, then a ring: what libraries do to small messages."""
    return 10 * np.log2(p) if p <= 128 else 20 + 0.5 * p


def test_a_switch_is_found_where_it_is_and_the_last_stretch_speaks():
    rng = np.random.default_rng(1)
    values = np.array([switching(p) for p in P])[:, None] * (1 + 0.01 * rng.standard_normal((10, 5)))
    found = model(series(values), Question(scale={"p": 16384}))
    assert [(s.start, s.end) for s in found.segments] == [(8, 128), (256, 4096)]
    assert found.lead == (Growth.of(1),)
    assert "segments" in {w.kind for w in found.warnings}
    prediction = found.predictions[0]
    assert prediction.low <= switching(16384) <= prediction.high


def test_two_switches_are_found_too():
    truth = np.array([float(p) if p <= 32 else (40 + np.log2(p) if p <= 256 else 3.0 * p) for p in P])
    found = model(series(truth[:, None] * (1 + 0.002 * np.random.default_rng(2).standard_normal((10, 5)))))
    assert [s.start for s in found.segments] == [8, 64, 512]


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
    found = model(series(values), Question(segments=False))
    assert found.segments == ()
    assert "lack_of_fit" in {w.kind for w in found.warnings}


def test_a_gather_like_step_predicts_from_its_last_stretch():
    # Without noise: 16 … 128 one law, 256 on another with a jump.
    truth = np.array([2.0 + 0.25 * p if p <= 64 else 100 + 0.01 * p**1.5 for p in P])
    found = model(series(truth[:, None]), Question(scale={"p": 8192}))
    assert found.segments
    assert found.predictions[0].value == pytest.approx(100 + 0.01 * 8192**1.5, rel=0.05)
