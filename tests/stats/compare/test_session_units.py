"""Means of sessions as units: what a session shares widens the interval."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "coverage"))

import sessions


@pytest.mark.parametrize("files", [2, 3, 6])
def test_sessions_of_an_unchanged_program_are_called_different_in_5_percent(perfect_passes, files):
    """300 of each: sessions differ by 3 %, 20 launches of one by 1 %."""
    count, most = 300, 26
    assert perfect_passes(count, 0.05, 0, most) ** 3 > 0.98
    called = sessions.call(files, count, 416, by_session=True)
    assert called.wrong * count / 100 <= most


def test_one_session_of_each_calls_most_unchanged_programs_different():
    """So an answer of one file a side is of these two sessions: 82 of 100 are called different."""
    assert sessions.call(1, 60, 416, by_session=False).wrong > 60


def test_launches_of_two_sessions_of_each_are_no_units():
    by_launch = sessions.call(2, 200, 416, by_session=False)
    by_session = sessions.call(2, 200, 416, by_session=True)
    assert by_launch.wrong > 11
    assert by_session.wrong < 7
    assert by_session.given_a_verdict < by_launch.given_a_verdict
