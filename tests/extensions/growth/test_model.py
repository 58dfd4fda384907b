"""Models, rules and causes of series together."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.extensions.growth import model as module
from steelyard.extensions.growth.algebra import parse_rule
from steelyard.extensions.growth.model import ModelRequest, model_series
from steelyard.extensions.growth.scaling import Question, model_all, series_of
from steelyard.extensions.growth.scaling.rules import judge

P = [16, 32, 64, 128, 256, 512]


def noisy(name, seed):
    values = np.sqrt(P)[:, None] * (1 + 0.1 * np.random.default_rng(seed).standard_normal((6, 5)))
    return series_of(name, ["p"], [[p] for p in P], values.tolist(), metric="latency_s", unit="s")


SERIES = [noisy(name, seed) for seed, name in enumerate("abc")]


def test_a_function_that_a_rule_names_is_fitted_once(monkeypatch):
    fitted = []

    def counting(series, *rest):
        fitted.extend(item.name for item in series)
        return model_all(series, *rest)

    monkeypatch.setattr(module, "model_all", counting)
    model_series(ModelRequest(SERIES, Question(), ["a <= b"]))
    assert fitted == ["a", "b", "c"]


def test_a_rule_rests_on_every_lead_and_its_models_name_the_most_probable_as_all_do():
    result = model_series(ModelRequest(SERIES, Question(), ["a <= b"]))
    models = {m.name: m for m in model_all(SERIES, Question(every_lead=True))}
    (rule,) = result.rules
    answer = rule.instances[-1].evidence.answer
    assert answer.probability == pytest.approx(judge(parse_rule("a <= b"), models, 16, 512).probability)
    without = model_series(ModelRequest(SERIES, Question())).models
    for model, plain in zip(result.models, without, strict=True):
        assert [lead for lead, _ in model.alternatives] == [lead for lead, _ in plain.alternatives]
        assert [p for _, p in model.alternatives] == pytest.approx([p for _, p in plain.alternatives])
    assert len(models["a"].alternatives) > len(result.models[0].alternatives) == 3
