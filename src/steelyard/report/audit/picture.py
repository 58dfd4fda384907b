"""Levels against the ratio of time, in characters."""

from __future__ import annotations

import math
from typing import Final

from steelyard.answers.audit import AuditedContext
from steelyard.report.text.line import Line, Span

_ROWS: Final = 9
_LABEL: Final = 9
"""Columns at the left: ``7.29 × |``."""


def picture(finding: AuditedContext, width: int = 80) -> list[Line]:
    """One mark a level, ``#`` where several share a place; the ratio on a logarithmic scale."""
    levels = [float(each.level) for each in finding.screened]
    logs = [math.log(each.ratio) for each in finding.screened]
    columns = min(width - _LABEL - 1, 64)
    low, high = min(levels), max(levels)
    step = (high - low) / max(1, len(levels) - 1)
    top, bottom = max(logs), min(logs)
    rows = _ROWS if top - bottom > math.log(1.005) else 1
    marks: dict[tuple[int, int], int] = {}
    for level, log in zip(levels, logs, strict=True):
        column = int((level - low) / (high - low + step) * columns) if high > low else 0
        row = round((top - log) / (top - bottom) * (rows - 1)) if rows > 1 else 0
        marks[row, column] = marks.get((row, column), 0) + 1
    lines: list[Line] = []
    for row in range(rows):
        value = math.exp(top - (top - bottom) * row / (rows - 1)) if rows > 1 else 1.0
        drawn = "".join(" .#"[min(2, marks.get((row, column), 0))] for column in range(columns))
        lines.append((Span(f"{value:6.2f} ×|", "dim"), Span(drawn)))
    ends = f"{low:g}", f"{finding.context} {high:g}"
    lines.append((Span(" " * (_LABEL - 1) + "+" + "-" * columns, "dim"),))
    lines.append((Span(" " * _LABEL + ends[0] + ends[1].rjust(columns - len(ends[0])), "dim"),))
    return lines
