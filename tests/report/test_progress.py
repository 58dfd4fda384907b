from __future__ import annotations

import io

import pytest

from steelyard.report.label import columns
from steelyard.report.progress import Progress, progress_line


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def _a_capable_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")


def test_the_line_says_how_far_and_how_long():
    assert progress_line(12, 30, 120.0, "new") == "12/30 blocks  ████████░░░░░░░░░░░░  3 min left  new"


def test_before_the_first_block_no_time_is_guessed():
    assert progress_line(0, 30, 4.0) == "0/30 blocks  ░░░░░░░░░░░░░░░░░░░░"


def test_without_a_known_end_it_says_what_has_passed():
    assert progress_line(12, None, 125.0) == "12 blocks  2 min 5 s so far"


def test_more_blocks_than_planned_fill_the_bar_and_leave_no_negative_time():
    assert progress_line(31, 30, 60.0) == "31/30 blocks  ████████████████████  0 s left"


@pytest.mark.parametrize("width", [10, 20, 40])
def test_the_line_never_exceeds_the_terminal_and_a_note_cannot_break_it(width):
    assert columns(progress_line(12, 30, 120.0, "测试\n" * 30, width)) <= width


def test_where_there_is_no_terminal_nothing_is_drawn():
    stream = io.StringIO()
    progress = Progress(stream)
    progress.update(1, 2, 3.0)
    progress.clear()
    assert stream.getvalue() == ""


def test_a_dumb_terminal_gets_nothing_either(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    Progress(stream).update(1, 2, 3.0)
    assert stream.getvalue() == ""


def test_a_line_replaces_the_one_before_and_is_taken_away_once():
    stream = Terminal()
    progress = Progress(stream)
    progress.update(1, 2, 3.0)
    progress.update(2, 2, 6.0)
    progress.clear()
    progress.clear()
    drawn = stream.getvalue().split("\r\x1b[K")
    assert len(drawn) == 4
    assert drawn[0] == drawn[3] == ""
    assert "\n" not in stream.getvalue()
