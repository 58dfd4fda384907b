"""Verdicts are made in one place: no door has a t of its own."""

from __future__ import annotations

import ast
from pathlib import Path

import steelyard

ROOT = Path(steelyard.__file__).parent
QUANTILES = frozenset(["t_quantile", "two_sided_p", "t_p", "student_quantile", "student_cdf", "detectable"])
FORMER = {
    # Levels were screened before; blocks of their own confirm them, at one look, against a least change.
    "extensions/audit/replication.py": "fresh blocks of levels that were screened, Holm over levels",
    # Rates of events in a stretch of a run may be 0, of which there is no ratio.
    "extensions/observe/tracing_changes.py": "differences of rates, Holm over stretches and levels",
}
"""Judges of their own, and why the steps do not judge there. None joins without a reason like these."""
ESTIMATORS = frozenset(
    [
        "extensions/efficiency/estimand.py",
        "extensions/efficiency/judging.py",
        "extensions/explain/conditional.py",
        "extensions/explain/contributions.py",
        "extensions/history/place.py",
    ]
)
"""Intervals of what the core does not compare: efficiencies, contributions, places in a history."""


def imports_t(file):
    return any(
        alias.name in QUANTILES
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    )


def test_student_s_t_is_imported_by_statistics_alone():
    doors = ("extensions", "lab", "claims", "cli", "report", "exchange")
    files = [file for room in doors for file in (ROOT / room).rglob("*.py")]
    assert len(files) > 300
    assert {str(file.relative_to(ROOT)) for file in files if imports_t(file)} == {*FORMER, *ESTIMATORS}
