from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest
from statsmodels.duration.survfunc import SurvfuncRight

from steelyard.extensions.solvers.runs import Campaign, SolverRun
from steelyard.extensions.solvers.scores import InstanceScores, score


def test_par_is_a_mean_over_instances_of_means_over_runs():
    runs = (
        SolverRun("a", "i", "solved", 10.0, "1"),
        SolverRun("a", "i", "timeout", 100.0, "2"),
        SolverRun("a", "j", "failed", 1.0, "1"),
    )
    summary = score("a", InstanceScores(Campaign(runs, 100.0, ""), "a", 10), 3)
    assert summary.par_s == ((10 + 1000) / 2 + 1000) / 2
    assert (summary.runs, summary.timeouts, summary.failures) == (3, 1, 1)
    assert (summary.instances, summary.missing, summary.solved) == (2, 1, 0)


def test_the_median_is_that_of_kaplan_and_meier_and_its_interval_of_the_sign_test(drawn):
    campaign = drawn(3, 41, 0.0, spread=1.0)
    scores = InstanceScores(campaign, "a", 2)
    summary = score("a", scores, 41)
    times = np.array([min(scores.time(instance), campaign.limit_s) for instance in scores.instances])
    solved = np.array([np.isfinite(scores.time(instance)) for instance in scores.instances])
    assert summary.median_s == SurvfuncRight(times, solved.astype(int)).quantile(0.5)
    assert summary.solved == solved.sum()
    exact = binomtest(int(solved.sum()), 41).proportion_ci(method="exact")
    interval = summary.solved_ci95
    assert (interval.low, interval.high) == pytest.approx((exact.low, exact.high))
    # Conover 1999, table A3: of 41 values the 14th and the 28th bound the median at 95 %.
    ordered = np.sort(times)
    assert summary.median_ci95 == (ordered[13], ordered[27])


def test_a_median_beyond_the_limit_has_no_value():
    runs = [SolverRun("a", f"i{place}", "timeout", 60.0) for place in range(8)]
    runs += [SolverRun("a", f"j{place}", "solved", 1.0 + place) for place in range(3)]
    summary = score("a", InstanceScores(Campaign(tuple(runs), 60.0, ""), "a", 2), 11)
    assert summary.median_s is None
    assert summary.median_ci95 == (2.0, None)
