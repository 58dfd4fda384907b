"""Answers on request: scales at which limits break, comparisons of functions, points to measure."""

from __future__ import annotations

from typing import Final

import msgspec

from steelyard.core.units import format_quantity
from steelyard.extensions.growth.holdouts import lines as holdout_lines
from steelyard.extensions.growth.scaling.holdout import Holdout
from steelyard.extensions.growth.scaling.limit import Breaks
from steelyard.extensions.growth.scaling.model import ScalingModel
from steelyard.extensions.growth.scaling.question import SURE
from steelyard.extensions.growth.scaling.suggest import Suggestion
from steelyard.extensions.growth.scaling.versus import Versus
from steelyard.report.text.digits import bounds, ratio, scale_text, share
from steelyard.report.text.line import Line, Span, render_paragraph
from steelyard.results.interval import Interval

MOST_POINTS: Final = 3


class After(msgspec.Struct, frozen=True):
    """Answers beside the models, each with the model that it is about."""

    limits: tuple[tuple[ScalingModel, Breaks], ...] = ()
    suggestions: tuple[tuple[ScalingModel, tuple[Suggestion, ...]], ...] = ()
    versus: tuple[Versus, ...] = ()
    holdouts: tuple[Holdout, ...] = ()


NOTHING: Final = After()


def lines(after: After, width: int = 80) -> list[Line]:
    """One sentence for each answer."""
    out: list[Line] = []
    if after.limits:
        out += [(), (Span("Limits", "heading"),)]
        out += [line for model, breaks in after.limits for line in _wrap(_limit(model, breaks), width)]
    if after.versus:
        out += [(), (Span("Against each other", "heading"),)]
        out += [line for versus in after.versus for line in _wrap(_format_versus(versus), width)]
    out += holdout_lines(after.holdouts, width)
    if after.suggestions:
        out += [(), (Span("Measure next", "heading"),)]
        out += [
            line
            for model, suggestions in after.suggestions
            for line in _wrap(_format_points(model, suggestions), width)
        ]
    return out


def _wrap(text: str, width: int) -> list[Line]:
    return render_paragraph(text, width, first="  ", rest="    ")


def _limit(model: ScalingModel, breaks: Breaks) -> str:
    name, limit = model.name or model.metric, format_quantity(breaks.limit, model.unit)
    text = ", ".join(f"{name} = {scale_text(x)}" for name, x in breaks.other_parameters.items())
    name += f" at {text}" if text else ""
    falls = f"{breaks.parameter} = {scale_text(breaks.above_until)}" if breaks.above_until else ""
    if breaks.at is None:
        over = f" over {breaks.parameter}" if text else ""
        begins = f"from {falls} on, " if falls else ""
        return f"{name}: stays below {limit} {begins}over the whole range searched{over}"
    ends = [scale_text(end) if end is not None else "never" for end in (breaks.earliest, breaks.latest)]
    first = f"up to {falls}, and again " if falls else ""
    place = f"{breaks.parameter} = {scale_text(breaks.at)}"
    between = "" if model.method == "seed001" else f" (95 %: {ends[0]} to {ends[1]})"
    return f"{name}: above {limit} {first}from {place} on{between}"


def _format_versus(versus: Versus) -> str:
    function, text = (model.name or model.metric for model in (versus.function, versus.second))
    at = ", ".join(
        f"{n} = {scale_text(x)}" for n, x in zip(versus.function.parameters, versus.at, strict=True)
    )
    surer, word = max((versus.larger, "larger"), (1 - versus.larger, "smaller"))
    sure = f"{share(surer)} sure that it is {word}" if surer >= SURE else "which is larger is not resolved"
    interval = Interval(versus.low, versus.high)
    between = f"95 %: {bounds(versus.ratio, interval)}"
    size = f"{ratio(versus.ratio, interval)} × {text} at {at}"
    return f"{function}: {size} ({between}; {sure}); {_format_growth(versus)}"


def _format_growth(versus: Versus) -> str:
    slower = 1 - versus.grows_faster - versus.grows_alike
    if versus.grows_alike >= SURE:
        return f"grows alike ({share(versus.grows_alike)} sure)"
    if versus.grows_faster >= SURE:
        by = versus.divergence.big_o(versus.function.parameters[0])
        return f"grows faster, by {by} ({share(versus.grows_faster)} sure)"
    if slower >= SURE:
        return f"grows more slowly ({share(slower)} sure)"
    parts = ((versus.grows_faster, "faster"), (versus.grows_alike, "alike"), (slower, "more slowly"))
    text = ", ".join(f"{share(p)} {word}" for p, word in parts if p >= 0.01)
    return f"which grows faster is not resolved ({text})"


def _format_points(model: ScalingModel, suggestions: tuple[Suggestion, ...]) -> str:
    name = model.name or model.metric
    settling = [suggestion for suggestion in suggestions if suggestion.settles]
    if not suggestions:
        return f"{name}: no feasible point would add information"
    if not settling:
        best = suggestions[0]
        return (
            f"{name}: no single point would decide it; the most informative is {_format_place(model, best)}"
        )
    text = "; ".join(
        f"{_format_place(model, suggestion)} (costs {suggestion.cost:.2g} × the largest so far)"
        for suggestion in settling[:MOST_POINTS]
    )
    return f"{name}: {text}"


def _format_place(model: ScalingModel, suggestion: Suggestion) -> str:
    text = ", ".join(f"{name} = {x:g}" for name, x in zip(model.parameters, suggestion.at, strict=True))
    return f"{text}, expected certainty {100 * suggestion.certainty:.0f} %"
