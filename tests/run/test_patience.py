"""A search without end is interrupted; everything else is left alone."""

from __future__ import annotations

import re
import signal
import threading

import pytest

from steelyard.run.patience import OutOfPatienceError, patience

ENDLESS = re.compile(r"(a+)+b")


def test_a_pattern_that_backtracks_for_ever_is_interrupted() -> None:
    with pytest.raises(OutOfPatienceError), patience(0.05):
        ENDLESS.search("a" * 64)


def test_work_that_ends_in_time_leaves_timer_and_handler_as_they_were() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with patience(60):
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
        assert ENDLESS.search("aab")
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_another_thread_works_without_a_limit() -> None:
    seen: list[float] = []

    def work() -> None:
        with patience(60):
            seen.append(signal.getitimer(signal.ITIMER_REAL)[0])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [0]
