"""``rule``: levels of a factor, or labels, that do not grow faster than others together."""

from __future__ import annotations

from steelyard.errors import UsageError
from steelyard.spec.claims.claim import Rule
from steelyard.spec.claims.question import Question, check_label, check_metric, check_parameter, select
from steelyard.spec.claims.tables import RuleTable
from steelyard.spec.text.origin import Origin, Path, suggest
from steelyard.spec.text.toml import shown


def read_rule(table: RuleTable, question: Question, origin: Origin, path: Path) -> Rule:
    """The claim, where the names in it are levels, or may be labels."""
    from steelyard.growth import parse_rule

    metric = check_metric(table.metric, question, origin, (*path, "metric"))
    try:
        rule = parse_rule(table.rule)
    except UsageError as error:
        raise origin.placed((*path, "rule"), error) from None
    if table.over in question.levels:
        levels = [str(level) for level in question.levels[table.over]]
        for name in (*rule.left, *rule.right):
            if name not in levels:
                what = f"{table.over} has no level {shown(name)}"
                raise origin.error((*path, "rule"), what, suggest(name, levels, "levels"))
    else:
        check_label(table.over, metric, question, origin, (*path, "over"))
    if table.parameter is not None:
        check_parameter(table.parameter, metric, question, origin, (*path, "parameter"))
    where = select(table.where, question, origin, (*path, "where"), metric=metric, empty=True)
    return Rule(table.rule, table.over, table.metric, table.parameter, where, table.name)
