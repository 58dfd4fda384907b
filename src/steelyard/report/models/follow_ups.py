"""Answers on request: scales at which limits break, comparisons of functions, points to measure."""

from __future__ import annotations

from typing import Final

import msgspec

from steelyard.report.text.digits import scale_text, share
from steelyard.report.text.line import Line, Span, paragraph
from steelyard.scaling.limit import Breaks
from steelyard.scaling.model import ScalingModel
from steelyard.scaling.question import SURE
from steelyard.scaling.suggest import Suggestion
from steelyard.scaling.versus import Versus
from steelyard.units import format_quantity

MOST_POINTS: Final = 3


class After(msgspec.Struct, frozen=True):
    """Answers beside the models, each with the model that it is about."""

    limits: tuple[tuple[ScalingModel, Breaks], ...] = ()
    suggestions: tuple[tuple[ScalingModel, tuple[Suggestion, ...]], ...] = ()
    versus: tuple[Versus, ...] = ()


NOTHING: Final = After()


def lines(after: After, width: int = 80) -> list[Line]:
    """One sentence for each answer."""
    out: list[Line] = []
    if after.limits:
        out += [(), (Span("Limits", "heading"),)]
        out += [line for model, found in after.limits for line in _wrapped(_limit(model, found), width)]
    if after.versus:
        out += [(), (Span("Against each other", "heading"),)]
        out += [line for found in after.versus for line in _wrapped(_versus(found), width)]
    if after.suggestions:
        out += [(), (Span("Measure next", "heading"),)]
        out += [line for model, found in after.suggestions for line in _wrapped(_points(model, found), width)]
    return out


def _wrapped(text: str, width: int) -> list[Line]:
    return paragraph(text, width, first="  ", rest="    ")


def _limit(model: ScalingModel, found: Breaks) -> str:
    name, limit = model.name or model.metric, format_quantity(found.limit, model.unit)
    others = ", ".join(f"{other} = {scale_text(x)}" for other, x in found.others.items())
    name += f" at {others}" if others else ""
    falls = f"{found.parameter} = {scale_text(found.above_until)}" if found.above_until else ""
    if found.at is None:
        over = f" over {found.parameter}" if others else ""
        begins = f"from {falls} on, " if falls else ""
        return f"{name}: stays below {limit} {begins}over the whole range searched{over}"
    ends = [scale_text(end) if end is not None else "never" for end in (found.earliest, found.latest)]
    first = f"up to {falls}, and again " if falls else ""
    where = f"{found.parameter} = {scale_text(found.at)}"
    between = "" if model.method == "seed001" else f" (95 %: {ends[0]} to {ends[1]})"
    return f"{name}: above {limit} {first}from {where} on{between}"


def _versus(found: Versus) -> str:
    function, other = (model.name or model.metric for model in (found.function, found.other))
    at = ", ".join(f"{n} = {scale_text(x)}" for n, x in zip(found.function.parameters, found.at, strict=True))
    surer, which = max((found.larger, "larger"), (1 - found.larger, "smaller"))
    sure = f"{share(surer)} sure that it is {which}" if surer >= SURE else "which is larger is not resolved"
    between = f"95 %: {found.low:.3g} to {found.high:.3g}"
    return f"{function}: {found.ratio:.3g} × {other} at {at} ({between}; {sure}); {_growth(found)}"


def _growth(found: Versus) -> str:
    slower = 1 - found.grows_faster - found.grows_alike
    if found.grows_alike >= SURE:
        return f"grows alike ({share(found.grows_alike)} sure)"
    if found.grows_faster >= SURE:
        by = found.divergence.big_o(found.function.parameters[0])
        return f"grows faster, by {by} ({share(found.grows_faster)} sure)"
    if slower >= SURE:
        return f"grows more slowly ({share(slower)} sure)"
    parts = ((found.grows_faster, "faster"), (found.grows_alike, "alike"), (slower, "more slowly"))
    said = ", ".join(f"{share(p)} {word}" for p, word in parts if p >= 0.01)
    return f"which grows faster is not resolved ({said})"


def _points(model: ScalingModel, found: tuple[Suggestion, ...]) -> str:
    name = model.name or model.metric
    settling = [one for one in found if one.settles]
    if not found:
        return f"{name}: no feasible point would add information"
    if not settling:
        best = found[0]
        return f"{name}: no single point would decide it; the most informative is {_at(model, best)}"
    shown = "; ".join(
        f"{_at(model, one)} (costs {one.cost:.2g} × the largest so far)" for one in settling[:MOST_POINTS]
    )
    return f"{name}: {shown}"


def _at(model: ScalingModel, one: Suggestion) -> str:
    where = ", ".join(f"{name} = {x:g}" for name, x in zip(model.parameters, one.at, strict=True))
    return f"{where}, expected certainty {100 * one.certainty:.0f} %"
