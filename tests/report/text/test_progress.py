from __future__ import annotations

import io
import threading

import pytest
from msgspec.structs import replace

from steelyard.report.text.label import columns
from steelyard.report.text.progress import ProgressLine, format_progress_line
from steelyard.results.interval import Interval
from steelyard.results.status import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def _a_capable_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")


def line(done, wanted, left_s=None, what="blocks", width=80, **keys):
    return format_progress_line(Progress(done, wanted, 0.0, left_s, what, **keys), width)


OPEN = Progress(120, 4000, 48.0, 120.0, target=0.01, reached=0.024)
"""A run that a precision ends, after its first look."""


def test_the_line_says_how_far_and_how_long():
    assert line(12, 30, 180.0) == "12/30 blocks  ████████░░░░░░░░░░░░  3 min left"


def test_where_a_precision_ends_the_run_it_is_shown_with_the_time_spent_and_left():
    assert (
        format_progress_line(OPEN)
        == "120 blocks  ████░░░░░░░░░░░░░  2.4 % reached, 1 % wanted  48 s spent, 2 min left"
    )


def test_the_estimate_so_far_stands_in_the_place_of_the_precision():
    result = replace(OPEN, speedup=1.861, interval=Interval(1.832, 1.89))
    output = format_progress_line(result)
    assert output.startswith("120 blocks  █")
    assert "1.861 × better (1.832 to 1.890)" in output
    assert output.endswith("48 s spent, 2 min left")
    assert columns(output) <= 80
    worse = format_progress_line(replace(result, speedup=0.5, interval=Interval(0.4, 0.625)))
    assert "2.0 × worse (1.6 to 2.5)" in worse


def test_where_nothing_can_be_redrawn_a_line_is_written_every_ten_seconds(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("steelyard.report.text.progress.time.monotonic", lambda: now[0])
    log = io.StringIO()
    message = ProgressLine(log)
    for now[0] in (3.0, 9.9, 10.1, 12.0, 20.2):
        message.update(OPEN)
    message.clear()
    assert log.getvalue() == "120 blocks  2.4 % reached, 1 % wanted  48 s spent, 2 min left\n" * 2


def test_the_bar_of_such_a_run_moves_with_the_time_whatever_becomes_of_the_blocks():
    later = replace(OPEN, blocks_done=130, blocks_wanted=9000, elapsed_s=126.0, remaining_s=42.0)
    assert format_progress_line(later, 120).count("█") == 15
    assert format_progress_line(replace(later, remaining_s=0.0), 120).count("░") == 0


def test_before_its_first_look_such_a_run_goes_to_that():
    first = replace(OPEN, blocks_done=3, blocks_wanted=10, reached=None, remaining_s=7.0, to_end=False)
    assert format_progress_line(first) == "3/10 blocks  ██████░░░░░░░░░░░░░░  7 s to the next look"


def test_where_nobody_knows_the_end_the_time_is_that_to_the_next_look():
    assert line(3, 10, 7.0, to_end=False).endswith("  7 s to the next look")


def test_before_the_first_block_no_time_is_guessed():
    assert line(0, 30) == "0/30 blocks  ░░░░░░░░░░░░░░░░░░░░"


def test_what_is_counted_can_be_something_else():
    assert line(40, 40, 0.0, "comparisons").startswith("40/40 comparisons  ████████████████████")


def test_more_blocks_than_planned_fill_the_bar():
    assert line(31, 30, 0.0) == "31/30 blocks  ████████████████████  0 s left"


@pytest.mark.parametrize("width", [10, 20, 40, 60])
def test_the_line_never_exceeds_the_terminal(width):
    assert columns(line(12, 30, 120.0, "comparisons", width)) <= width
    assert columns(format_progress_line(OPEN, width)) <= width


def test_where_there_is_no_terminal_nothing_is_drawn():
    stream = io.StringIO()
    progress = ProgressLine(stream)
    progress.update(Progress(1, 2, 0.0, 3.0))
    progress.clear()
    assert stream.getvalue() == ""


def test_a_dumb_terminal_gets_nothing_either(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    ProgressLine(stream).update(Progress(1, 2, 0.0, 3.0))
    assert stream.getvalue() == ""


def test_a_line_replaces_the_one_before_and_is_taken_away_once():
    stream = Terminal()
    progress = ProgressLine(stream)
    progress.update(Progress(1, 2, 0.0, 3.0))
    progress.update(Progress(2, 2, 0.0, 6.0))
    progress.clear()
    progress.clear()
    drawn = stream.getvalue().split("\r\x1b[K")
    assert len(drawn) == 4
    assert drawn[0] == drawn[3] == ""
    assert "\n" not in stream.getvalue()


def test_that_nothing_ends_is_told_wherever_it_is_read_and_again_after_twice_as_long(eventually):
    for stream in (io.StringIO(), Terminal()):
        line = ProgressLine(stream, quiet_s=0.02)
        eventually(lambda: stream.getvalue().count("no news for ") >= 2)  # noqa: B023
        line.clear()
        assert "a program or a hook is still running (Ctrl-C stops it)" in stream.getvalue()
        text = stream.getvalue()
        line.update(OPEN)
        eventually(lambda: stream.getvalue().count("no news for ") >= text.count("\n") + 1)  # noqa: B023
        line.clear()


def test_a_line_that_was_taken_away_tells_no_silence():
    log = io.StringIO()
    line = ProgressLine(log, quiet_s=0.01)
    line.clear()
    line.clear()
    text = log.getvalue()
    threading.Event().wait(0.1)
    assert log.getvalue() == text
