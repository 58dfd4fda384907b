"""``rule``: levels of a factor, or labels, that take no more than others together, and grow no faster."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.units import is_number
from steelyard.spec.claims.claim import Claim
from steelyard.spec.claims.keys import Metric, Name, Parameter, Where
from steelyard.spec.claims.question import ClaimNames, check_label, check_metric, check_parameter, select
from steelyard.spec.text.origin import Origin, Path, suggest
from steelyard.spec.text.toml import format_value

LEAST_POINTS: Final = 3
"""Of the parameter, from which there is a model."""
TOLERANCE: Final = 0.05
"""Relative excess of the left side that breaks no rule, by default."""


class Rule(Claim, msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="rule", tag_field="kind"):
    """Levels of ``over`` take no more than others together at any point, and grow no faster.

    An example is ``allreduce <= reduce + bcast`` (Träff, Gropp, Thakur 2010, DOI 10.1109/TPDS.2009.120).
    """

    rule: Annotated[str, Meta(description='`"allreduce <= reduce + bcast"`: names are levels of `over`.')]
    over: Annotated[str, Meta(description="The factor or label whose levels the rule names.")]
    metric: Metric = None
    parameter: Parameter = None
    tolerance: Annotated[
        float,
        Meta(ge=0, le=1e6, description="Relative excess of the left side that breaks no rule: 0.05 is 5 %."),
    ] = TOLERANCE
    growth: Annotated[
        bool,
        Meta(description="Whether leading terms are compared too; `false`: only values at measured points."),
    ] = True
    where: Where = {}
    name: Name = None

    def check_against(self, question: ClaimNames, origin: Origin, path: Path) -> Rule:
        """Return the claim, where the names in it are levels, or may be labels."""
        from steelyard.extensions.growth.algebra import parse_rule

        metric = check_metric(self.metric, question, origin, (*path, "metric"))
        try:
            rule = parse_rule(self.rule)
        except UsageError as error:
            raise origin.place_error((*path, "rule"), error) from None
        if self.over in question.levels:
            levels = [str(level) for level in question.levels[self.over]]
            for name in (*rule.left_side, *rule.right):
                if name not in levels:
                    text = f"{self.over} has no level {format_value(name)}"
                    raise origin.error((*path, "rule"), text, suggest(name, levels, "levels"))
        else:
            check_label(self.over, metric, question, origin, (*path, "over"))
        if self.parameter is not None:
            check_parameter(self.parameter, metric, question, origin, (*path, "parameter"))
        if self.growth:
            _check_scales(self, question, origin, path)
        cell = select(self.where, question, origin, (*path, "where"), metric=metric, empty=True)
        return replace(self, where=cell)


def _check_scales(claim: Rule, question: ClaimNames, origin: Origin, path: Path) -> None:
    """Refuse a rule over too few numbers before anything is measured; labels are not known yet."""
    if claim.parameter is not None and claim.parameter not in question.levels:
        return  # a label
    numbers = {
        name: len(levels)
        for name, levels in question.levels.items()
        if name != claim.over and all(map(is_number, levels))
    }
    if claim.parameter is not None:
        numbers = {claim.parameter: numbers.get(claim.parameter, 0)}
    most = max(numbers.values(), default=LEAST_POINTS)
    if most < LEAST_POINTS:
        scales = max(numbers, key=lambda name: numbers[name])
        text = f"{scales} has {most} level{'s' * (most != 1)}, and growth needs at least {LEAST_POINTS}"
        hint = f"give {scales} more levels, or name the label that grows: parameter = …"
        hint += "; growth = false compares values only"
        raise origin.error((*path, "rule"), text, hint)
