"""``best``: the levels of a factor that may be the best; chosen on one part of the units, judged on the rest.

Whatever looks best has been lucky too: of 20 equal settings the best-looking one seems some percent better
than it is. So the first third of the units chooses a level, and everything that is said rests on the
others, which had no part in choosing (docs/decisions/claims/030-best-is-confirmed.md).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Sequence
from typing import Final, Literal

import numpy as np

from steelyard.claims.draft import Draft, Undecided
from steelyard.claims.evidence import BestCandidate, BestEvidence, Unit
from steelyard.claims.observed import Observed, strata
from steelyard.claims.ratio import comparison_of, explain_open, unit_of
from steelyard.core.sample import Sample
from steelyard.core.units import Scalar
from steelyard.results.analysis import Order
from steelyard.results.comparison import Speedup
from steelyard.results.undefined import Reason, Undefined
from steelyard.spec.claims.best import Best
from steelyard.stats.compare.comparison import admissible
from steelyard.stats.compare.judgement import Judgement, judge_at_least

CHOOSING: Final = 3
"""One unit in so many chooses. A third costs less power than a half, with 2, 5 or 20 levels: choosing well is
easier than showing it."""
LEAST_CHOOSING: Final = 2
LEAST_UNITS: Final = 4
"""Two to choose by, two to judge by."""


def judge_best(claim: Best, observed: Observed) -> Draft:
    """Judge whether the chosen level is better than every other one, and is the one claimed."""
    tested = []
    samples = observed.list_compared(observed.metric(claim.metric))
    for stratum, members in strata(samples, claim.strata, claim.where):
        levels = {member.treatment.levels[claim.best]: member for member in members}
        if len(levels) > 1 and (claim.level is None or claim.level in levels):
            tested.append(_Contest(claim, levels, observed).judge(stratum))
    return Draft(tuple(tested))


class _Contest:
    """The levels of one stratum, the chosen one, and the others against it."""

    def __init__(self, claim: Best, levels: dict[Scalar, Sample], observed: Observed) -> None:
        self.claim = claim
        self.order: Order = observed.order
        self.samples = list(levels.values())
        self.metric = self.samples[0].metric
        choosing, judging = divide(self.samples)
        self.selection, self.n = len(choosing), len(judging)
        self.by: Unit = _make_unit(self.samples[0])
        self.chosen: Scalar | None = None
        self.ratios: dict[Scalar, Speedup | Undefined] = {}
        self.reason: Reason | Literal["failures"] | None = None
        self.observed = observed
        if self.selection + self.n < LEAST_UNITS or self.order == "sequential":
            self.reason = "one_block"
        else:
            self._hold(levels, choosing, judging)

    def _hold(
        self, levels: dict[Scalar, Sample], choosing: Collection[int], judging: Collection[int]
    ) -> None:
        scores = {level: _compute_score(_make_part(sample, choosing)) for level, sample in levels.items()}
        measured = {level: score for level, score in scores.items() if score is not None}
        if len(measured) < len(levels):
            self.reason = "no_values"
            return
        better: Callable[..., Scalar] = max if self.metric.better == "higher" else min
        self.chosen = better(measured, key=measured.__getitem__)
        best = _make_part(levels[self.chosen], judging)
        for level, sample in levels.items():
            if level != self.chosen:
                compared = comparison_of(_make_part(sample, judging), best, self.observed, at_bound=False)
                self.ratios[level] = compared.speedup
                self.by = unit_of(compared)
                if not admissible(compared.flags, self.observed.declared(self.metric.name)):
                    self.reason = explain_open(compared, allowed=False)

    def judge(self, stratum: dict[str, Scalar]) -> Undecided:
        """Judge the claim in this stratum."""
        if self.chosen is None or self.reason is not None:
            return Undecided(stratum, None, 1.0, self.evidence)
        judged = {level: judge_at_least(ratio, 1.0) for level, ratio in self.ratios.items()}
        holds = max(
            judgement.p if _is(judgement, "holds") and judgement.p is not None else 1.0
            for judgement in judged.values()
        )
        claimed = self.claim.level
        if claimed is None:
            return Undecided(stratum, "holds" if holds < 1 else None, holds, self.evidence)
        if claimed == self.chosen:
            # Any of the others may show that the chosen one is not the best, so that each has its share.
            worst = min(
                judgement.p if _is(judgement, "fails") and judgement.p is not None else 1.0
                for judgement in judged.values()
            )
            fails = min(1.0, len(judged) * worst)
            indicated: Literal["holds", "fails"] = "holds" if holds <= fails else "fails"
            return Undecided(stratum, indicated, min(holds, fails), self.evidence)
        against = judged[claimed]
        p = against.p if _is(against, "holds") and against.p is not None else 1.0
        return Undecided(stratum, "fails", p, self.evidence)

    def evidence(self, level: float) -> BestEvidence:
        """Return the others against the chosen level, and which of all may be the best, at a level."""
        candidates = []
        beaten = False
        for name, ratio in self.ratios.items():
            against = judge_at_least(ratio, 1.0, level)
            interval = against.interval
            point = ratio.value if isinstance(ratio, Speedup) else None
            candidates.append(BestCandidate(name, point, interval, against.outcome != "holds"))
            alone = judge_at_least(ratio, 1.0, level / len(self.ratios))
            beaten = beaten or alone.outcome == "fails"
        possible = [candidate.level for candidate in candidates if candidate.possible]
        if self.chosen is not None and not beaten:
            possible.insert(0, self.chosen)
        return BestEvidence(
            metric=self.metric,
            chosen=self.chosen,
            candidates=tuple(candidates),
            possible=tuple(possible),
            selection=self.selection,
            n=self.n,
            by=self.by,
            level=level,
            reason=self.reason,
            scope=self.observed.scope(*self.samples),
        )


def divide(samples: Sequence[Sample]) -> tuple[frozenset[int], frozenset[int]]:
    """Return the units that all samples have, in the order of time: what chooses, and what judges.

    Contexts, where they return, or instances: what one of them does to a treatment must not be on both sides.
    """
    ids = [set(_get_ids(sample)) for sample in samples]
    common = sorted(set.intersection(*ids), key=_order_of(samples[0]))
    first = max(LEAST_CHOOSING, len(common) // CHOOSING)
    return frozenset(common[:first]), frozenset(common[first:])


def _order_of(sample: Sample) -> Callable[[int], int]:
    first: dict[int, int] = {}
    for place, id_ in enumerate(_get_ids(sample)):
        first.setdefault(id_, place)
    return first.__getitem__


def _has_returning_contexts(sample: Sample) -> bool:
    """Whether contexts return, so that they are the units."""
    blocks = dict(zip(sample.blocks, sample.contexts, strict=True))
    return all(blocks.values()) and len(set(blocks.values())) < len(blocks)


def _make_unit(sample: Sample) -> Unit:
    if sample.instances is not None:
        return "instance"
    return "context" if _has_returning_contexts(sample) else "block"


def _get_ids(sample: Sample) -> array[int]:
    if sample.instances is not None:
        return sample.instances.ids
    return sample.contexts if _has_returning_contexts(sample) else sample.blocks


def _make_part(sample: Sample, units: Collection[int]) -> Sample:
    keep = [place for place, id_ in enumerate(_get_ids(sample)) if id_ in units]
    return sample.select(keep)


def _compute_score(sample: Sample) -> float | None:
    """Return the mean logarithm; ``None`` where there is none."""
    values = np.asarray(sample.values, dtype=np.float64)
    if not values.size or not np.isfinite(values).all() or values.min() <= 0:
        return None
    return float(np.log(values).mean())


def _is(judgement: Judgement, indicated: str) -> bool:
    return judgement.indicated == indicated
