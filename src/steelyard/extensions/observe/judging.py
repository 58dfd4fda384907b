"""``unperturbed`` and ``validates``: what observing does to a program, and whether what it shows is true.

Perturbation cannot be avoided, but a belief that came from a perturbed run can be tested by changing its
supposed cause (Mytkowicz et al. 2008, section 2.2, DOI 10.1109/IPDPS.2008.4536408).
"""

from __future__ import annotations

import math
from array import array
from functools import partial

from msgspec.structs import replace

from steelyard.claims.draft import Draft, Undecided
from steelyard.claims.observed import Observed, has, strata
from steelyard.claims.ratio import Statement, equal_within, tested_pair, tested_pairs
from steelyard.core.sample import Sample
from steelyard.extensions.observe.claims import Unperturbed, Validates
from steelyard.stats.compare.judgement import judge_at_least


def judge_unperturbed(claim: Unperturbed, observed: Observed) -> Draft:
    """Judge whether the interval of the ratio lies within the margin of 1.

    The claim fails where it lies outside: a difference that is not significant is not evidence.
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
                equal_within(claim.within),
            )
        )
    )


def judge_validates(claim: Validates, observed: Observed) -> Draft:
    """Judge two predictions, both of which must hold; one that fails refutes.

    They are that of the probed metric under the probe, and that of the outcome without it. With ``within``,
    there is a third: the probe costs the outcome the same either way, so that it is not the probe which the
    intervention acts on.
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
        pairs = tested_pairs(
            metric,
            {**claim.intervention, **observer},
            {**claim.than, **observer},
            claim.strata,
            claim.where,
            observed,
            Statement(partial(judge_at_least, by=least), inverse),
        )
        tested += [replace(pair, stratum={"metric": metric, **pair.stratum}) for pair in pairs]
    if claim.within is not None:
        tested += _get_interactions(claim, claim.within, observed)
    return Draft(tuple(tested))


def _get_interactions(claim: Validates, bound: float, observed: Observed) -> list[Undecided]:
    """Whether what the probe does to the outcome is the same with and without the intervention."""
    tested = []
    for stratum, members in strata(observed.list_compared(claim.outcome), claim.strata, claim.where):
        costs = []
        for levels in (claim.than, claim.intervention):
            on, off = (
                next((m for m in members if has(m.treatment.levels, {**levels, **observer})), None)
                for observer in (claim.probe, claim.without)
            )
            if on is not None and off is not None:
                costs.append(_make_quotient(on, off))
        if len(costs) == 2:
            as_it_is, changed = costs
            stratum_of = {"probe's cost in": claim.outcome, **stratum}
            tested.append(tested_pair(stratum_of, changed, as_it_is, observed, equal_within(bound)))
    return tested


def _make_quotient(on: Sample, off: Sample) -> Sample:
    """Return the metric under the probe over the metric without, block by block or instance by instance.

    Replicates enter by their geometric means.
    """
    probed, alone = _group_by_unit(on), _group_by_unit(off)
    units = [unit for unit in probed if unit in alone]
    first = {unit: place for place, unit in reversed(list(enumerate(_get_units(on))))}
    places = [first[unit] for unit in units]
    return replace(
        on,
        values=array("d", (math.exp(probed[unit] - alone[unit]) for unit in units)),
        blocks=array("q", (on.blocks[place] for place in places)),
        passes=array("q", (on.passes[place] for place in places)),
        contexts=array("q", (on.contexts[place] for place in places)),
        trials=array("q", (on.trials[place] for place in places)),
        censored=array("b", (on.censored[place] for place in places) if on.censored else ()),
        instances=on.instances and replace(on.instances, ids=array("q", units)),
    )


def _get_units(sample: Sample) -> array[int]:
    return sample.blocks if sample.instances is None else sample.instances.ids


def _group_by_unit(sample: Sample) -> dict[int, float]:
    """Return the mean logarithm of each unit; units with a value that has none are left out."""
    logs: dict[int, list[float]] = {}
    for unit, value in zip(_get_units(sample), sample.values, strict=True):
        logs.setdefault(unit, []).append(math.log(value) if value > 0 else math.nan)
    means = {unit: sum(logs) / len(logs) for unit, logs in logs.items()}
    return {unit: mean for unit, mean in means.items() if math.isfinite(mean)}
