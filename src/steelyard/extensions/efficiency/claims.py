"""``efficiency``: parallel efficiency of a metric is at least so much up to a scale."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from steelyard.spec.claims.claim import Claim
from steelyard.spec.claims.keys import Name, Parameter, Where
from steelyard.spec.claims.question import ClaimNames, check_metric, check_parameter, select
from steelyard.spec.text.origin import Origin, Path


class EfficiencyClaim(
    Claim, msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="efficiency", tag_field="kind"
):
    """The metric ``efficiency`` has a parallel efficiency of ``at_least`` at every scale ``up_to`` one."""

    efficiency: Annotated[str, Meta(description='The metric: a time, or a rate (`better = "higher"`).')]
    at_least: Annotated[
        float, Meta(gt=0, le=1, description="The least efficiency: 0.7 is 70 % of the ideal.")
    ]
    up_to: Annotated[
        float | None,
        Meta(description="The largest scale that is judged, which was measured (default: the largest)."),
    ] = None
    scaling: Annotated[
        Literal["strong", "weak"],
        Meta(description="`strong`: one problem is divided; `weak`: work grows with the parameter."),
    ] = "strong"
    parameter: Parameter = None
    where: Where = {}
    name: Name = None

    def check_against(self, question: ClaimNames, origin: Origin, path: Path) -> EfficiencyClaim:
        """Return the claim, where metric and parameter are there."""
        check_metric(self.efficiency, question, origin, (*path, "efficiency"))
        if self.parameter is not None:
            check_parameter(self.parameter, self.efficiency, question, origin, (*path, "parameter"))
        levels = select(self.where, question, origin, (*path, "where"), metric=self.efficiency, empty=True)
        return replace(self, where=levels)
