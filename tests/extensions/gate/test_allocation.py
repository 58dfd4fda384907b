"""Which benchmarks a budget is spent on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.core.look_schedule import looks_from
from steelyard.extensions.gate.allocation import OPTIMISM, BenchmarkOutlook, choose_next
from steelyard.extensions.gate.suite import (
    BenchmarkEvidence,
    SideValues,
    estimate_blocks,
    judge,
    look_again,
)
from steelyard.stats.sequential.looks import Looks

MARGIN = 0.03


def choose(costs, left_s, slower=()):
    return choose_next([BenchmarkOutlook(cost, place in slower) for place, cost in enumerate(costs)], left_s)


def test_all_run_where_there_is_time_for_all():
    assert choose([5.0, 1.0, 2.0], 8.0 / OPTIMISM) == [True, True, True]
    assert choose([], 1.0) == []


def test_those_that_are_decided_soonest_run_where_there_is_not():
    assert choose([50.0, 1.0, 2.0, 100.0], 3.0 / OPTIMISM) == [False, True, True, False]


def test_what_seems_slower_runs_however_long_it_takes():
    assert choose([50.0, 1.0, 2.0, 100.0], 153.0 / OPTIMISM, slower=(0, 3)) == [True, True, True, True]
    assert choose([50.0, 1.0, 2.0, 100.0], 3.0 / OPTIMISM, slower=(0, 3)) == [True, False, False, True]


def test_what_waits_for_a_first_look_runs_before_all_that_does_not_seem_slower():
    outlooks = [
        BenchmarkOutlook(1.0),
        BenchmarkOutlook(6.0, is_waiting=True),
        BenchmarkOutlook(50.0, seems_slower=True),
        BenchmarkOutlook(7.0, is_waiting=True),
    ]
    assert choose_next(outlooks, 56.0 / OPTIMISM) == [False, True, True, False]
    assert choose_next(outlooks, 63.0 / OPTIMISM) == [False, True, True, True]
    assert choose_next(outlooks, 64.0 / OPTIMISM) == [True] * 4


def test_one_runs_though_there_is_time_for_none():
    assert choose([9.0, 7.0, None], 0.1) == [False, True, False]
    assert choose([None, None], 10.0) == [True, False]


def gate_suite(rng, means, spread, budget):
    """Decisions of a suite whose benchmarks wait for a budget of so many blocks of one benchmark."""
    logs = [[] for _ in means]
    looks = [() for _ in means]
    evidence = [BenchmarkEvidence() for _ in means]
    runs = list(range(len(means)))
    spent = done = 0
    for look in looks_from(6):
        blocks = min(look - done, (budget - spent) // len(runs))
        if not blocks:
            break
        done += blocks
        spent += blocks * len(runs)
        for place in runs:
            logs[place] += list(rng.normal(means[place], spread, blocks))
            looks[place] += (len(logs[place]),)
            so_far = Looks(looks[place], looks[place][-1] if done < look else None)
            d = np.array(logs[place])
            shared = np.random.default_rng([place, 9]).normal(0, 0.05, d.size)
            values = SideValues(shared - d / 2, shared + d / 2)
            evidence[place] = look_again(evidence[place], values, so_far, MARGIN)
        decisions = [item.decision for item in judge(evidence, 0.05)]
        undecided = [place for place, decision in enumerate(decisions) if decision == "open"]
        if not undecided or done < look:
            break
        outlooks = [
            BenchmarkOutlook(
                estimate_blocks(np.array(logs[place]), MARGIN, 0.05 / len(undecided)),
                np.mean(logs[place]) > math.log1p(MARGIN),
            )
            for place in undecided
        ]
        chosen = choose_next(outlooks, budget - spent)
        runs = [place for place, is_next in zip(undecided, chosen, strict=True) if is_next]
    return decisions


@pytest.mark.simulates
@pytest.mark.parametrize("spread", [0.02, 0.08])
def test_waiting_for_the_budget_raises_no_more_false_alarms(spread):
    """The worst case lies at the margin; 400 suites at 5 % are 20 ± 4.4."""
    rng = np.random.default_rng(8)
    suites = [gate_suite(rng, [math.log1p(MARGIN)] * 10, spread, 150) for _ in range(400)]
    alarms = sum(bool({"slower", "faster"} & {*decisions}) for decisions in suites)
    wrong = sum("equivalent" in decisions for decisions in suites)
    assert max(alarms, wrong) <= 20 + 3 * 4.4
