"""``unperturbed`` and ``validates``: what a probe changes, and whether what it shows is true."""

from __future__ import annotations

from steelyard.spec.check.selectors import check_pair, free_factors
from steelyard.spec.claims.claim import Unperturbed, Validates
from steelyard.spec.claims.question import Question, check_metric, select
from steelyard.spec.claims.tables import UnperturbedTable, ValidatesTable
from steelyard.spec.text.origin import Origin, Path


def read_unperturbed(table: UnperturbedTable, question: Question, origin: Origin, path: Path) -> Unperturbed:
    """The claim, with the baseline of the analysis where it does not say what is without the probe."""
    metric = check_metric(table.unperturbed, question, origin, (*path, "unperturbed"))
    old = question.analysis.baseline if table.without is None else table.without
    if old is None:
        what = "unperturbed without without, and [analysis] has no baseline"
        raise origin.error(path, what, "write without = { … } as well")
    probed = select(table.probe, question, origin, (*path, "probe"))
    alone = select(old, question, origin, (*path, "without"))
    where = select(table.where, question, origin, (*path, "where"), metric=metric, empty=True)
    strata = free_factors(question.factors, question.zips, probed.keys() | alone.keys())
    places = (*path, "probe"), (*path, "without")
    check_pair(question.treatments, probed, alone, where, strata, origin, *places)
    return Unperturbed(metric, probed, alone, table.within, where, strata, table.name)


def read_validates(table: ValidatesTable, question: Question, origin: Origin, path: Path) -> Validates:
    """The claim, where all four pairs of treatments are run."""
    metric = check_metric(table.validates, question, origin, (*path, "validates"))
    outcome = check_metric(table.outcome, question, origin, (*path, "outcome"))
    keys = ("intervention", "than", "probe", "without")
    changed, as_it_is, probed, alone = (
        select(getattr(table, key), question, origin, (*path, key)) for key in keys
    )
    where = select(table.where, question, origin, (*path, "where"), metric=metric, empty=True)
    named = changed.keys() | as_it_is.keys() | probed.keys() | alone.keys()
    strata = free_factors(question.factors, question.zips, named)
    places = (*path, "intervention"), (*path, "than")
    for observer in (probed, alone):
        new, old = {**changed, **observer}, {**as_it_is, **observer}
        check_pair(question.treatments, new, old, where, strata, origin, *places)
    return Validates(
        validates=metric,
        intervention=changed,
        than=as_it_is,
        probe=probed,
        without=alone,
        direction=table.direction,
        least=table.least,
        outcome=outcome,
        outcome_least=table.outcome_least,
        within=table.within,
        where=where,
        strata=strata,
        name=table.name,
    )
