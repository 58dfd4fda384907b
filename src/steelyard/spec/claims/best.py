"""``best``: one level of a factor against all others."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from steelyard.core.units import Scalar
from steelyard.spec.claims.claim import Claim
from steelyard.spec.claims.keys import Metric, Name, Strata, Where
from steelyard.spec.claims.question import ClaimNames, check_metric, select
from steelyard.spec.levels import find_level
from steelyard.spec.selectors import check_strata, free_factors
from steelyard.spec.text.origin import Origin, Path, suggest


class Best(Claim, msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="best", tag_field="kind"):
    """One level of the factor ``best`` is better than all others in every stratum: ``level``, if given."""

    best: Annotated[str, Meta(description="The factor.")]
    level: Annotated[
        Scalar | None, Meta(description="The level that is best; where left out, whichever it is.")
    ] = None
    metric: Metric = None
    where: Where = {}
    strata: Strata = ()
    name: Name = None

    def check_against(self, question: ClaimNames, origin: Origin, path: Path) -> Best:
        """Return the claim with its level as the factor has it."""
        metric = check_metric(self.metric, question, origin, (*path, "metric"))
        if self.best not in question.levels:
            from steelyard.spec.hints.did_you_mean import suggest_best

            hint = suggest_best(self.best, question.levels) or suggest(self.best, question.levels, "factors")
            raise origin.error((*path, "best"), f"unknown factor {self.best}", hint)
        levels = question.levels[self.best]
        if len(levels) < 2:
            text = f"{self.best} has one level, which is best and worst"
            raise origin.error((*path, "best"), text, "give it more levels, or remove the claim")
        level = self.level
        if level is not None:
            level = find_level(self.best, levels, level, origin, (*path, "level"))
        cell = select(self.where, question, origin, (*path, "where"), metric=metric, empty=True)
        strata = free_factors(question.factors, question.zips, {self.best})
        check_strata(question.treatments, self.best, cell, strata, origin, (*path, "best"))
        return replace(self, level=level, where=cell, strata=strata)
