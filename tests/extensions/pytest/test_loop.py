from __future__ import annotations

import gc

import pytest

from steelyard.extensions.pytest.loop import Loop, calibrate, quiet_memory


def taking(clock, ns):
    def function():
        clock.ns += ns

    return function


def test_a_timing_calls_as_often_as_it_says_and_gives_the_time_of_one_call(clock):
    loop = Loop(taking(clock, 500), 40)
    assert loop.time() == pytest.approx(500e-9)
    assert clock.ns == 40 * 500


@pytest.mark.parametrize(("ns", "calls"), [(1_000_000, 1), (200_000, 1), (1_000, 256), (60, 4096)])
def test_calls_are_doubled_until_one_timing_takes_long_enough(clock, ns, calls):
    loop = calibrate(taking(clock, ns), least_s=200e-6)
    assert loop.calls == calls
    assert clock.ns >= 20e6  # warmed up


def test_a_slow_function_is_called_once(clock):
    assert calibrate(taking(clock, 2_000_000_000)).calls == 1
    assert clock.ns == 2_000_000_000


def test_the_collector_rests_within_and_works_again_after():
    gc.enable()
    with quiet_memory():
        assert not gc.isenabled()
        assert gc.get_freeze_count() > 0
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def test_a_collector_that_was_off_stays_off():
    gc.disable()
    try:
        with quiet_memory():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
