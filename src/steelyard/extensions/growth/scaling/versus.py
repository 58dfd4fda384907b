"""Model against model: how many times one function is another at a scale, and which grows faster."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.core.errors import UsageError
from steelyard.core.series import Series
from steelyard.core.units import Scalar
from steelyard.extensions.growth.algebra import Growth
from steelyard.extensions.growth.scaling.checks import read
from steelyard.extensions.growth.scaling.fit import MAY_SWITCH, fit
from steelyard.extensions.growth.scaling.foresee import weighted_quantiles
from steelyard.extensions.growth.scaling.model import NotModelled, ScalingModel
from steelyard.extensions.growth.scaling.modelling import grid_of, model, summarise
from steelyard.extensions.growth.scaling.posterior import draw
from steelyard.extensions.growth.scaling.question import Question
from steelyard.extensions.growth.scaling.rates import is_modelled_as_time, reciprocal

SMALLEST: Final = 1e-150
LARGEST: Final = 1e150
"""Values beyond are taken for these, so that every ratio is a number."""


class Versus(msgspec.Struct, frozen=True):
    """One function against another.

    Attributes
    ----------
    function, second : ScalingModel
    at : tuple of float
        The scale, one coordinate for each parameter.
    ratio : float
        The function's value over the second's there, by the formulas.
    low, high : float
        95 % interval of it, from both posteriors, taken as independent.
    larger : float
        Probability that the function's value is the larger one there.
    divergence : Growth
        Of the leading terms, for the first parameter.
    grows_faster, grows_alike : float
        Probability that its leading term is the faster one, and that both have the same.
    """

    function: ScalingModel
    second: ScalingModel
    at: tuple[float, ...]
    ratio: float
    low: float
    high: float
    larger: float
    divergence: Growth
    grows_faster: float
    grows_alike: float


def versus(
    function: Series, series: Series, question: Question | None = None, at: Mapping[str, float] | None = None
) -> Versus | NotModelled:
    """Compare two functions of the same parameters.

    Parameters
    ----------
    at : mapping, optional
        The scale; where a parameter is not named, the largest value that both were measured at.

    Raises
    ------
    UsageError
        They have other parameters or units; the method is that of Shudler et al. 2019.
    """
    if (function.parameters, function.unit) != (series.parameters, series.unit):
        raise UsageError(
            f"{function.name} and {series.name} differ in parameters or unit, so they have no ratio",
            hint="compare functions of the same metric over the same parameters",
        )
    full = replace(question or Question(), every_lead=True)
    if full.method == "seed001":
        raise UsageError(
            "the method seed001 states no probability, so it cannot say which is larger",
            hint="compare by --method posterior",
        )
    target = _target(function, series, at or {})
    models: list[ScalingModel] = []
    for side in (function, series):
        answer = model(side, full)
        if isinstance(answer, NotModelled):
            return answer
        models.append(answer)
    mine, scaling_model = models
    values, weights = zip(*(_align_values(side, full, target) for side in (function, series)), strict=True)
    # In logarithms, since an exponential leaves the range of double long before its ratio does.
    mine_logs, its_logs = (np.log(np.clip(value, SMALLEST, LARGEST)) for value in values)
    logs = np.subtract.outer(mine_logs, its_logs).ravel()
    weight = np.outer(*weights).ravel()
    low, middle, high = (float(np.exp(log)) for log in weighted_quantiles(logs, weight))
    point = tuple(map(float, target))
    above, below = mine.at(*point), scaling_model.at(*point)
    # Formulas may leave that range too, or come down to 0; the posterior's median stands for them then.
    ratio = above / below if 0 < above < LARGEST and 0 < below < LARGEST else middle
    faster, alike = _compute_growth(mine, scaling_model)
    return Versus(
        function=mine,
        second=scaling_model,
        at=point,
        ratio=ratio,
        low=min(low, ratio),
        high=max(high, ratio),
        larger=float(weight[logs > 0].sum() / weight.sum()),
        divergence=mine.lead[0] / scaling_model.lead[0],
        grows_faster=faster,
        grows_alike=alike,
    )


def pair_levels(series: Sequence[Series], label: str) -> list[tuple[Series, Series]]:
    """Pairs that differ in ``label`` alone: each level against the first.

    Raises
    ------
    UsageError
        No two functions differ in it alone.
    """
    groups: dict[tuple[str, tuple[tuple[str, Scalar], ...]], list[Series]] = {}
    for function in series:
        if label in function.labels:
            rest = tuple(sorted((k, v) for k, v in function.labels.items() if k != label))
            groups.setdefault((function.metric, rest), []).append(function)
    pairs = [(function, first) for first, *rest in groups.values() for function in rest]
    if not pairs:
        text = ", ".join(dict.fromkeys(name for function in series for name in function.labels)) or "none"
        raise UsageError(
            f"no two functions differ in {label!r} alone", hint=f"name one of the labels: {text}"
        )
    return pairs


def _target(function: Series, series: Series, at: Mapping[str, float]) -> Floats:
    def largest(place: int) -> float:
        return min(max(point.at[place] for point in side.points) for side in (function, series))

    return np.array([at.get(name, largest(place)) for place, name in enumerate(function.parameters)], float)


def _align_values(series: Series, question: Question, target: Floats) -> tuple[Floats, Floats]:
    """Values at a scale out of the posterior, and their weights."""
    times = reciprocal(series) if is_modelled_as_time(series) else series
    reading = times if isinstance(times, NotModelled) else read(times)
    if isinstance(reading, NotModelled) or isinstance(times, NotModelled):
        raise TypeError("it was modelled before")
    data = summarise([reading], question)
    source = fit(grid_of(times, reading, question), data, question, target[None]).source(0)
    values = draw(source.choices.posterior).at_row(source.row, target)
    weight = np.full(len(values), 1.0)
    if source.switch > MAY_SWITCH:
        later = draw(source.pieces[-1].choices.posterior).at_row(source.at, target)
        values = np.concatenate([values, later])
        weight = np.concatenate([weight * (1 - source.switch), np.full(len(later), source.switch)])
    if times is not series:
        values = 1 / np.maximum(values, SMALLEST)
    return values, weight


def _compute_growth(mine: ScalingModel, scaling_model: ScalingModel) -> tuple[float, float]:
    """Probability that the first lead is faster, and that both are equal.

    Each has a third of what no lead accounts for.
    """
    faster = alike = total = 0.0
    for (a, p), (b, q) in itertools.product(_get_leads(mine), _get_leads(scaling_model)):
        total += p * q
        faster += p * q * (a > b)
        alike += p * q * (a == b)
    unknown = (1 - total) / 3
    return faster + unknown, alike + unknown


def _get_leads(scaling_model: ScalingModel) -> list[tuple[Growth, float]]:
    return [
        (scaling_model.lead[0], scaling_model.posterior),
        *((lead[0], p) for lead, p in scaling_model.alternatives),
    ]
