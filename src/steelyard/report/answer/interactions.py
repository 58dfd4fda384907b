"""Ratios of speedups as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from steelyard.report.answer.words import Names
from steelyard.report.text.cells import note_omitted, render_interval_cell, render_p_cell, render_ratio_cell
from steelyard.report.text.label import printable
from steelyard.report.text.line import Line, Span, Style
from steelyard.report.text.table import MOST_ROWS, Column, table
from steelyard.results.undefined import Undefined

if TYPE_CHECKING:
    from steelyard.results.analysis import Answer
    from steelyard.results.comparison import SpeedupRatio

_STYLES: Final[dict[str, Style]] = {"larger": "", "smaller": "", "not_resolved": "open"}


def lines(answer: Answer, called: Names, width: int) -> list[Line]:
    """One row for each ratio; nothing where none was declared."""
    ratios = answer.speedup_ratios[:MOST_ROWS]
    if not ratios:
        return []
    labels = dict.fromkeys(name for ratio in ratios for name in ratio.labels)
    spans = [Span(called[ratio.treatment.label]) for ratio in ratios]
    over = [Span(called[ratio.reference_treatment.label]) for ratio in ratios]
    cells = {name: [Span(printable(str(ratio.labels.get(name, "")))) for ratio in ratios] for name in labels}
    p = [render_p_cell(ratio.p_holm) for ratio in ratios]
    verdicts = [Span(ratio.change.replace("_", " "), _STYLES[ratio.change]) for ratio in ratios]
    columns = [
        Column("speedup of", spans, right=False, is_name=True),
        Column("over that of", over, right=False, is_name=True),
        *(Column(printable(name), cells[name], right=False) for name in labels),
        Column("ratio", [render_ratio_cell(_compute_value(ratio), ratio.ci95) for ratio in ratios]),
        Column(
            "95 % CI",
            [render_interval_cell(_compute_value(ratio), ratio.ci95) for ratio in ratios],
            right=False,
            give_way=1,
        ),
        Column("p Holm", p, give_way=2),
        Column("verdict", verdicts, right=False),
    ]
    rest = note_omitted(len(answer.speedup_ratios) - len(ratios))
    return [*table(columns, width), *rest]


def _compute_value(ratio: SpeedupRatio) -> float | None:
    return None if isinstance(ratio.ratio, Undefined) else ratio.ratio.value
