from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.extensions.solvers.judging import answer
from steelyard.extensions.solvers.runs import Campaign, SolverRun
from steelyard.extensions.solvers.scores import InstanceScores


def test_a_solver_that_is_slower_everywhere_is_worse_and_its_opposite_better(drawn):
    campaign = drawn(1, 60, 1.2)
    (comparison,) = answer(campaign).comparisons
    assert (comparison.solver, comparison.verdict) == ("b", "worse")
    assert comparison.ci95.high < 1
    assert comparison.baseline_alone > comparison.alone
    (opposite,) = answer(campaign, against="b").comparisons
    assert (opposite.solver, opposite.verdict) == ("a", "better")
    assert opposite.ratio == pytest.approx(1 / comparison.ratio)


def test_the_ratio_is_that_of_both_par_scores(drawn):
    result = answer(drawn(2, 25, 0.7), penalty=10)
    base, second = result.scores
    (comparison,) = result.comparisons
    assert comparison.ratio == pytest.approx(base.par_s / second.par_s)
    assert comparison.ci95 is None


def test_an_instance_that_one_solver_lacks_leaves_the_comparison_unjudged(drawn):
    campaign = drawn(3, 40, 3.0)
    campaign = replace(campaign, runs=campaign.runs[:-1])
    (comparison,) = answer(campaign).comparisons
    assert (comparison.verdict, comparison.p) == ("not_judged", None)
    assert comparison.reason == "1 instance has runs of one of both only"


def test_six_instances_are_too_few(drawn):
    (comparison,) = answer(drawn(4, 6, 5.0)).comparisons
    assert comparison.reason == "only 6 instances; 7 or more are needed"


def test_two_solvers_that_do_the_same_are_not_told_apart():
    runs = tuple(
        SolverRun(solver, f"i{place}", "timeout" if place > 30 else "solved", 1.0 + place)
        for solver in "ab"
        for place in range(40)
    )
    (comparison,) = answer(Campaign(runs, 50.0, "")).comparisons
    assert (comparison.verdict, comparison.p, comparison.ratio) == ("not_resolved", 1.0, 1.0)


def test_a_baseline_that_is_not_there_is_refused_with_those_that_are(drawn):
    with pytest.raises(UsageError, match="no solver is called 'c'") as caught:
        answer(drawn(5, 8, 0.0), against="c")
    assert caught.value.hint == "--against SOLVER, one of: a, b"


def test_solvers_are_one_family(drawn):
    runs = drawn(6, 30, 0.35, spread=0.2).runs
    result = tuple(replace(run, solver=f"c{k}") for k in range(9) for run in runs if run.solver == "a")
    (alone,) = answer(Campaign(runs, 600.0, "")).comparisons
    many = answer(Campaign(runs + result, 600.0, "")).comparisons
    assert len(many) == 10
    assert many[0].p == alone.p
    assert many[0].p_holm == pytest.approx(min(1.0, 10 * alone.p))


@pytest.mark.simulates
@pytest.mark.parametrize("instances", [10, 40])
def test_equal_solvers_are_told_apart_in_at_most_five_per_cent(drawn, instances):
    verdicts = [
        answer(drawn([9, seed], instances, 0.0, seeds=2)).comparisons[0].verdict for seed in range(200)
    ]
    wrong = sum(verdict != "not_resolved" for verdict in verdicts)
    # Of 200, more than 18 have a probability of 0.004 at 5 %.
    assert wrong <= 18


@pytest.mark.simulates
def test_intervals_hold_the_truth_also_beside_a_verdict(drawn):
    result = drawn(11, 20_000, 0.7, seeds=2)
    base, second = (InstanceScores(result, solver, 2) for solver in "ab")
    truth = np.mean([base.par(i) for i in base.instances]) / np.mean(
        [second.par(i) for i in second.instances]
    )
    comparisons = [answer(drawn([12, seed], 40, 0.7, seeds=2)).comparisons[0] for seed in range(200)]
    judged = [item for item in comparisons if item.verdict != "not_resolved"]
    assert len(judged) > 80
    for group in (comparisons, judged):
        outside = sum(not element.ci95.low <= truth <= element.ci95.high for element in group)
        assert outside <= 0.05 * len(group) + 3 * np.sqrt(0.05 * 0.95 * len(group))


def test_solvers_with_both_answers_are_not_judged_since_one_is_wrong():
    runs = [
        SolverRun(solver, f"p{i}", "solved", time_s, answer="unsat" if (solver, i) == ("b", 3) else "sat")
        for solver, time_s in (("a", 2.0), ("b", 1.0), ("c", 1.0))
        for i in range(12)
    ]
    wrong, right = answer(Campaign(tuple(runs), 60.0, "as given")).comparisons
    assert (wrong.verdict, wrong.reason) == (
        "not_judged",
        "1 instance has both answers, sat and unsat (p3): one is wrong",
    )
    assert right.verdict == "better"


def test_a_run_that_a_solver_lacks_of_an_instance_leaves_it_unjudged(drawn):
    campaign = drawn(3, 40, 3.0, seeds=2)
    (before,) = answer(campaign).comparisons
    result = answer(replace(campaign, runs=campaign.runs[:-1]))
    (comparison,) = result.comparisons
    assert before.verdict == "worse"
    assert (comparison.verdict, comparison.reason) == ("not_judged", "runs of 1 instance are missing (i39)")
    assert [row.missing_runs for row in result.scores] == [0, 1]


def test_a_solver_with_more_seeds_on_every_instance_lacks_nothing(drawn):
    campaign = drawn(3, 40, 3.0, seeds=2)
    runs = tuple(run for run in campaign.runs if (run.solver, run.seed) != ("a", "1"))
    (comparison,) = answer(replace(campaign, runs=runs)).comparisons
    assert comparison.verdict == "worse"
