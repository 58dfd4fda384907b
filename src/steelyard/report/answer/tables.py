"""The tables of an answer.

They show what was measured, pair by pair where one column cannot hold that, and the other metrics.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from steelyard.core.units import Metric, Scalar
from steelyard.report.answer import effects
from steelyard.report.answer.presentation import Presentation, identify_row
from steelyard.report.answer.words import is_speed, outcome, verdict
from steelyard.report.text.box import format_boxes
from steelyard.report.text.cells import (
    name_cell,
    note_omitted,
    render_interval_cell,
    render_p_cell,
    render_ratio_cell,
)
from steelyard.report.text.digits import Scale, quantity, scale
from steelyard.report.text.factor_columns import render_baseline_column, render_treatment_columns
from steelyard.report.text.label import printable
from steelyard.report.text.line import Line, Span
from steelyard.report.text.table import MOST_ROWS, Column, table
from steelyard.results.undefined import Undefined

if TYPE_CHECKING:
    from steelyard.results.analysis import Answer
    from steelyard.results.comparison import Comparison
    from steelyard.results.samples import Described, Summary

PREFIXES: Final = {"microsecond": "µ", "millisecond": "m", "second": ""}
"""Of the units of time that hyperfine knows."""
_BOX: Final = 16
"""Columns of a box plot."""
_BESIDE: Final = {"cpu_s": "CPU", "rss_bytes": "memory"}
"""Metrics of every run that stand beside elapsed time, to the titles of their columns."""


def render_overview(view: Presentation, time_unit: str | None = None) -> list[Line]:
    """One row for each sample of the primary metric: mean, uncertainty, range, verdict, and a box plot."""
    answer = view.answer
    every = primary(answer)
    descriptions = every[:MOST_ROWS]
    summaries = [sample.summary for sample in descriptions]
    shared, units = _make_units(summaries, answer.metric, time_unit)
    suffix = f" {shared}" if shared else ""
    rows = [*zip(summaries, units, strict=True)]
    columns = [
        *render_treatment_columns(
            [sample.treatment for sample in descriptions], view.factors, view.width // 3, answer.metric.name
        ),
        *_render_labels(
            [
                {k: v for k, v in sample.labels.items() if k not in view.shared_labels}
                for sample in descriptions
            ]
        ),
        Column.numbers(
            f"mean ± SE{suffix}",
            (_append_unit(_format_mean_and_u(summary, unit), unit, shared) for summary, unit in rows),
        ),
        Column.numbers("min … max", (_format_range(summary, unit) for summary, unit in rows)),
    ]
    if view.tells_each:
        columns.append(Column("verdict", view.list_verdicts(descriptions, outcome), right=False))
    columns += _describe_beside(answer, descriptions)
    plots = [Span(plot) for plot in format_boxes(summaries, _BOX)]
    columns.append(Column("distribution", plots, right=False, give_way=1))
    return [*table(columns, view.width), *note_omitted(len(every) - len(descriptions))]


def _describe_beside(answer: Answer, rows: Sequence[Described]) -> list[Column]:
    """Means of CPU time and memory beside those of elapsed time; the first to give way."""
    if answer.metric.name != "wall_s":
        return []
    described = {(s.metric.name, identify_row(s.treatment.id, s.labels)): s for s in answer.samples}
    columns = []
    for place, (name, title) in enumerate(_BESIDE.items(), 2):
        samples = [described.get((name, identify_row(sample.treatment.id, sample.labels))) for sample in rows]
        observed = [sample for sample in samples if sample is not None]
        if len(observed) != len(samples):
            continue
        summaries = [sample.summary for sample in observed]
        unit = _make_unit(summaries, observed[0].metric)
        cells = [Span(unit.text(summary.mean)) for summary in summaries]
        columns.append(Column(f"{title} {unit.unit}".rstrip(), cells, give_way=place))
    return columns


def _format_mean_and_u(summary: Summary, unit: Scale) -> str:
    if summary.mean is None or summary.u is None:
        return unit.text(summary.mean)
    return f"{unit.text(summary.mean)} ± {unit.text(summary.u)}"


def _format_range(summary: Summary, unit: Scale) -> str:
    coarse = replace(unit, decimals=max(0, unit.decimals - 1))
    return f"{coarse.text(summary.min)} … {coarse.text(summary.max)}"


def _append_unit(text: str, unit: Scale, shared: str | None) -> str:
    """Return a cell with the unit of its row, unless all rows share one."""
    return text if shared is not None or text == "–" else f"{text} {unit.unit}".rstrip()


def render_samples(view: Presentation) -> list[Line]:
    """One row for each sample of the primary metric; with its comparison where it has one only."""
    every = primary(view.answer)
    descriptions = every[:MOST_ROWS]
    return [
        *table(measured_columns(view, descriptions), view.width),
        *note_omitted(len(every) - len(descriptions)),
    ]


def primary(answer: Answer) -> list[Described]:
    """Return the samples of the primary metric."""
    return [sample for sample in answer.samples if sample.metric.name == answer.metric.name]


def measured_columns(view: Presentation, describeds: Sequence[Described]) -> list[Column]:
    """Return the columns of these samples of the primary metric."""
    columns = [
        *render_treatment_columns([sample.treatment for sample in describeds], view.factors, view.room),
        *_render_labels([sample.labels for sample in describeds]),
        *_render_summaries(describeds, view.answer.metric),
    ]
    if view.tells_each:
        columns += _render_comparisons(view.find_comparisons(describeds), view.answer)
        columns.append(Column("verdict", view.list_verdicts(describeds, verdict), right=False))
    return columns


def render_pairwise(view: Presentation) -> list[Line]:
    """One row for each comparison, where a treatment is in several."""
    if view.is_row_by_row:
        return []
    judged = view.answer.judged
    comparisons = judged[:MOST_ROWS]
    return [
        *table(pair_columns(view, comparisons), view.width),
        *note_omitted(len(judged) - len(comparisons)),
    ]


def pair_columns(view: Presentation, comparisons: Sequence[Comparison]) -> list[Column]:
    """Return the columns of these comparisons."""
    return [
        *(
            named := render_treatment_columns(
                [comparison.treatment for comparison in comparisons], view.factors, view.width // 2
            )
        ),
        render_baseline_column(
            [(comparison.treatment, comparison.baseline) for comparison in comparisons],
            view.factors if len(named) > 1 else (),
        ),
        *_render_labels([comparison.labels for comparison in comparisons]),
        *_render_comparisons(comparisons, view.answer),
        Column("verdict", [Span(*verdict(comparison)) for comparison in comparisons], right=False),
    ]


def other_metrics(view: Presentation, metrics: Collection[str] = ()) -> list[Line]:
    """Means and ratios of the metrics that carry no verdict: of ``metrics``, or of all."""
    answer, width = view.answer, view.width
    if answer.effects_beside and view.leads_with_effects:
        return effects.render_beside(answer, width)
    comparisons = [
        comparison
        for comparison in answer.comparisons
        if comparison.metric.name != answer.metric.name and (not metrics or comparison.metric.name in metrics)
    ]
    if not answer.comparisons:
        return _render_alone(view, metrics)
    if not comparisons:
        return []
    listed = comparisons[:MOST_ROWS]
    return [*table(other_columns(view, listed), width), *note_omitted(len(comparisons) - len(listed))]


def other_columns(view: Presentation, comparisons: Sequence[Comparison]) -> list[Column]:
    """Return the columns of these comparisons of metrics that carry no verdict."""
    samples = {(s.metric.name, identify_row(s.treatment.id, s.labels)): s for s in view.answer.samples}

    def mean(comparison: Comparison, treatment: int) -> Span:
        sample = samples[comparison.metric.name, identify_row(treatment, comparison.labels)]
        return _render_quantity(sample, sample.summary.mean, sample.summary.u)

    return [
        Column("also measured", [name_cell(c.metric.name) for c in comparisons], right=False, is_name=True),
        *_render_labels([comparison.labels for comparison in comparisons]),
        Column("baseline", [mean(c, c.baseline.id) for c in comparisons], give_way=1),
        *render_treatment_columns(
            [comparison.treatment for comparison in comparisons], view.factors, view.width // 2
        ),
        Column("mean", [mean(c, c.treatment.id) for c in comparisons]),
        Column("× better", [render_ratio_cell(_compute_value(c), c.ci95) for c in comparisons]),
        Column(
            "95 % CI",
            [render_interval_cell(_compute_value(c), c.ci95) for c in comparisons],
            right=False,
            give_way=2,
        ),
    ]


def _render_alone(view: Presentation, metrics: Collection[str] = ()) -> list[Line]:
    """Means of the other metrics where nothing is compared."""
    answer = view.answer
    descriptions = [
        sample
        for sample in answer.samples
        if sample.metric.name != answer.metric.name and (not metrics or sample.metric.name in metrics)
    ]
    if not descriptions:
        return []
    listed = descriptions[:MOST_ROWS]
    several = len({sample.treatment.id for sample in listed}) > 1
    names = render_treatment_columns([sample.treatment for sample in listed], view.factors, view.width // 2)
    columns = [
        Column("also measured", [name_cell(s.metric.name) for s in listed], right=False, is_name=True),
        *_render_labels([sample.labels for sample in listed]),
        *(names if several else []),
        Column("mean", [_render_quantity(s, s.summary.mean, s.summary.u) for s in listed]),
        Column("s", [_render_quantity(s, s.summary.s, None) for s in listed]),
    ]
    return [*table(columns, view.width), *note_omitted(len(descriptions) - len(listed))]


def _render_quantity(sample: Described, value: float | None, uncertainty: float | None) -> Span:
    return Span("–" if value is None else quantity(value, sample.metric.unit, uncertainty))


def _render_labels(rows: Sequence[Mapping[str, Scalar]]) -> list[Column]:
    """Return a column for each label that a program put on its values."""
    names = dict.fromkeys(name for row in rows for name in row)
    cells = {name: [name_cell(str(row.get(name, ""))) for row in rows] for name in names}
    return [Column(printable(name), cells[name], right=False, is_name=True, kind="label") for name in names]


def _render_summaries(samples: Sequence[Described], metric: Metric) -> list[Column]:
    summaries = [sample.summary for sample in samples]
    shared, units = _make_units(summaries, metric)
    suffix = f" {shared}" if shared else ""
    rows = [*zip(summaries, units, strict=True)]
    # The median is shown where it tells another story than the mean.
    skewed = any(s.mean and s.median and s.u and abs(s.mean - s.median) > 2 * s.u for s in summaries)
    columns = [
        Column.numbers("runs", (str(summary.n) for summary in summaries), give_way=3),
        Column.numbers(
            f"mean{suffix}", (_append_unit(unit.text(summary.mean), unit, shared) for summary, unit in rows)
        ),
        Column.numbers(f"s{suffix}", (unit.text(summary.s) for summary, unit in rows), give_way=4),
        Column.numbers(
            "CV %", ("–" if s.cv is None else _format_two_places(100 * s.cv) for s in summaries), give_way=2
        ),
    ]
    if skewed:
        medians = [Span(unit.text(summary.median)) for summary, unit in rows]
        columns.insert(2, Column(f"median{suffix}", medians, give_way=1))
    if any(sample.failures.failed for sample in samples):
        failed = [
            f"{s.failures.failed}/{s.failures.attempted}" if s.failures.failed else "0" for s in samples
        ]
        columns.insert(1, Column("failed", [Span(cell, "bad" if cell != "0" else "") for cell in failed]))
    return columns


def _make_unit(summaries: Sequence[Summary], metric: Metric, time_unit: str | None = None) -> Scale:
    """One unit for all means; of times, the one that was asked for."""
    means = [summary.mean for summary in summaries if summary.mean is not None]
    uncertainties = [summary.u for summary in summaries if summary.u]
    return scale(means, uncertainties, metric.unit, prefix=PREFIXES.get(time_unit or ""))


def _make_units(
    summaries: Sequence[Summary], metric: Metric, time_unit: str | None = None
) -> tuple[str | None, Sequence[Scale]]:
    """Return the unit that all rows share, and that of each.

    ``None`` where one unit would hide digits of a mean, as those of microseconds beside seconds; then each
    row has its own.
    """
    unit = _make_unit(summaries, metric, time_unit)
    if time_unit is None and any(unit.hides(s.mean, s.u) for s in summaries if s.mean is not None):
        return None, [_make_unit([summary], metric) for summary in summaries]
    return unit.unit, [unit] * len(summaries)


def _render_comparisons(comparisons: Sequence[Comparison | None], answer: Answer) -> list[Column]:
    blank = Span("")
    adjusted = "p Holm" if answer.declared.error_rate == "familywise" else "p FDR"
    return [
        Column(
            "speedup" if is_speed(answer.metric) else "× better",
            [render_ratio_cell(_compute_value(c), c.ci95) if c else blank for c in comparisons],
        ),
        Column(
            "95 % CI",
            [render_interval_cell(_compute_value(c), c.ci95) if c else blank for c in comparisons],
            right=False,
            give_way=1,
        ),
        Column(adjusted, [render_p_cell(c.p_holm) if c else blank for c in comparisons], give_way=2),
    ]


def _compute_value(comparison: Comparison) -> float | None:
    return None if isinstance(comparison.speedup, Undefined) else comparison.speedup.value


def _format_two_places(value: float) -> str:
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}"
