"""Each solver over all instances: solved ones, PAR, median."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.extensions.solvers.results import SolverScore
from steelyard.extensions.solvers.runs import Campaign, SolverRun
from steelyard.stats.distributions.sign_test import order_of
from steelyard.stats.hypothesis.clopper_pearson import clopper_pearson


class InstanceScores:
    """The runs of one solver, instance by instance: seeds are nested in instances, which are the units.

    Parameters
    ----------
    penalty : int
        Limits that a run counts as which was not solved.
    """

    def __init__(self, campaign: Campaign, solver: str, penalty: int) -> None:
        self.runs = [run for run in campaign.runs if run.solver == solver]
        self.missing_runs = campaign.list_missing_runs(solver)
        self._limit_s = campaign.limit_s
        self._penalty = penalty
        by_instance: dict[str, list[SolverRun]] = {}
        for run in self.runs:
            by_instance.setdefault(run.instance, []).append(run)
        self._by_instance: Mapping[str, Sequence[SolverRun]] = by_instance

    @property
    def instances(self) -> Sequence[str]:
        """In the order in which they come."""
        return list(self._by_instance)

    def par(self, instance: str) -> float:
        """Mean of the runs of an instance (s)."""
        penalty_s = self._penalty * self._limit_s
        runs = self._by_instance[instance]
        return math.fsum(run.time_s if run.outcome == "solved" else penalty_s for run in runs) / len(runs)

    def time(self, instance: str) -> float:
        """Median of the runs of an instance (s); infinite where half of them or more were not solved."""
        times = sorted(
            run.time_s if run.outcome == "solved" else math.inf for run in self._by_instance[instance]
        )
        middle = len(times) // 2
        return times[middle] if len(times) % 2 else (times[middle - 1] + times[middle]) / 2

    def solved_times(self) -> Floats:
        """Ascending times of the instances that were solved (s)."""
        times = np.array([self.time(instance) for instance in self.instances])
        return np.sort(times[np.isfinite(times)])


def score(solver: str, scores: InstanceScores, total: int) -> SolverScore:
    """Summarise a solver over its instances, of ``total`` that there are."""
    instances = scores.instances
    n = len(instances)
    times = sorted(scores.time(instance) for instance in instances)
    solved = sum(map(math.isfinite, times))
    middle = times[n // 2] if n % 2 else (times[n // 2 - 1] + times[n // 2]) / 2
    k = order_of(n, 0.05)
    return SolverScore(
        solver,
        len(scores.runs),
        sum(run.outcome == "timeout" for run in scores.runs),
        sum(run.outcome in ("failed", "wrong") for run in scores.runs),
        sum(run.outcome == "wrong" for run in scores.runs),
        dict(Counter(run.reason for run in scores.runs if run.outcome == "failed" and run.reason)),
        n,
        total - n,
        sum(scores.missing_runs.values()),
        solved,
        clopper_pearson(solved, n),
        math.fsum(map(scores.par, instances)) / n,
        _drop_infinite(middle),
        (_drop_infinite(times[k - 1]), _drop_infinite(times[n - k])) if k else None,
    )


def _drop_infinite(time_s: float) -> float | None:
    return time_s if math.isfinite(time_s) else None
