"""Verdicts are made in one place: no door has a t of its own."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import steelyard

ROOT = Path(steelyard.__file__).parent
QUANTILES = frozenset(
    [
        *("t_quantile", "two_sided_p", "student_quantile", "student_cdf", "detectable", "detectable_beyond"),
        *("LogT", "stdtr", "stdtrit", "ttest_1samp", "ttest_ind", "ttest_rel"),
    ]
)
"""What a t of its own is made of, here and in SciPy."""
FIELDS = frozenset(["detectable"])
"""Names among them that answers have as fields."""
FORMER = {
    # Rows of a table that others made have no blocks; a level is named and no verdict rests on it.
    "extensions/exchange/covariates.py": "levels of tables beside treatments, 1 % over all levels",
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
        "extensions/growth/scaling/ratio_of_sums.py",
        "extensions/history/place.py",
    ]
)
"""Intervals of what the core does not compare: efficiencies, contributions, places in a history."""


def list_names(node):
    """Names that a node imports or reads, and the modules that it imports."""
    match node:
        case ast.ImportFrom():
            return {alias.name for alias in node.names} | {(node.module or "").split(".")[0]}
        case ast.Import():
            return {alias.name.split(".")[0] for alias in node.names}
        case ast.Attribute():
            return {node.attr} - FIELDS
    return set()


def uses_t(text):
    return any(list_names(node) & {*QUANTILES, "scipy", "statsmodels"} for node in ast.walk(ast.parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "from steelyard.stats.distributions.student import t_quantile as quantile",
        "import steelyard.stats.distributions.student as s\nreach = s.t_quantile(9, 0.05)",
        "from steelyard.core import special\np = 2 * special.student_cdf(9, -2.1)",
        "from scipy import stats",
        "import scipy.special",
    ],
)
def test_a_t_is_seen_however_it_is_imported(text):
    assert uses_t(text)


def test_a_comparison_by_the_steps_is_no_t_of_its_own():
    assert not uses_t("from steelyard.stats.compare.comparison import compare\n(a,) = compare(b, c)")


def test_student_s_t_is_used_by_statistics_alone():
    doors = ("extensions", "lab", "claims", "cli", "report", "exchange")
    files = [file for room in doors for file in (ROOT / room).rglob("*.py")]
    assert len(files) > 300
    assert {str(file.relative_to(ROOT)) for file in files if uses_t(file.read_text())} == {
        *FORMER,
        *ESTIMATORS,
    }
