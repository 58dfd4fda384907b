"""The section of the page: verdicts, scores, cactus and scatter plots of the solvers of a record."""

from __future__ import annotations

from steelyard.extensions.solvers.charts import draw_charts
from steelyard.extensions.solvers.records import SolverPart
from steelyard.extensions.solvers.text import claim, evidence, headline, notes
from steelyard.report.page.chart import Section


def section(part: SolverPart) -> Section:
    """Return the section of the solvers of a record, each run counted."""
    verdicts = tuple(
        f"{claim(comparison, part.answer)} ({evidence(comparison, part.answer)})."
        for comparison in part.answer.comparisons
    )
    return Section(
        "solvers",
        "Solvers",
        verdicts or (f"{headline(part.answer)}.",),
        draw_charts(part.answer, part.campaign),
        notes=tuple(notes(part.answer)),
    )
