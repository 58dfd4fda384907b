"""Adjusted speedups (Firoz et al. 2016) by name: S ± u, S ± spread, and the RSU of each mean."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from msgspec.structs import replace

from steelyard.core.sample import Treatment
from steelyard.report.text.cells import name_cell, note_omitted, render_interval_cell
from steelyard.report.text.digits import decimals, percent
from steelyard.report.text.line import Line, Span, render_paragraph
from steelyard.report.text.table import MOST_ROWS, Column, table
from steelyard.results.samples import Summary

if TYPE_CHECKING:
    from steelyard.results.analysis import Answer
    from steelyard.results.comparison import AdjustedSpeedup, Comparison

MOST_DECIMALS = 6


def lines(answer: Answer, width: int, *, details: bool = False) -> list[Line]:
    """One row for each comparison, where the experiment asks for the ratio of means or for ``spread``.

    In ``details``, rows are always there.
    """
    declared = answer.declared
    is_declared = declared.estimand == "ratio_of_means" or declared.uncertainty == "sample"
    every = [(c, speedup) for c in answer.judged if (speedup := c.adjusted) is not None]
    if not every or not (is_declared or details):
        return []
    listed = every[:MOST_ROWS]
    u = Column.words("S ± u (k = 1)", (_add(adjusted.value, adjusted.u) for _, adjusted in listed))
    spread = Column("S ± spread", [_render_spread(adjusted) for _, adjusted in listed], right=False)
    first, second = (spread, u) if declared.uncertainty == "sample" else (u, spread)
    columns = [
        Column(
            "adjusted speedup", [name_cell(c.treatment.label) for c, _ in listed], right=False, is_name=True
        ),
        Column("against", [name_cell(c.baseline.label) for c, _ in listed], right=False, is_name=True),
        first,
        replace(second, give_way=1),
        Column(
            "95 % CI",
            [
                render_interval_cell(adjusted_speedup.value, adjusted_speedup.ci95)
                for _, adjusted_speedup in listed
            ],
            right=False,
            give_way=4,
        ),
        Column("RSU", [_render_rsu(answer, c, c.treatment) for c, _ in listed], give_way=2),
        Column("RSU against", [_render_rsu(answer, c, c.baseline) for c, _ in listed], give_way=3),
    ]
    paired = all(adjusted_speedup.paired for _, adjusted_speedup in listed)
    note = (
        "S: ratio of arithmetic means; u: standard uncertainty of S from those of the means"
        + (", which share blocks" if paired else "")
        + "; spread: variation of the ratio of one future run of each, as plotted in Firoz et al. 2016; "
        "RSU: u of a mean over the mean."
    )
    return [
        *table(columns, width),
        *note_omitted(len(every) - len(listed)),
        *render_paragraph(note, width, rest="  ", style="dim"),
    ]


def _render_spread(speedup: AdjustedSpeedup) -> Span:
    return Span(_add(speedup.value, speedup.spread) if math.isfinite(speedup.spread) else "–")


def _add(value: float, uncertainty: float) -> str:
    """Return a value and what stands behind it, with the digits that this leaves."""
    digits = min(MOST_DECIMALS, max(0, decimals(uncertainty)))
    return f"{value:.{digits}f} ± {uncertainty:.{digits}f}"


def _render_rsu(answer: Answer, comparison: Comparison, treatment: Treatment) -> Span:
    summary = next(
        (
            sample.summary
            for sample in answer.samples
            if (sample.metric.name, sample.treatment.id, sample.labels)
            == (comparison.metric.name, treatment.id, comparison.labels)
        ),
        Summary(0),
    )
    return Span("–" if summary.rsu is None else percent(summary.rsu))
