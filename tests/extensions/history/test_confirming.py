"""Changes of a history, measured side by side in a real repository."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.units import BUILTIN
from steelyard.extensions.history.confirming import ConfirmRequest, confirm
from steelyard.extensions.history.results import Change, History, Point, SeriesHistory
from steelyard.extensions.repository.repository import Repository
from steelyard.results.digest import Digest
from steelyard.results.interval import Interval


def change(ids, at, ratio=4.0):
    return Change(
        kind="level",
        last_before=ids[at - 1],
        first=ids[at],
        commits=(ids[at],),
        probability=0.97,
        before=1.0,
        after=ratio,
        ratio=ratio,
        ci95=Interval(ratio * 0.9, ratio * 1.1),
        p=1e-6,
        direction="worse",
    )


def history_of(ids, *changes, order="git"):
    points = tuple(Point(item, Digest(5, 1.0, 0.01, 0), 1.0, 0.01) for item in ids)
    series = SeriesHistory("prog", BUILTIN["rss_bytes"], {"size": 3}, 1, points, changes=changes)
    return History(
        experiment="e",
        records=len(ids),
        order=order,
        first=ids[0],
        last=ids[-1],
        missing=0,
        alpha=0.01,
        reference=None,
        machines=({},),
        breaks=(),
        left_out=(),
        series=(series,),
        commits=tuple(ids),
    )


REQUEST = ConfirmRequest(words=("./prog", "{size}"), build="sh build")


def test_a_change_that_shows_side_by_side_is_confirmed_and_others_fail_nothing(programs, tmp_path):
    ids = programs.line(4, 2)
    suspected = history_of(ids, change(ids, 2), change(ids, 3))
    lines = []
    result = confirm(suspected, REQUEST, Repository(programs.path), tmp_path / "found", tell=lines.append)
    true, false = result.series[0].changes
    assert true.confirmation.outcome == "confirmed"
    assert true.confirmation.ci95.low > 2
    assert true.confirmation.commits == (ids[2],)
    assert false.confirmation.outcome == "refuted"
    assert math.isclose(false.confirmation.ratio, 1.0, rel_tol=0.2)
    assert [standing for _, standing in result.regressions()] == [true]
    assert len(suspected.regressions()) == 2
    assert lines[0] == f"rss_bytes before {ids[2][:12]} and at {ids[2][:12]}, side by side"
    assert programs.git("worktree", "list").count("\n") == 0
    # The same again is read from the records.
    assert confirm(suspected, REQUEST, Repository(programs.path), tmp_path / "found") == result


def test_a_change_too_small_to_be_seen_side_by_side_stays_open(programs, tmp_path):
    ids = programs.line(3, 99)
    suspected = history_of(ids, change(ids, 2, ratio=1.0001))
    result = confirm(suspected, REQUEST, Repository(programs.path), tmp_path / "found")
    (only,) = result.series[0].changes
    # Of one run in twenty the same programs differ, and then either way.
    differs = not only.confirmation.ci95.low <= 1 <= only.confirmation.ci95.high
    assert differs or only.confirmation.outcome == "open"
    if only.confirmation.outcome == "open":
        assert "unconfirmed" in {question.reason for question in result.open_questions()}
        assert (result.exit_code(strict=False), result.exit_code(strict=True)) == (0, 3)


def test_what_bisect_cannot_measure_stays_suspected(programs, tmp_path):
    ids = programs.line(3, 1)
    spread = replace(change(ids, 2), kind="spread")
    suspected = history_of(ids, spread)
    assert confirm(suspected, REQUEST, Repository(programs.path), tmp_path / "found") == suspected
    assert len(suspected.regressions()) == 1


def test_a_history_in_the_order_of_time_has_no_commits_to_measure(programs, tmp_path):
    ids = programs.line(3, 1)
    with pytest.raises(UsageError, match="in the order of time"):
        confirm(history_of(ids, order="time"), REQUEST, Repository(programs.path), tmp_path / "found")
