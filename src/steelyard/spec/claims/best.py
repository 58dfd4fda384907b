"""``best``: one level of a factor against all others."""

from __future__ import annotations

from steelyard.spec.check.levels import find_level
from steelyard.spec.check.selectors import check_strata, free_factors
from steelyard.spec.claims.claim import Best
from steelyard.spec.claims.question import Question, check_metric, select
from steelyard.spec.claims.tables import BestTable
from steelyard.spec.text.origin import Origin, Path, suggest


def read_best(table: BestTable, question: Question, origin: Origin, path: Path) -> Best:
    """The claim, of a factor that has more than one level."""
    metric = check_metric(table.metric, question, origin, (*path, "metric"))
    if table.best not in question.levels:
        from steelyard.spec.hints.did_you_mean import best_meant

        hint = best_meant(table.best, question.levels) or suggest(table.best, question.levels, "factors")
        raise origin.error((*path, "best"), f"there is no factor {table.best}", hint)
    levels = question.levels[table.best]
    if len(levels) < 2:
        what = f"{table.best} has one level, which is best and worst"
        raise origin.error((*path, "best"), what, "give it more levels, or remove the claim")
    level = table.level
    if level is not None:
        level = find_level(table.best, levels, level, origin, (*path, "level"))
    where = select(table.where, question, origin, (*path, "where"), metric=metric, empty=True)
    strata = free_factors(question.factors, question.zips, {table.best})
    check_strata(question.treatments, table.best, where, strata, origin, (*path, "best"))
    return Best(table.best, level, table.metric, where, strata, table.name)
