from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.results.contexts import Components
from steelyard.stats.contexts.allocation import allocate, allocate_like


@pytest.mark.parametrize(
    ("interaction", "noise", "cost", "runs", "contexts"),
    [(0.01, 0.01, 5, 2, 32), (0.005, 0.03, 20, 27, 15)],
)
def test_the_best_split_is_the_one_worked_by_hand(interaction, noise, cost, runs, contexts):
    result = allocate(interaction, noise, 0.0025, context_cost=cost, run_cost=1)
    assert (result.runs, result.contexts) == (runs, contexts)
    assert result.cost == contexts * (cost + runs)


def test_no_other_split_is_much_cheaper():
    """Over all numbers of runs: whole numbers cost the formula at most a tenth."""
    for interaction, noise, cost in [(0.01, 0.01, 5), (0.005, 0.03, 20), (0.02, 0.003, 1), (0.003, 0.02, 50)]:
        result = allocate(interaction, noise, 0.001, context_cost=cost, run_cost=1)
        n = np.arange(1, 1000)
        contexts = np.ceil((interaction**2 + 2 * noise**2 / n) / 0.001**2)
        assert result.cost <= 1.1 * (contexts * (cost + n)).min()


def test_contexts_that_cost_nothing_to_change_are_changed_for_every_run():
    assert allocate(0.01, 0.05, 0.01, context_cost=0, run_cost=1).runs == 1


def test_contexts_that_do_nothing_leave_the_most_runs_and_five_contexts():
    result = allocate(0, 0.01, 0.01, context_cost=1, run_cost=1)
    assert (result.runs, result.contexts) == (1000, 5)


def test_visits_of_a_pilot_hold_two_runs():
    pilot = Components(20, 3, 0.01, 0.01 * math.sqrt(2), 1, 1, 19, 40)
    result = allocate_like(pilot, 0.0025, context_cost=5, run_cost=1)
    assert result == allocate(0.01, 0.01, 0.0025, context_cost=5, run_cost=1)


@pytest.mark.parametrize("wrong", [{"target": 0}, {"run_cost": 0}, {"context_cost": -1}])
def test_costs_and_targets_that_mean_nothing_are_refused(wrong):
    inputs = {"target": 0.01, "context_cost": 1, "run_cost": 1} | wrong
    with pytest.raises(ValueError, match="above 0"):
        allocate(0.01, 0.01, **inputs)
