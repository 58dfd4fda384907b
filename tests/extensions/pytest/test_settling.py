"""Warm-up by made-up times: no clock is read."""

from __future__ import annotations

from steelyard.extensions.pytest.settling import WINDOW, settle


class Falling:
    """A loop whose times are these, the last one for ever."""

    def __init__(self, *times, calls=10):
        self.calls = calls
        self.times = list(times)
        self.asked = 0

    def time(self):
        self.asked += 1
        return self.times[min(self.asked, len(self.times)) - 1]


def test_a_function_that_is_steady_needs_two_windows():
    loop = Falling(1e-3)
    assert settle(loop).steady
    assert loop.asked == 2 * WINDOW


def test_a_function_that_gets_faster_is_called_until_it_no_longer_does():
    loop = Falling(*[8e-3] * WINDOW, *[4e-3] * WINDOW, *[2e-3] * WINDOW, 1e-3)
    result = settle(loop)
    assert result.steady
    assert loop.asked == 5 * WINDOW
    assert result.calls == 5 * WINDOW * 10


def test_the_warm_up_ends_in_time_and_says_that_times_still_fell():
    class Endless(Falling):
        def time(self):
            self.asked += 1
            return 1e-2 * 0.9**self.asked

    result = settle(Endless(calls=1), most_s=0.05)
    assert not result.steady


def test_one_odd_timing_does_not_keep_it_going():
    loop = Falling(*[1e-3] * WINDOW, 9e-3, *[1e-3] * WINDOW)
    assert settle(loop).steady
    assert loop.asked == 2 * WINDOW
