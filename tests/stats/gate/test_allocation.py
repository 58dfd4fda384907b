"""Which benchmarks a budget is spent on."""

from __future__ import annotations

from steelyard.stats.gate.allocation import OPTIMISM, Outlook, choose_next


def choose(costs, left_s, slower=()):
    return choose_next([Outlook(cost, place in slower) for place, cost in enumerate(costs)], left_s)


def test_all_run_where_there_is_time_for_all():
    assert choose([5.0, 1.0, 2.0], 8.0 / OPTIMISM) == [True, True, True]
    assert choose([], 1.0) == []


def test_those_that_are_decided_soonest_run_where_there_is_not():
    assert choose([50.0, 1.0, 2.0, 100.0], 3.0 / OPTIMISM) == [False, True, True, False]


def test_what_seems_slower_runs_however_long_it_takes():
    assert choose([50.0, 1.0, 2.0, 100.0], 153.0 / OPTIMISM, slower=(0, 3)) == [True, True, True, True]
    assert choose([50.0, 1.0, 2.0, 100.0], 3.0 / OPTIMISM, slower=(0, 3)) == [True, False, False, True]


def test_one_runs_though_there_is_time_for_none():
    assert choose([9.0, 7.0, None], 0.1) == [False, True, False]
    assert choose([None, None], 10.0) == [True, False]
