"""The claims of an experiment as one family of tests (docs/decisions/claims/029-claims-are-one-family.md).

A claim is one member, however many strata it has. It holds where it holds in every stratum: for that each
stratum may use the whole level of the claim (Berger 1982, Technometrics 24, 295-300). It fails where it fails
in one: for that the level is divided by the number of strata. The smaller of the two is the claim's p, and
Holm adjusts over the claims, so that any wrong verdict among all of them has a probability of at most alpha.
"""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.claims.draft import Draft, Undecided
from steelyard.claims.verdict import Family, Instance, Verdict, combine, name_unjudged
from steelyard.spec.claims.claim import Claim
from steelyard.stats.compare.judgement import Outcome
from steelyard.stats.hypothesis.holm import holm


def decide(claims: Sequence[Claim], drafts: Sequence[Draft], alpha: float) -> tuple[Verdict, ...]:
    """Return the verdicts, in the order of the claims."""
    members = [i for i, draft in enumerate(drafts) if draft.tested]
    p_values = [p_of(drafts[i].tested) for i in members]
    results = dict(zip(members, holm(p_values, alpha), strict=True))
    verdicts = []
    for i, (claim, draft) in enumerate(zip(claims, drafts, strict=True)):
        if i in results:
            result = results[i]
            family = Family(result.p, result.p_holm, result.level, len(members))
            instances = (*settle(draft.tested, result.level), *map(name_unjudged, draft.settled))
        else:
            family, instances = None, tuple(map(name_unjudged, draft.settled))
        outcome = combine(instance.outcome for instance in instances)
        verdicts.append(Verdict(claim, outcome, instances, family, draft.breaks))
    return tuple(verdicts)


def p_of(tested: Sequence[Undecided]) -> float:
    """Return the smallest level at which the claim is decided over all of its strata."""
    holds = max((test.p if test.indicated == "holds" else 1.0) for test in tested)
    fails = len(tested) * min((test.p if test.indicated == "fails" else 1.0) for test in tested)
    return min(holds, fails, 1.0)


def settle(tested: Sequence[Undecided], level: float) -> tuple[Instance, ...]:
    """Decide each stratum at the level of its claim."""
    return tuple(_settle(test, level, level / len(tested)) for test in tested)


def _settle(tested: Undecided, to_hold: float, to_fail: float) -> Instance:
    level = to_fail if tested.indicated == "fails" else to_hold
    decided = tested.indicated is not None and tested.p <= level
    outcome: Outcome = tested.indicated if decided and tested.indicated else "not_resolved"
    if tested.crowded:
        outcome = "not_judged"
    return name_unjudged(Instance(tested.stratum, outcome, tested.at(level)))
