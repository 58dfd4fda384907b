"""``unperturbed`` and ``validates``: what observing does to a program, and whether what it shows is true.

Perturbation cannot be avoided, but a belief that came from a perturbed run can be tested by changing its
supposed cause (Mytkowicz et al. 2008, section 2.2, DOI 10.1109/IPDPS.2008.4536408).
"""

from __future__ import annotations

from dataclasses import replace

from steelyard.claims.draft import Draft
from steelyard.claims.observed import Observed
from steelyard.claims.ratio import tested_pairs
from steelyard.spec.claims import Unperturbed, Validates
from steelyard.stats.judgement import at_least, within


def judge_unperturbed(claim: Unperturbed, observed: Observed) -> Draft:
    """Holds where the interval of the ratio lies within the margin of 1, fails where it lies outside: a
    difference that is not significant is no evidence.
    """
    return Draft(
        tuple(
            tested_pairs(
                claim.unperturbed,
                claim.probe,
                claim.without,
                claim.strata,
                claim.where,
                observed,
                lambda ratio: within(ratio, claim.within),
                inverse=False,
            )
        )
    )


def judge_validates(claim: Validates, observed: Observed) -> Draft:
    """Two predictions, both of which must hold: that of the probed metric under the probe, and that of the
    outcome without it. One that fails refutes.
    """
    better = {sample.metric.better for sample in observed.samples(claim.validates)}
    # A ratio is above 1 where the treatment is better. What is neither counts as if lower were.
    improves = claim.direction == ("higher" if better == {"higher"} else "lower")
    predictions = (
        (claim.validates, claim.probe, claim.least, not improves),
        (claim.outcome, claim.without, claim.outcome_least, False),
    )
    tested = []
    for metric, observer, least, inverse in predictions:
        found = tested_pairs(
            metric,
            {**claim.intervention, **observer},
            {**claim.than, **observer},
            claim.strata,
            claim.where,
            observed,
            lambda ratio, least=least: at_least(ratio, least),  # type: ignore[misc]
            inverse=inverse,
        )
        tested += [replace(each, stratum={"metric": metric, **each.stratum}) for each in found]
    return Draft(tuple(tested))
