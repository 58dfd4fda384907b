"""What ``steelyard solvers`` answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

import msgspec

from steelyard.results.document import Format, Lines
from steelyard.results.interval import Interval

SolverVerdict = Literal["better", "worse", "not_resolved", "not_judged"]


class SolverScore(msgspec.Struct, frozen=True):
    """One solver over all instances.

    Attributes
    ----------
    runs, timeouts, failures, wrong : int
        ``runs`` has the timeouts and the failures in it, and the failures have the wrong answers.
    reasons : Mapping[str, int]
        Of failures that gave no answer, in the words of the file, each with its number.
    instances, missing : int
        With a run of this solver; those that others have and it has not.
    missing_runs : int
        Of instances that have fewer runs of this solver than its others have.
    solved : int
        Instances of which more than half of the runs were solved.
    solved_ci95 : Interval
        Share of solved ones among instances like these, exact.
    par_s : float
        Mean over instances of the mean over runs; a run that was not solved counts as so many limits.
    median_s : float or None
        Of the instances; ``None``: beyond the limit. With one limit that all runs share, it is the median of
        Kaplan and Meier.
    median_ci95 : tuple of (float or None, float or None), or None
        By order statistics; ``None`` within it: beyond the limit. ``None``: fewer than six instances.
    """

    solver: str
    runs: int
    timeouts: int
    failures: int
    wrong: int
    reasons: Mapping[str, int]
    instances: int
    missing: int
    missing_runs: int
    solved: int
    solved_ci95: Interval
    par_s: float
    median_s: float | None
    median_ci95: tuple[float | None, float | None] | None


class SolverComparison(msgspec.Struct, frozen=True):
    """A solver against the baseline, instance by instance.

    Attributes
    ----------
    instances : int
        That both have.
    alone, baseline_alone : int
        Instances that only this solver, or only the baseline, solved.
    ratio : float
        PAR of the baseline over that of the solver: above 1, the solver is better.
    ci95 : Interval or None
        Of the ratio, studentised bootstrap over instances, cut at 1 or extended to it where the signs say so;
        ``None`` below 30 instances, which do not bound a mean whose largest values are rare.
    p, p_holm : float or None
        Of equal PAR: signs of the differences flipped; over all solvers.
    reason : str
        Why there is no verdict; empty otherwise.
    """

    solver: str
    instances: int
    alone: int
    baseline_alone: int
    ratio: float
    ci95: Interval | None
    p: float | None
    p_holm: float | None
    verdict: SolverVerdict
    reason: str = ""


class SolverAnswer(msgspec.Struct, frozen=True):
    """Solvers over problem instances.

    Attributes
    ----------
    penalty : int
        ``par`` in documents: limits that a run counts as which was not solved.
    """

    baseline: str
    limit_s: float
    limit_origin: str
    penalty: int
    alpha: float
    seed: int
    scores: tuple[SolverScore, ...]
    comparisons: tuple[SolverComparison, ...]
    __lines__: ClassVar[Lines] = (
        *("baseline", "limit_s", "limit_origin", "par=penalty", "alpha", "seed"),
        *("solvers=scores", "comparisons"),
    )


SOLVERS: Final = Format("steelyard/solvers", 1, SolverAnswer)
