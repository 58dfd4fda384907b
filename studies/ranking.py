"""Ranks of a paper's tables: models of points by its method and by ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from parts import SIGNS

from steelyard.api.scaling import Expectation, Growth, Method, Question, ScalingModel, model_all, series_of

METHODS: Final[tuple[Method, ...]] = ("seed001", "posterior")
"""The paper's and ours."""


def model_points(
    points: Mapping[float, float],
    expectation: str,
    *,
    parameter: str,
    method: Method,
    space: str | tuple[str, ...],
    deviation: str = "half",
) -> ScalingModel:
    """Model points of one function, in seconds, by scale."""
    series = series_of(
        "cell",
        (parameter,),
        [(scale,) for scale in points],
        [(time_s,) for time_s in points.values()],
        metric="time_s",
        unit="s",
    )
    question = Question(
        method=method,
        space=space if method == "seed001" else "default",
        expectations={"cell": Expectation(expectation, deviation)},
        parameter=parameter,
    )
    (result,) = model_all([series], question)
    assert isinstance(result, ScalingModel)  # noqa: S101 -- five points and more have a model
    return result


def rank(model: ScalingModel) -> str:
    """The rank of a model that has an expectation."""
    checked = model.validation
    assert checked is not None  # noqa: S101 -- each has an expectation
    return checked.rank


def describe(model: ScalingModel) -> str:
    """Rank and growth."""
    return f"{SIGNS[rank(model)]} {model.growth()}"


def grows_more(model: ScalingModel) -> bool:
    """Whether a model grows faster than its expectation."""
    checked = model.validation
    assert checked is not None  # noqa: S101 -- each has an expectation
    return is_rising(checked.divergence)


def is_rising(divergence: Growth) -> bool:
    """Whether a growth over an expectation rises in the end: powers and logarithms, or factors 2^p."""
    near, far = (256.0, 512.0) if divergence.exp2 else (2.0**20, 2.0**40)
    return divergence.at(far) > divergence.at(near)
