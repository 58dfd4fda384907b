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
    a_walk,
    nothing_changed,
    two_machines,
)

from steelyard.core.errors import UsageError
from steelyard.extensions.history.results import Resolvable
from steelyard.results.left_out import LeftOut


def test_a_regression_that_stands_fails_and_one_that_was_undone_does_not():
    assert a_regression_that_stands().exit_code(strict=False) == 1
    assert FOUND.exit_code(strict=True) == 0


def test_a_change_for_the_better_fails_nothing():
    better = replace(CHANGE, direction="better", undone_by=None)
    assert replace(FOUND, series=(replace(SERIES, changes=(better,)),)).exit_code(strict=True) == 0


def test_what_is_accepted_does_not_count():
    result = a_regression_that_stands()
    assert result.exit_code(strict=False, since=IDS[10]) == 1
    assert result.exit_code(strict=False, since=IDS[11][:8]) == 0


@pytest.mark.parametrize(
    ("made", "code"), [(a_drift, 3), (a_walk, 3), (two_machines, 3), (nothing_changed, 0)]
)
def test_what_is_not_judged_counts_under_strict_alone(made, code):
    result = made()
    assert result.exit_code(strict=False, since=IDS[18]) == 0
    assert result.exit_code(strict=True, since=IDS[18]) == code


def test_a_change_of_the_last_record_alone_cannot_be_excluded():
    assert nothing_changed().exit_code(strict=True, since=IDS[19]) == 3


def test_unreadable_records_and_commits_without_one_count_under_strict_alone():
    damaged = LeftOut("x.lab", "is damaged", unreadable=True)
    elsewhere = LeftOut("y.lab", "has no commit of HEAD's first parents in its name")
    for changes in ({"left_out": (damaged,)}, {"unmeasured": 1}):
        result = replace(nothing_changed(), **changes)
        assert result.exit_code(strict=False) == 0
        assert result.exit_code(strict=True) == 3
    assert replace(nothing_changed(), left_out=(elsewhere,)).exit_code(strict=True) == 0


def test_a_series_too_noisy_to_show_what_matters_does_not_hold():
    noisy = replace(SERIES, changes=(), resolvable=Resolvable(0.3, 0.5))
    result = replace(FOUND, series=(noisy,))
    assert result.exit_code(strict=True) == 3
    assert result.exit_code(strict=True, least=0.3) == 0


def test_an_analysis_that_broke_off_is_no_regression_and_never_green():
    broken = replace(SERIES, changes=(), broken_off="ZeroDivisionError: division by zero")
    assert replace(FOUND, series=(broken,)).exit_code(strict=False) == 3


@pytest.mark.parametrize(("name", "message"), [("abc", "no record"), ("", "20 records")])
def test_a_commit_that_is_none_of_them_is_refused(name, message):
    with pytest.raises(UsageError, match=message):
        a_regression_that_stands().regressions(name)


def test_changes_stand_in_the_order_of_commits():
    early = replace(CHANGE, first=IDS[2])
    result = replace(FOUND, series=(SERIES, replace(SERIES, treatment="a", changes=(early,))))
    assert [change.first for _, change in result.changes] == [IDS[2], IDS[10]]
