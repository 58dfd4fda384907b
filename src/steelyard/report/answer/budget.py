"""The uncertainty budget of each comparison as a table."""

from __future__ import annotations

from steelyard.core.units import format_quantity, format_unit
from steelyard.report.answer.words import Names, names
from steelyard.report.text.digits import percent
from steelyard.report.text.label import printable
from steelyard.report.text.line import Line, render_paragraph
from steelyard.report.text.table import Column, table
from steelyard.results.analysis import Answer
from steelyard.results.budget import Component
from steelyard.results.comparison import Comparison


def render_budgets(answer: Answer, width: int) -> list[Line]:
    """One table for each comparison of the primary metric that has a budget."""
    called = names(sample.treatment.label for sample in answer.samples)
    lines: list[Line] = []
    for comparison in answer.judged:
        if lines:
            lines.append(())
        lines += _render_budget(comparison, called, width)
    return lines


def _render_budget(comparison: Comparison, called: Names, width: int) -> list[Line]:
    new, old = called[comparison.treatment.label], called[comparison.baseline.label]
    budget = comparison.budget
    if budget is None:
        text = f"{new} against {old}: no budget: its interval is not based on propagated uncertainties"
        return render_paragraph(text, width)
    unit = comparison.metric.unit
    rows = budget.components
    total = budget.total
    columns = [
        Column.words("component", (printable(row.name) for row in rows), is_name=True),
        Column.words("type", (row.kind for row in rows)),
        Column.words("of", (row.side for row in rows)),
        Column.numbers("value", (_format_value(row.value, unit) for row in rows), give_way=2),
        Column.numbers("u", (_format_size(row, unit) for row in rows)),
        Column.numbers("c", (_format_sensitivity(row, unit) for row in rows), give_way=3),
        Column.numbers("adds %", (f"{100 * row.contribution:.2g}" for row in rows)),
        Column.numbers("of u² %", (_format_share(row, total.u) for row in rows), give_way=1),
        Column.numbers("ν", ("∞" if row.nu is None else f"{row.nu:.4g}" for row in rows)),
    ]
    head = f"{new} against {old}: contributions to the uncertainty of the speedup, relative to it"
    foot = (
        f"together u = {percent(total.u)}, ν = {total.nu:.4g}, k = {total.k:.3f},"
        f" U95 = {percent(total.expanded)}"
    )
    return [
        *render_paragraph(head, width, style="heading"),
        *table(columns, width),
        *render_paragraph(foot, width),
    ]


def _format_value(value: float | None, unit: str) -> str:
    return "" if value is None else format_quantity(value, unit, 4)


def _format_size(component: Component, unit: str) -> str:
    return percent(component.u) if component.relative else format_quantity(component.u, unit, 2)


def _format_sensitivity(component: Component, unit: str) -> str:
    below = "" if component.relative else format_unit(unit)
    return f"{component.sensitivity:.3g}" + (f" /{below}" if below else "")


def _format_share(component: Component, u: float) -> str:
    share = 100 * component.variance / u**2
    return f"{share:.1f}" if abs(share) >= 0.05 else "<0.1"
