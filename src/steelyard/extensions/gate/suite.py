"""``judge``: slower, faster, equivalent or open, for every benchmark of a suite together.

A benchmark has one difference of logarithms a block, head less base, of a time per unit of work. Three
hypotheses are tested about their mean: at most the margin (its end is "slower"), at least minus the margin
("faster"), and outside of both ("equivalent", Schuirmann 1987, DOI 10.1007/BF01068419), each by Student's t,
with the standard error that neighbours leave which seem alike (``stats.compare.dependence``).
Beside the mean stands the typical run, by ranks and at its part of the level: it makes a benchmark slower,
and keeps one from being equivalent, and does nothing else.
Each p counts over all looks (``stats.sequential.looks``) and is the smallest of them: over all looks it is
below a with a probability of at most a, whenever the benchmark stops. So Holm's adjustment over the suite
holds with benchmarks that stop at different looks, and what was decided stays so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.core.special import normal_quantile
from steelyard.results.comparison import Decider
from steelyard.results.interval import Interval
from steelyard.stats.compare.equivalence import equivalence_paired
from steelyard.stats.compare.judgement import share_of_level
from steelyard.stats.describe.dependence import Allowance, allow_for_neighbours, widening_by_ranks
from steelyard.stats.distributions.student import t_quantile, two_sided_p
from steelyard.stats.hypothesis.holm import holm
from steelyard.stats.hypothesis.rank_location import RankLocation, locate_paired
from steelyard.stats.rounding import constant
from steelyard.stats.sequential.looks import Looks

LEAST: Final = 3
"""Blocks of a look."""
POWER: Final = 0.8
"""Probability with which the blocks of an outlook decide."""
MOST_BLOCKS: Final = 1_000_000

Decision = Literal["slower", "faster", "equivalent", "open"]


class BenchmarkEvidence(msgspec.Struct, frozen=True):
    """Smallest p of each hypothesis over the looks at one benchmark so far.

    Attributes
    ----------
    typical_worse, typical_better : float
        Of the typical run, as the whole level counts them.
    """

    worse: float = 1.0
    better: float = 1.0
    equivalent: float = 1.0
    typical_worse: float = 1.0
    typical_better: float = 1.0


class BenchmarkJudgement(msgspec.Struct, frozen=True):
    """Evidence, adjusted over the suite, the verdict, and whether the mean or the typical run decided."""

    decision: Decision
    adjusted: BenchmarkEvidence
    by: Decider | None = None


def look_again(
    before: BenchmarkEvidence, differences: Floats, looks: Looks, margin: float
) -> BenchmarkEvidence:
    """Evidence after one more look at a benchmark.

    Parameters
    ----------
    differences : array
        Of all blocks so far, as many as the last look has.
    margin : float
        Relative, above 0: 0.03 is 3 % slower, or faster by the same factor.
    """
    bound = math.log1p(margin)
    allowed = allow_for_neighbours(differences)
    tested = equivalence_paired(differences, Interval(-bound, bound), allowed)
    # Of one-sided hypotheses: a two-sided level is spent, half of it on either side.
    worse = _one_sided(differences - bound, looks, allowed)
    better = _one_sided(-differences - bound, looks, allowed)
    equivalent = looks.overall(min(1.0, 2 * tested.p)) / 2 if tested.p < 1 else 1.0
    typical = locate_typical(differences)
    typical_worse = typical_better = 1.0
    if typical is not None:
        beyond = share_of_level(looks.overall(typical.p_of(math.exp(math.copysign(bound, typical.log)))))
        typical_worse = beyond if typical.log > bound else 1.0
        typical_better = beyond if typical.log < -bound else 1.0
    return BenchmarkEvidence(
        min(before.worse, worse),
        min(before.better, better),
        min(before.equivalent, equivalent),
        min(before.typical_worse, typical_worse),
        min(before.typical_better, typical_better),
    )


def locate_typical(differences: Floats) -> RankLocation | None:
    """Locate the logarithm of a typical run, head over base, of blocks in the order of time."""
    ratio = locate_paired(differences)
    return ratio and replace(ratio, factor=widening_by_ranks(differences))


def _one_sided(excess: Floats, looks: Looks, allowed: Allowance) -> float:
    """Overall p of "the mean is at most 0"; two-sided, so that both directions together keep the level."""
    mean = float(excess.mean())
    if mean <= 0:
        return 1.0
    n = excess.size
    if constant(excess):
        return looks.overall(min(1.0, 2.0 ** (1 - n)))
    t = mean / (allowed.factor * float(excess.std(ddof=1)) / math.sqrt(n))
    return looks.overall(two_sided_p(t, allowed.nu))


def judge(suite: Sequence[BenchmarkEvidence], alpha: float) -> list[BenchmarkJudgement]:
    """Verdicts of a suite: differences are one family, equivalences another, each with its ``alpha``."""
    worse = [min(entry.worse, entry.typical_worse) for entry in suite]
    # What fails for the typical run fails, though the mean be faster.
    is_slower = [
        p <= entry.better or entry.typical_worse <= alpha for p, entry in zip(worse, suite, strict=True)
    ]
    differing = holm(
        [p if slower else entry.better for p, slower, entry in zip(worse, is_slower, suite, strict=True)],
        alpha,
    )
    inside = holm([entry.equivalent for entry in suite], alpha)
    judgements = []
    for evidence, is_worse, differs, equal in zip(suite, is_slower, differing, inside, strict=True):
        decision: Decision = "open"
        by: Decider | None = None
        if differs.rejected:
            decision = "slower" if is_worse else "faster"
            by = "typical" if is_worse and evidence.typical_worse < evidence.worse else "mean"
        elif equal.rejected and evidence.typical_better > alpha:
            decision, by = "equivalent", "mean"
        adjusted = BenchmarkEvidence(
            differs.p_holm if is_worse else 1.0, 1.0 if is_worse else differs.p_holm, equal.p_holm
        )
        judgements.append(BenchmarkJudgement(decision, adjusted, by))
    return judgements


def estimate_interval(differences: Floats, alpha: float = 0.05) -> Interval | None:
    """Confidence interval of the mean logarithm; ``None`` of fewer than two values."""
    if differences.size < 2:
        return None
    allowed = allow_for_neighbours(differences)
    se = allowed.factor * float(differences.std(ddof=1)) / math.sqrt(differences.size)
    half = t_quantile(allowed.nu, alpha) * se
    mean = float(differences.mean())
    return Interval(mean - half, mean + half)


def estimate_blocks(differences: Floats, margin: float, level: float) -> int | None:
    """Estimate the blocks beyond those that there are, after which the verdict is probably decided.

    That is if the mean is what it seems; ``None`` where it seems to lie at the margin, or no number is
    enough.

    Parameters
    ----------
    level : float
        Two-sided, at which the benchmark will be tested.
    """
    n = differences.size
    if n < LEAST:
        return None
    distance = abs(abs(float(differences.mean())) - math.log1p(margin))
    spread = float(differences.std(ddof=1))
    if distance <= 0:
        return None
    reach = -normal_quantile(level / 2) + normal_quantile(POWER)
    needed = (reach * spread / distance) ** 2 + 2
    return None if needed > MOST_BLOCKS else max(1, math.ceil(needed) - n)


def log_differences(base: Sequence[float], head: Sequence[float], *, is_higher_better: bool) -> Floats:
    """Logarithms of head over base of paired values, of a rate of base over head; above 0 is worse."""
    ratio = np.log(np.asarray(head, dtype=np.float64)) - np.log(np.asarray(base, dtype=np.float64))
    return -ratio if is_higher_better else ratio
