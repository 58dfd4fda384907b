"""What a reader must know beside a model: how little it rests on, and where it does not hold."""

from __future__ import annotations

import numpy as np

from steelyard.extensions.growth.scaling.aggregate import SPIKE_RATIO
from steelyard.extensions.growth.scaling.checks import SeriesArrays
from steelyard.extensions.growth.scaling.model import ModelWarning, ScalingModel

ENOUGH_POINTS = 5
ENOUGH_LAUNCHES = 5
MISFIT = 0.01
"""p of lack of fit that is worth a word."""
LARGE_MISS = 0.02
"""Relative miss that is worth a word where the noise is not known."""
STEEP = 3.5
"""Power from which on the growth may be exponential."""
FAR = 16.0
"""Times the range beyond which a prediction is a guess about algorithms, not a statistical statement."""


def warnings_of(
    model: ScalingModel,
    reading: SeriesArrays,
    one_sided: float,
    *,
    edge: bool,
    blurred: bool,
    senseless: bool,
) -> tuple[ModelWarning, ...]:
    """All warnings that apply.

    ``edge``: the lead is the fastest term that was searched; ``blurred``: its law is not that of so much
    noise; ``senseless``: no formula makes sense.
    """
    out = _warn_of_points(model, reading)
    if model.launches < ENOUGH_LAUNCHES:
        out.append(_make_launches(model, reading))
    if model.lack_of_fit is None or model.lack_of_fit < MISFIT:
        out += _fit(model, reading)
    if reading.zeros:
        out.append(_make_zeros(reading))
    if one_sided > SPIKE_RATIO and model.aggregate == "lower-half":
        words = "noise is one-sided: the lower half of the repetitions is modelled"
        out.append(ModelWarning("one_sided", words))
    if edge or blurred or senseless or (model.terms and model.lead[0].power >= STEEP):
        out += _get_unclear(model, edge=edge, blurred=blurred, senseless=senseless)
    if model.segments:
        out.append(_make_segments(model))
    if model.terms and len(model.parameters) == 1:
        out += _warn_bounded(model) if model.lead[0].is_constant else _warn_dominated(model, reading)
    reaches = [x / most for p in model.predictions for x, most in zip(p.at, reading.largest, strict=True)]
    if reaches and max(reaches) > FAR:
        out.append(warn_of_distance(max(reaches)))
    return tuple(out)


def _warn_of_points(model: ScalingModel, reading: SeriesArrays) -> list[ModelWarning]:
    out: list[ModelWarning] = []
    for name, values, smallest in zip(model.parameters, reading.levels, reading.smallest, strict=True):
        if values < ENOUGH_POINTS:
            words = (
                f"only {values} values of {name}: the leading term is uncertain (use {ENOUGH_POINTS} or more)"
            )
            out.append(ModelWarning("few_points", words))
        if smallest < 1:
            out.append(ModelWarning("no_logarithms", f"{name} goes below 1: no logarithms were searched"))
    return out


def _make_segments(model: ScalingModel) -> ModelWarning:
    text = ", ".join(
        f"{a.end:g} and {b.start:g}" for a, b in zip(model.segments, model.segments[1:], strict=False)
    )
    change = f"behaviour changes between {model.parameters[0]} = {text}"
    return ModelWarning("segments", f"{change}; the model holds for the last range")


def _get_unclear(model: ScalingModel, *, edge: bool, blurred: bool, senseless: bool) -> list[ModelWarning]:
    out = []
    if senseless:
        words = "no formula stays positive over the range: the mean is shown, no rank is given"
        out.append(ModelWarning("no_formula", words))
    if blurred:
        words = "launches vary too much to identify the growth: run more launches per point"
        out.append(ModelWarning("noise", words))
    if edge:
        words = f"{model.growth()} is at the edge of the search space; true growth may be faster"
        out.append(ModelWarning("edge", words))
    if len(model.parameters) == 1 and model.lead[0].power >= STEEP and model.lead[0].exp2 == 0:
        name = model.parameters[0]
        words = f"as steep as {model.growth()}: exponentials are searched only with --expect 'O(2^{name})'"
        out.append(ModelWarning("edge", words))
    return out


def _make_zeros(reading: SeriesArrays) -> ModelWarning:
    words = f"{reading.zeros} points are 0" if reading.zeros > 1 else "1 point is 0"
    if reading.kinked:
        words += (
            ", which no growing term can be at several scales; no rank is given. Model the other points alone"
        )
    return ModelWarning("zeros", words)


def warn_of_distance(times: float) -> ModelWarning:
    """Warn of a prediction at so many times the largest scale that was measured."""
    return ModelWarning("far", f"extrapolates to {times:,.0f} times the largest measured scale")


def _fit(model: ScalingModel, reading: SeriesArrays) -> list[ModelWarning]:
    if model.lack_of_fit is not None:
        words = f"the formula misses the points by more than their noise (p = {model.lack_of_fit:.2g})"
        return [ModelWarning("lack_of_fit", words + _explain_no_change(model))]
    miss = _worst_miss(model, reading)
    words = f"the formula misses a point by {100 * miss:.1f} %{_explain_no_change(model)}"
    return [ModelWarning("lack_of_fit", words)] if miss > LARGE_MISS else []


def _explain_no_change(model: ScalingModel) -> str:
    """Where nobody looked for a switch, a reader must not take silence for its absence."""
    if len(model.parameters) == 1 or model.method == "seed001":
        return ""
    return "; changes of behaviour are searched only with one parameter"


def _make_launches(model: ScalingModel, reading: SeriesArrays) -> ModelWarning:
    if reading.values.shape[1] == 1 and reading.u is None:
        return ModelWarning("no_noise", "one value per point: noise is estimated from the misfit")
    if model.launches == 1:
        words = (
            "one launch per point: variation between launches is unknown and may exceed that of repetitions"
        )
        return ModelWarning("one_launch", words)
    words = (
        f"only {model.launches} launches per point: their spread is uncertain (run {ENOUGH_LAUNCHES} or more)"
    )
    return ModelWarning("few_launches", words)


def _worst_miss(model: ScalingModel, reading: SeriesArrays) -> float:
    value = reading.means
    start = model.segments[-1].start if model.segments else -np.inf
    misses = [
        abs(model.at(*map(float, point)) - v) / abs(v)
        for point, v in zip(reading.grid, value, strict=True)
        if v and point[0] >= start
    ]
    return max(misses, default=0.0)


def _warn_bounded(model: ScalingModel) -> list[ModelWarning]:
    """Return what ends in a constant, with the part that falls off: strong scaling and its serial part."""
    parts = " and ".join(term.growth[0].text(model.parameters[0]) for term in model.terms)
    rises = model.terms[0].coefficient < 0
    words = f"{'rises towards' if rises else 'falls to'} {model.constant:.3g}; the difference is {parts}"
    return [ModelWarning("bounded", words)]


def _warn_dominated(model: ScalingModel, reading: SeriesArrays) -> list[ModelWarning]:
    """Warn of a leading term that does not dominate in the range."""
    if len(model.terms) < 2:
        return []
    parts = [term.at(reading.largest) for term in model.terms]
    if parts[0] >= 0.5 * sum(parts):
        return []
    slower = max(model.terms[1:], key=lambda term: term.at(reading.largest))
    text = slower.growth[0].text(model.parameters[0])
    words = f"assumes the leading term: {text} dominates up to the largest point measured"
    return [ModelWarning("given_leading_term", words)]
