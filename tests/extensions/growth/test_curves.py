"""Curves of models: predictions along a series, and the published method beside."""

from __future__ import annotations

from msgspec.structs import replace

from steelyard.extensions.growth.curves import STEPS, model_curves
from steelyard.extensions.growth.scaling import Question, ScalingModel, model_all, series_of


def one(name, scales, value):
    return series_of(
        name, ("p",), [(float(p),) for p in scales], [(value(p),) for p in scales], metric="t", unit="s"
    )


def models_of(series, question):
    return [item for item in model_all(series, question) if isinstance(item, ScalingModel)]


def test_the_first_have_predictions_along_the_series_and_the_others_none():
    question = Question()
    series = [one(name, (16, 32, 64, 128, 256), lambda p: 3 + 2 * p) for name in ("a", "b")]
    first, second = model_curves(series, models_of(series, question), question, drawable=1)
    assert len(first[1].predictions) == STEPS
    assert (first[1].predictions[0].at, first[1].predictions[-1].at) == ((16.0,), (256.0,))
    assert first[2] is not None
    assert first[2].growth() == "O(p)"
    assert len(first[2].predictions) == STEPS
    assert (second[1].predictions, second[2]) == ((), None)


def test_functions_of_one_name_are_told_apart_by_their_labels():
    question = Question()
    series = [
        replace(one("a", (16, 32, 64, 128, 256), lambda p, c=c: c * p), labels={"phase": phase})
        for phase, c in (("in", 2), ("out", 5))
    ]
    drawn = model_curves(series, models_of(series, question), question, drawable=12)
    assert [function.labels for function, _, _ in drawn] == [{"phase": "in"}, {"phase": "out"}]
    assert [model.labels for _, model, _ in drawn] == [{"phase": "in"}, {"phase": "out"}]


def test_a_series_that_begins_below_1_is_predicted_at_its_points():
    question = Question()
    series = [one("a", (0.25, 0.5, 1, 2, 4), lambda p: 3 + 2 * p)]
    ((_, model, _),) = model_curves(series, models_of(series, question), question, drawable=12)
    assert [prediction.at[0] for prediction in model.predictions] == [0.25, 0.5, 1, 2, 4]


def test_the_published_method_stands_beside_itself_once():
    question = Question(method="seed001", space="wide")
    series = [one("a", (16, 32, 64, 128, 256), lambda p: 3 + 2 * p)]
    ((_, _, beside),) = model_curves(series, models_of(series, question), question, drawable=12)
    assert beside is None


def test_functions_of_two_parameters_are_left_out():
    at = [(float(p), float(n)) for p in (1, 2, 4, 8, 16) for n in (1, 2, 4, 8, 16)]
    series = [series_of("a", ("p", "n"), at, [(3 + p * n,) for p, n in at], metric="t", unit="s")]
    question = Question()
    assert model_curves(series, models_of(series, question), question, drawable=12) == []
