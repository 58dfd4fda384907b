"""Models of exact counts: the exact formula in place of the posterior's, and intervals of no width."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from steelyard.core.series import Series
from steelyard.extensions.growth.scaling.checks import SeriesArrays
from steelyard.extensions.growth.scaling.exact import ExactFormula, exact_formula
from steelyard.extensions.growth.scaling.model import ModelWarning, Prediction, ScalingModel, Term
from steelyard.extensions.growth.scaling.validation import Asked, rank_of_one, validation_of

OF_DATA: Final = frozenset({"simulated", "crowded", "left_out", "far", "direction", "given_leading_term"})
"""Warnings that hold of an exact formula, too."""


def is_exact(series: Series) -> bool:
    """Whether a function of one parameter has one whole number a point, which its repetitions repeat."""
    alike = all(len(set(point.values)) == 1 for point in series.points)
    integral = all(value >= 0 and value % 1 == 0 for point in series.points for value in point.values[:1])
    return len(series.parameters) == 1 and alike and integral and not series.incomplete


def state_exactly(model: ScalingModel, reading: SeriesArrays, question: Asked | None) -> ScalingModel:
    """Return the model by the exact formula of its counts; the model itself where there is none."""
    if not reading.series.counts or not is_exact(reading.series):
        return model
    scales, values = reading.grid[:, 0].tolist(), reading.means.tolist()
    formula = exact_formula(scales, values)
    return model if formula is None else _replace(model, formula, len(scales), question)


def _replace(model: ScalingModel, formula: ExactFormula, points: int, question: Asked | None) -> ScalingModel:
    lead = formula.terms[0][0]
    sure = 1 - 2.0**-formula.bits
    constant = sum(float(number) for growth, number in formula.terms if growth.is_constant)
    growing = [(growth, number) for growth, number in formula.terms if not growth.is_constant]
    terms = tuple(Term(float(number), (growth,)) for growth, number in growing)
    exact = replace(
        model,
        constant=constant,
        terms=terms,
        lead=(lead,),
        leading=((lead,),),
        posterior=sure,
        alternatives=(),
        lack_of_fit=None,
        r2=1.0 if terms else None,
        segments=(),
    )
    predictions = []
    for prediction in model.predictions:
        value = exact.at(*prediction.at)
        predictions.append(Prediction(prediction.at, value, value, value))
    validation = model.validation
    if validation is not None and question is not None:
        scale = validation.scale
        at_scale = None if scale is None else rank_of_one(lead, question, scale)
        validation = validation_of(question, lead, rank_of_one(lead, question, None), scale, at_scale)
    words = f"exact: {len(formula.terms)} of {points} counts determine the formula, and it meets the others"
    notes = [warning for warning in model.warnings if warning.kind in OF_DATA]
    return replace(
        exact,
        predictions=tuple(predictions),
        validation=validation,
        warnings=(*notes, ModelWarning("exact", words)),
    )
