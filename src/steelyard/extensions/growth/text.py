"""Scaling models as text: one line a function, worst first, then rules, predictions and warnings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from steelyard.core.units import format_quantity, format_unit
from steelyard.extensions.growth.algebra import Growth
from steelyard.extensions.growth.scaling.litmus import Cause
from steelyard.extensions.growth.scaling.model import NotModelled, RankAnswer, ScalingModel, Validation
from steelyard.report.text.digits import share
from steelyard.report.text.label import plural, printable, shorten
from steelyard.report.text.line import Line, Span, Style, render_paragraph
from steelyard.report.text.table import Column, table

SIGNS: Final[dict[RankAnswer, str]] = {"match": "✓", "approximate": "≈", "none": "✗", "undecided": "?"}
STYLES: Final[dict[RankAnswer, Style]] = {
    "match": "good",
    "approximate": "",
    "none": "bad",
    "undecided": "open",
}
_WORST: Final[dict[RankAnswer, int]] = {"none": 0, "undecided": 1, "approximate": 2, "match": 3}
_CAUSES: Final[dict[Cause, str]] = {
    "machine": "the litmus test misses its expectation too: the machine is the likely cause",
    "library": "the litmus test keeps its expectation: the library is the likely cause",
    "unknown": "the litmus test itself is undecided",
}
MOST_NOTES: Final = 12
NAME: Final = 44


def lines(
    models: Sequence[ScalingModel],
    failed: Sequence[NotModelled],
    rule_lines: Sequence[Line],
    causes: Sequence[Cause | None],
    width: int = 80,
) -> list[Line]:
    """Render models, verdicts on rules (``rule_lines``) and warnings in the order in which they matter."""
    ordered = sorted(zip(models, causes, strict=True), key=lambda pair: _compute_badness(pair[0]))
    scaling_models = [model for model, _ in ordered]
    out: list[Line] = []
    if scaling_models:
        out += [*_render_summary(scaling_models, width), *table(model_columns(scaling_models), width)]
    out += rule_lines
    notes = _render_notes(ordered, width)
    if notes:
        out += [(), (Span("Warnings", "heading"),), *notes]
    if failed:
        out += [(), (Span("Not modelled", "heading"),)]
        for modelled in failed[:MOST_NOTES]:
            out += render_paragraph(
                f"{_name(modelled.name, modelled.metric)}: {modelled.reason}", width, first="  ", rest="    "
            )
        if len(failed) > MOST_NOTES:
            out.append((Span(f"  … and {len(failed) - MOST_NOTES} more"),))
    return out


def _compute_badness(model: ScalingModel) -> tuple[int, float, str, str]:
    """Worst rank first, then fastest growth, then name."""
    rank = _WORST[model.validation.rank] if model.validation is not None else 4
    return (rank, -_compare_speed(model.lead), model.name, model.metric)


@lru_cache(maxsize=4096)
def _compare_speed(lead: tuple[Growth, ...]) -> float:
    return max((float(g.exp2) * 1e6 + float(g.power) + float(g.log) * 1e-3 for g in lead), default=0.0)


def _render_summary(models: Sequence[ScalingModel], width: int) -> list[Line]:
    ranks = Counter(m.validation.rank for m in models if m.validation is not None)
    if not ranks:
        return []
    words = {
        "match": "match",
        "approximate": "approximate match",
        "none": "no match",
        "undecided": "undecided",
    }
    total = sum(ranks.values())
    parts = [words[rank] if total == 1 else f"{ranks[rank]} {words[rank]}" for rank in SIGNS if ranks[rank]]
    text = f"{plural(total, 'expectation')}: {', '.join(parts)}."
    return [*render_paragraph(text, width, style="heading"), ()]


def _name(name: str, metric: str) -> str:
    return printable(shorten(_format_leaf(name), NAME)) if name else metric


def _format_leaf(name: str) -> str:
    """Return the last function of a call path."""
    return name.rsplit("->", 1)[-1]


def _shorten_names(names: Sequence[str]) -> list[str]:
    """Call paths by their last function, where that tells them apart."""
    leaves = Counter({_format_leaf(name) for name in names})
    distinct = len(leaves) == len(set(names))
    return [_format_leaf(name) if distinct else name for name in names]


def model_columns(models: Sequence[ScalingModel]) -> list[Column]:
    """Return the columns of these models."""
    columns = []
    if any(m.validation for m in models):
        signs = [m.validation.rank if m.validation else None for m in models]
        columns.append(Column("", [Span(SIGNS[r], STYLES[r]) if r else Span("") for r in signs], right=False))
    columns.append(
        Column.words(
            "function",
            (printable(name or "–") for name in _shorten_names([m.name for m in models])),
            is_name=True,
        )
    )
    if len({m.metric for m in models}) > 1:
        columns.append(Column.words("metric", (m.metric for m in models)))
    columns.append(Column.words("growth", (m.growth() for m in models)))
    columns.append(Column.numbers("sure", (_format_sure(m.growth_probability) for m in models), give_way=4))
    if any(m.validation for m in models):
        validations = [m.validation for m in models]
        columns.append(
            Column.words("expected", (_format_expected(v) if v else "" for v in validations), give_way=1)
        )
        ranks = [m.rank_probability for m in models]
        columns.append(Column.numbers("rank sure", (_format_sure(p) for p in ranks), give_way=4))
        columns.append(Column.words("D", (v.deviation if v else "" for v in validations), give_way=2))
        delta = [Span(v.divergence.big_o(v.parameter) if v else "") for v in validations]
        columns.append(Column("divergence", delta, right=False, give_way=2))
        at = [SIGNS[v.rank_at_scale] if v and v.rank_at_scale else "" for v in validations]
        if any(at):
            scale = next(v.scale for v in validations if v and v.scale is not None)
            columns.append(Column.words(f"at {scale:g}", (sign for sign in at), give_way=3))
    for number in range(max((len(m.predictions) for m in models), default=0)):
        cells = [Span(_format_prediction(m, number)) for m in models]
        first = next(m for m in models if len(m.predictions) > number)
        text = ", ".join(
            f"{n} = {x:g}" for n, x in zip(first.parameters, first.predictions[number].at, strict=True)
        )
        columns.append(Column(text, cells, right=False))
    columns.append(Column.words("model", (_format_formula(m) for m in models), give_way=5))
    return columns


def _format_sure(probability: float | None) -> str:
    return "–" if probability is None else share(probability)


def _format_expected(validation: Validation) -> str:
    bound = format_bound(validation)
    return validation.expectation if bound == "expected" else f"{bound} {validation.expectation}"


def format_bound(validation: Validation) -> str:
    """Return in words which kind of expectation it is."""
    return "at most" if validation.at_most else "at least" if validation.at_least else "expected"


def _format_formula(model: ScalingModel) -> str:
    return model.text() + (f"  ({unit})" if (unit := format_unit(model.unit)) else "")


def _format_prediction(model: ScalingModel, number: int) -> str:
    if len(model.predictions) <= number:
        return ""
    prediction = model.predictions[number]
    value = format_quantity(prediction.value, model.unit)
    if prediction.low is None or prediction.high is None:
        return value
    low, high = format_quantity(prediction.low, model.unit), format_quantity(prediction.high, model.unit)
    return f"{value} [{low}, {high}]"


def _render_notes(ordered: Sequence[tuple[ScalingModel, Cause | None]], width: int) -> list[Line]:
    """Warnings that many functions share are said once."""
    groups: dict[str, list[str]] = {}
    for model, blamed in ordered:
        name = _name(model.name, model.metric)
        for warning in model.warnings:
            groups.setdefault(warning.words, []).append(name)
        if blamed is not None:
            groups.setdefault(_CAUSES[blamed], []).append(name)
    out: list[Line] = []
    for words, names in list(groups.items())[:MOST_NOTES]:
        text = (
            "all"
            if len(names) == len(ordered) > 1
            else (names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more")
        )
        out += render_paragraph(f"{text}: {words}", width, first="  ", rest="    ")
    if len(groups) > MOST_NOTES:
        out.append((Span(f"  … and {len(groups) - MOST_NOTES} more (--json has all)"),))
    return out
