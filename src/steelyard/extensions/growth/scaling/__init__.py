"""Scaling models: how a metric grows with a parameter, how sure that is, and whether it grows as expected."""

from __future__ import annotations

from steelyard.core.series import Point, Series, series_of
from steelyard.extensions.growth.scaling.frame import series_of_frame
from steelyard.extensions.growth.scaling.model import (
    ModelWarning,
    NotModelled,
    Prediction,
    ScalingModel,
    Validation,
)
from steelyard.extensions.growth.scaling.modelling import model, model_all
from steelyard.extensions.growth.scaling.question import Expectation, Question
from steelyard.extensions.growth.scaling.versus import Versus, versus

__all__ = [
    "Expectation",
    "ModelWarning",
    "NotModelled",
    "Point",
    "Prediction",
    "Question",
    "ScalingModel",
    "Series",
    "Validation",
    "Versus",
    "model",
    "model_all",
    "series_of",
    "series_of_frame",
    "versus",
]
