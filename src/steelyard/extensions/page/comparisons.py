"""Comparisons: the effect of each treatment against its baseline, and what else was estimated of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from steelyard.report.answer.presentation import Presentation
from steelyard.report.answer.tables import measured_columns, other_columns, pair_columns, primary
from steelyard.report.answer.words import (
    format_comparative,
    format_size,
    is_inverted,
    is_speed,
    pair_name,
    verdict,
)
from steelyard.report.page.chart import WIDE, Chart, Section, name_shared
from steelyard.report.page.forest import Estimated, forest, rows
from steelyard.report.page.ratio_axis import name_directions
from steelyard.report.text.cells import render_interval_cell, render_ratio_cell
from steelyard.report.text.digits import percent
from steelyard.report.text.label import printable
from steelyard.report.text.table import Column
from steelyard.results.undefined import Undefined

if TYPE_CHECKING:
    from steelyard.report.answer.words import Names
    from steelyard.results.analysis import Answer
    from steelyard.results.comparison import Comparison
    from steelyard.results.interval import Interval

MOST_ROWS = 60
"""Comparisons of a chart; the table below has all."""


def section(answer: Answer, called: Names) -> Section | None:
    """Return the effect chart with its table, adjusted speedups, and the other metrics."""
    judged, view = answer.judged, Presentation(answer, WIDE)
    if not judged:
        samples = primary(answer)
        table = tuple(measured_columns(view, samples))
        labels = tuple(sample.treatment.label for sample in samples)
        return Section("comparison", "What was measured", tables=(("Samples", table, labels),))
    comparisons = [
        comparison for comparison in answer.comparisons if comparison.metric.name != answer.metric.name
    ]
    beside = tuple(other_columns(view, comparisons)) if comparisons else ()
    tables = (
        *_list_adjusted(judged, called),
        *((("Also measured", beside, _format_treatments(comparisons)),) if beside else ()),
    )
    return Section("comparison", "Comparison", charts=(_draw_effects(view, called),), tables=tables)


def _draw_effects(view: Presentation, called: Names) -> Chart:
    answer = view.answer
    predictions = {
        (
            context.baseline.id,
            context.treatment.id,
            *sorted(context.labels.items()),
        ): context.across.prediction
        for context in answer.contexts
    }
    several = len({comparison.baseline.id for comparison in answer.judged}) > 1
    rated = (_make_row(comparison, predictions, called, several=several) for comparison in answer.judged)
    estimates = [row for row in rated if row is not None]
    listed = estimates[:MOST_ROWS]
    margin = answer.declared.margin
    better = format_comparative(answer.metric, better=True)
    title = "" if is_speed(answer.metric) else printable(answer.metric.name)
    about = f"Right of 1 is {better}. Thick: 95 % confidence interval of the ratio."
    if any(estimate.prediction for estimate in listed):
        about += " Thin: where a new context would lie (95 % prediction interval)."
    if margin is not None:
        about += f" Band: the margin of {percent(margin)}, within which a difference does not matter."
    if len(estimates) > len(listed):
        about += f" The first {len(listed)} of {len(estimates)} comparisons; the table has all."
    against = "its baseline" if several else called[answer.judged[0].baseline.label]
    chart = Chart(
        name="effects",
        title=f"Each treatment against {against}",
        about=about,
        spec=forest(listed, title, margin, name_directions(answer.metric)),
        data={"rows": rows(listed)},
        columns=tuple(pair_columns(view, answer.judged)),
        rows_of=_format_treatments(answer.judged),
        empty="" if listed else "No ratio could be computed; the table says why.",
    )
    return name_shared(chart, [row.name for row in listed])


def _make_row(
    comparison: Comparison,
    predictions: dict[tuple[object, ...], Interval | None],
    called: Names,
    *,
    several: bool,
) -> Estimated | None:
    speedup = comparison.speedup
    if isinstance(speedup, Undefined):
        return None
    word, style = verdict(comparison)
    new = called[comparison.treatment.label]
    if several:
        new = pair_name(comparison.treatment, comparison.baseline, called)
    labels = [f"{key}={level}" for key, level in comparison.labels.items()]
    name = ", ".join([new, *labels])
    key = (comparison.baseline.id, comparison.treatment.id, *sorted(comparison.labels.items()))
    prediction = predictions.get(key)
    return Estimated(
        name,
        speedup.value,
        comparison.ci95,
        style,
        word,
        comparison.treatment.label,
        prediction,
        format_size(comparison),
        is_inverted(comparison),
    )


def _format_treatments(comparisons: list[Comparison] | tuple[Comparison, ...]) -> tuple[str, ...]:
    return tuple(comparison.treatment.label for comparison in comparisons)


def _list_adjusted(
    judged: tuple[Comparison, ...], called: Names
) -> tuple[tuple[str, tuple[Column, ...], tuple[str, ...]], ...]:
    adjusted = [(comparison, comparison.adjusted) for comparison in judged if comparison.adjusted is not None]
    if not adjusted:
        return ()
    columns = (
        Column.words("treatment", (called[comparison.treatment.label] for comparison, _ in adjusted)),
        Column.words("against", (called[comparison.baseline.label] for comparison, _ in adjusted)),
        Column("ratio of means", [render_ratio_cell(it.value, it.ci95) for _, it in adjusted]),
        Column("95 % CI", [render_interval_cell(it.value, it.ci95) for _, it in adjusted], right=False),
        Column.numbers("standard error", (f"{it.u:.2g}" for _, it in adjusted)),
        Column.numbers(
            "spread of one run of each",
            (f"{it.spread:.2g}" if math.isfinite(it.spread) else "–" for _, it in adjusted),
        ),
        Column.numbers(
            "resolvable", ("–" if e.resolvable is None else percent(e.resolvable) for e, _ in adjusted)
        ),
    )
    title = "Adjusted speedups, and the smallest difference that could have been detected"
    return ((title, columns, _format_treatments([comparison for comparison, _ in adjusted])),)
