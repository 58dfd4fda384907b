"""``rule``: levels of a factor, or labels, that do not grow faster than others together."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from steelyard.errors import UsageError
from steelyard.spec.claims.keys import Metric, Name, Parameter, Where
from steelyard.spec.claims.question import Question, check_label, check_metric, check_parameter, select
from steelyard.spec.text.origin import Origin, Path, suggest
from steelyard.spec.text.toml import shown


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="rule", tag_field="kind"):
    """Levels of ``over`` do not grow faster than others together: ``allreduce <= reduce + bcast``."""

    rule: Annotated[str, Meta(description='`"allreduce <= reduce + bcast"`: names are levels of `over`.')]
    over: Annotated[str, Meta(description="The factor or label whose levels the rule names.")]
    metric: Metric = None
    parameter: Parameter = None
    where: Where = {}
    name: Name = None

    def checked(self, question: Question, origin: Origin, path: Path) -> Rule:
        """Return the claim, where the names in it are levels, or may be labels."""
        from steelyard.growth import parse_rule

        metric = check_metric(self.metric, question, origin, (*path, "metric"))
        try:
            rule = parse_rule(self.rule)
        except UsageError as error:
            raise origin.placed((*path, "rule"), error) from None
        if self.over in question.levels:
            levels = [str(level) for level in question.levels[self.over]]
            for name in (*rule.left, *rule.right):
                if name not in levels:
                    what = f"{self.over} has no level {shown(name)}"
                    raise origin.error((*path, "rule"), what, suggest(name, levels, "levels"))
        else:
            check_label(self.over, metric, question, origin, (*path, "over"))
        if self.parameter is not None:
            check_parameter(self.parameter, metric, question, origin, (*path, "parameter"))
        where = select(self.where, question, origin, (*path, "where"), metric=metric, empty=True)
        return replace(self, where=where)
