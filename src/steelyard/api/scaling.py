"""Series and their models, expectations and rules of growth."""

from __future__ import annotations

from steelyard.core.series import Point, series_of
from steelyard.extensions.exchange.files import read_series
from steelyard.extensions.growth.algebra import Growth, half_deviation, parse_growth, parse_rule
from steelyard.extensions.growth.algebra import rank as rank_growth
from steelyard.extensions.growth.model import Modelled, ModelRequest, model_series
from steelyard.extensions.growth.scaling import (
    Expectation,
    ModelWarning,
    NotModelled,
    Prediction,
    Question,
    ScalingModel,
    Series,
    Validation,
    Versus,
    model_all,
    series_of_frame,
    versus,
)
from steelyard.extensions.growth.scaling.limit import Breaks as Exceeds
from steelyard.extensions.growth.scaling.limit import breaks as find_where_it_exceeds
from steelyard.extensions.growth.scaling.litmus import cause as find_cause
from steelyard.extensions.growth.scaling.question import Method
from steelyard.extensions.growth.scaling.rules import judge as judge_rule
from steelyard.extensions.growth.scaling.suggest import advise as suggest_points
from steelyard.lab.answer.series_of_record import series_of_record

__all__ = [
    "Exceeds",
    "Expectation",
    "Growth",
    "Method",
    "ModelRequest",
    "ModelWarning",
    "Modelled",
    "NotModelled",
    "Point",
    "Prediction",
    "Question",
    "ScalingModel",
    "Series",
    "Validation",
    "Versus",
    "find_cause",
    "find_where_it_exceeds",
    "half_deviation",
    "judge_rule",
    "model_all",
    "model_series",
    "parse_growth",
    "parse_rule",
    "rank_growth",
    "read_series",
    "series_of",
    "series_of_frame",
    "series_of_record",
    "suggest_points",
    "versus",
]
