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
    assert progress_line(12, 30, 180.0) == "12/30 blocks  ████████░░░░░░░░░░░░  3 min left"


def test_where_nobody_knows_the_end_the_time_is_that_to_the_next_look():
    assert progress_line(3, 10, 7.0, to_end=False).endswith("  7 s to the next look")


def test_before_the_first_block_no_time_is_guessed():
    assert progress_line(0, 30) == "0/30 blocks  ░░░░░░░░░░░░░░░░░░░░"


def test_what_is_counted_can_be_something_else():
    assert progress_line(40, 40, 0.0, "comparisons").startswith("40/40 comparisons  ████████████████████")


def test_more_blocks_than_planned_fill_the_bar():
    assert progress_line(31, 30, 0.0) == "31/30 blocks  ████████████████████  0 s left"


@pytest.mark.parametrize("width", [10, 20, 40])
def test_the_line_never_exceeds_the_terminal(width):
    assert columns(progress_line(12, 30, 120.0, "comparisons", width)) <= width


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
