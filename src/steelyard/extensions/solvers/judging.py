"""Which solver has the lower PAR over instances like these, by the judge of comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.extensions.solvers.results import SolverAnswer, SolverComparison, SolverVerdict
from steelyard.extensions.solvers.runs import Campaign
from steelyard.extensions.solvers.scores import InstanceScores, score
from steelyard.results.interval import Interval
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.contrast import Contrast, Units
from steelyard.stats.compare.ratio_of_means import ratio_of_means
from steelyard.stats.hypothesis.holm import holm
from steelyard.stats.hypothesis.sign_flip import FEWEST, flipped_p

FEWEST_BOUNDED: Final = 30
"""Instances from which on the interval of a ratio of means holds what it says (docs/solvers.md)."""


def answer(
    campaign: Campaign, *, against: str | None = None, penalty: int = 2, alpha: float = 0.05, seed: int = 1
) -> SolverAnswer:
    """Score all solvers, and compare each with one of them.

    Parameters
    ----------
    against : str, optional
        The baseline; by default the first solver.

    Raises
    ------
    UsageError
        There is no run, or no solver of that name.
    """
    solvers = campaign.solvers
    if not solvers:
        raise UsageError("there is no run", hint="give a table with a row a run")
    baseline = against if against is not None else solvers[0]
    if baseline not in solvers:
        raise UsageError(
            f"no solver is called {baseline!r}", hint=f"--against SOLVER, one of: {', '.join(solvers)}"
        )
    scores = {solver: InstanceScores(campaign, solver, penalty) for solver in solvers}
    total = len(campaign.instances)
    comparisons = [
        _compare(
            solver,
            scores[solver],
            scores[baseline],
            seed,
            campaign.find_contradictions((solver, baseline)),
        )
        for solver in solvers
        if solver != baseline
    ]
    return SolverAnswer(
        baseline,
        campaign.limit_s,
        campaign.origin,
        penalty,
        alpha,
        seed,
        tuple(score(solver, of_solver, total) for solver, of_solver in scores.items()),
        tuple(_judge(comparisons, alpha)),
    )


def _compare(
    solver: str, scores: InstanceScores, baseline: InstanceScores, seed: int, contradictions: Sequence[str]
) -> SolverComparison:
    """Compare without a verdict; instances of one of both, or with two answers, leave it unjudged."""
    shared = [instance for instance in baseline.instances if instance in set(scores.instances)]
    missing = len({*baseline.instances, *scores.instances}) - len(shared)
    rival_alone, baseline_alone = 0, 0
    for instance in shared:
        rival_solved, baseline_solved = (math.isfinite(side.time(instance)) for side in (scores, baseline))
        rival_alone += rival_solved and not baseline_solved
        baseline_alone += baseline_solved and not rival_solved
    values = np.array([scores.par(instance) for instance in shared])
    base = np.array([baseline.par(instance) for instance in shared])
    reason = ""
    short = {**scores.missing_runs, **baseline.missing_runs}
    if missing:
        reason = f"{missing} {'instance has' if missing == 1 else 'instances have'} runs of one of both only"
    elif short:
        count = "1 instance" if len(short) == 1 else f"{len(short)} instances"
        reason = f"runs of {count} are missing ({next(iter(short))})"
    elif contradictions:
        count = "1 instance has" if len(contradictions) == 1 else f"{len(contradictions)} instances have"
        reason = f"{count} both answers, sat and unsat ({contradictions[0]}): one is wrong"
    elif len(shared) < FEWEST:
        reason = f"only {len(shared)} instances; {FEWEST} or more are needed"
    ratio = float(base.mean() / values.mean()) if shared and values.mean() > 0 else float("nan")
    interval, p = None, None
    if not reason:
        p = flipped_p(base - values, seed)
        if len(shared) >= FEWEST_BOUNDED:
            speedup = ratio_of_means(_pair(base, values), "bootstrap-t", seed=seed)
            interval = None if isinstance(speedup, Undefined) else speedup.interval(0.05)
    return SolverComparison(
        solver,
        len(shared),
        rival_alone,
        baseline_alone,
        ratio,
        interval,
        p,
        None,
        "not_judged" if reason else "not_resolved",
        reason,
    )


def _pair(base: np.ndarray, values: np.ndarray) -> Contrast:
    ids = np.arange(base.size, dtype=np.int64)
    ones = np.ones(base.size, dtype=np.int64)
    with np.errstate(divide="ignore"):
        old, new = (Units("instance", ids, np.log(values), values, ones) for values in (base, values))
    return Contrast(old, new, 1, base.size)


def _judge(comparisons: Sequence[SolverComparison], alpha: float) -> list[SolverComparison]:
    """Decide by the signs over the family; intervals agree with them."""
    p_values = [comparison.p for comparison in comparisons if comparison.p is not None]
    family = iter(holm(p_values, alpha))
    judged = []
    for comparison in comparisons:
        if comparison.p is None:
            judged.append(comparison)
            continue
        member = next(family)
        verdict: SolverVerdict = "not_resolved"
        if member.rejected:
            verdict = "better" if comparison.ratio > 1 else "worse"
        interval = _agree(comparison.ci95, verdict)
        judged.append(replace(comparison, p_holm=member.p_holm, verdict=verdict, ci95=interval))
    return judged


def _agree(interval: Interval | None, verdict: SolverVerdict) -> Interval | None:
    """Cut the interval at 1, or extend it to 1, so that it says no other than the signs."""
    if interval is None:
        return None
    match verdict:
        case "better":
            return Interval(max(1.0, interval.low), interval.high)
        case "worse":
            return Interval(interval.low, min(1.0, interval.high))
        case _:
            return Interval(min(1.0, interval.low), max(1.0, interval.high))
