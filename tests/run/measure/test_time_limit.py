"""A search without end is interrupted; everything else is left alone."""

from __future__ import annotations

import re
import signal
import threading

import pytest

from steelyard.run.measure.time_limit import TimeLimitExceededError, time_limit

ENDLESS = re.compile(r"(a+)+b")


def test_a_pattern_that_backtracks_for_ever_is_interrupted() -> None:
    with pytest.raises(TimeLimitExceededError), time_limit(0.05):
        ENDLESS.search("a" * 64)


@pytest.mark.parametrize("seconds", [0.0, 1000.0])
def test_work_that_ends_in_time_leaves_the_handler_and_another_timer_as_they_were(seconds: float) -> None:
    handler = signal.getsignal(signal.SIGALRM)
    result = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        with time_limit(60):
            assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 60
            assert ENDLESS.search("aab")
        assert signal.getsignal(signal.SIGALRM) is handler
        assert signal.getitimer(signal.ITIMER_REAL)[0] == pytest.approx(seconds, abs=100)
    finally:
        signal.setitimer(signal.ITIMER_REAL, *result)


def test_another_thread_works_without_a_limit() -> None:
    handler = signal.getsignal(signal.SIGALRM)
    limits: list[object] = []

    def work() -> None:
        with time_limit(60):
            limits.append(signal.getsignal(signal.SIGALRM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert limits == [handler]
