"""``History``: which changes stand, from where on they count, and the exit code."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).parents[1] / "report"))

from answers.histories import (
    CHANGE,
    FOUND,
    IDS,
    SERIES,
    a_drift,
    a_regression_that_stands,
    nothing_changed,
    two_machines,
)

from steelyard.errors import UsageError


def test_a_regression_that_stands_fails_and_one_that_was_undone_does_not():
    assert a_regression_that_stands().exit_code(strict=False) == 1
    assert FOUND.exit_code(strict=True) == 0


def test_a_change_for_the_better_fails_nothing():
    better = replace(CHANGE, direction="better", undone_by=None)
    assert replace(FOUND, series=(replace(SERIES, changes=(better,)),)).exit_code(strict=True) == 0


def test_what_is_accepted_does_not_count():
    found = a_regression_that_stands()
    assert found.exit_code(strict=False, since=IDS[10]) == 1
    assert found.exit_code(strict=False, since=IDS[11][:8]) == 0


@pytest.mark.parametrize(("made", "code"), [(a_drift, 3), (two_machines, 3), (nothing_changed, 0)])
def test_what_is_not_judged_counts_under_strict_alone(made, code):
    found = made()
    assert found.exit_code(strict=False, since=IDS[19]) == 0
    assert found.exit_code(strict=True, since=IDS[19]) == code


@pytest.mark.parametrize(("name", "what"), [("abc", "no record"), ("", "20 records")])
def test_a_commit_that_is_none_of_them_is_refused(name, what):
    with pytest.raises(UsageError, match=what):
        a_regression_that_stands().regressions(name)


def test_changes_stand_in_the_order_of_commits():
    early = replace(CHANGE, first=IDS[2])
    found = replace(FOUND, series=(SERIES, replace(SERIES, treatment="a", changes=(early,))))
    assert [change.first for _, change in found.changes] == [IDS[2], IDS[10]]
