"""``unperturbed`` and ``validates``: what a probe changes, and whether what it shows is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from steelyard.spec.claims.claim import Claim
from steelyard.spec.claims.keys import NOT_GIVEN, Levels, Name, Strata, Where
from steelyard.spec.claims.question import ClaimNames, check_metric, select
from steelyard.spec.selectors import check_pair, free_factors
from steelyard.spec.text.origin import Origin, Path

if TYPE_CHECKING:
    _Without = Levels
else:
    _Without = Annotated[
        Levels | None,
        Meta(description="Levels of the one without it; the baseline of `[analysis]` by default."),
    ]


class Unperturbed(
    Claim, msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="unperturbed", tag_field="kind"
):
    """The metric ``unperturbed`` is under a probe what it is without, to ``within``, in every stratum."""

    unperturbed: Annotated[str, Meta(description="The metric.")]
    probe: Annotated[Levels, Meta(description="Levels of the treatment with the probe.")]
    within: Annotated[
        float, Meta(gt=0, lt=1, description="The largest relative change that counts as none: 0.01 is 1 %.")
    ]
    without: _Without = NOT_GIVEN
    where: Where = {}
    strata: Strata = ()
    name: Name = None

    def check_against(self, question: ClaimNames, origin: Origin, path: Path) -> Unperturbed:
        """Return the claim, with the baseline of the analysis where ``without`` is not given."""
        metric = check_metric(self.unperturbed, question, origin, (*path, "unperturbed"))
        without: Levels | None = self.without
        old = question.analysis.baseline if without is None else without
        if old is None:
            text = "unperturbed needs the key without, since [analysis] has no baseline"
            raise origin.error(path, text, "write without = { … } as well")
        probed = select(self.probe, question, origin, (*path, "probe"))
        alone = select(old, question, origin, (*path, "without"))
        levels = select(self.where, question, origin, (*path, "where"), metric=metric, empty=True)
        strata = free_factors(question.factors, question.zips, probed.keys() | alone.keys())
        places = (*path, "probe"), (*path, "without")
        check_pair(question.treatments, probed, alone, levels, strata, origin, *places)
        return replace(self, probe=probed, without=alone, where=levels, strata=strata)


class Validates(
    Claim, msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="validates", tag_field="kind"
):
    """An intervention confirms what a probe shows.

    It changes the metric ``validates``, seen by the probe, in ``direction`` by the factor ``least``; and
    without the probe it improves ``outcome`` by the factor ``outcome_least``.
    """

    validates: Annotated[str, Meta(description="The metric that the probe shows.")]
    intervention: Annotated[Levels, Meta(description="Levels with the supposed cause changed.")]
    than: Annotated[Levels, Meta(description="Levels with the supposed cause as it is.")]
    probe: Annotated[Levels, Meta(description="Levels with the probe.")]
    without: Annotated[Levels, Meta(description="Levels without it, where the outcome is measured.")]
    direction: Annotated[
        Literal["lower", "higher"], Meta(description="Where the probed metric is predicted to go.")
    ]
    least: Annotated[
        float,
        Meta(ge=1, le=1e6, description="By which factor at least: 2 is half as many, or twice as many."),
    ] = 1.0
    outcome: Annotated[
        str, Meta(description="The metric that is to improve, measured without the probe.")
    ] = "wall_s"
    outcome_least: Annotated[
        float, Meta(ge=1, le=1e6, description="By which factor at least the outcome improves.")
    ] = 1.0
    within: Annotated[
        Annotated[float, Meta(gt=0, lt=1)] | None,
        Meta(
            description="Also: the probe changes the outcome by the same factor with and without the"
            " intervention, to this fraction."
        ),
    ] = None
    where: Where = {}
    strata: Strata = ()
    name: Name = None

    def check_against(self, question: ClaimNames, origin: Origin, path: Path) -> Validates:
        """Return the claim, where all four pairs of treatments are run."""
        metric = check_metric(self.validates, question, origin, (*path, "validates"))
        check_metric(self.outcome, question, origin, (*path, "outcome"))
        keys = ("intervention", "than", "probe", "without")
        levels = {key: select(getattr(self, key), question, origin, (*path, key)) for key in keys}
        cell = select(self.where, question, origin, (*path, "where"), metric=metric, empty=True)
        named = {name for level in levels.values() for name in level}
        strata = free_factors(question.factors, question.zips, named)
        places = (*path, "intervention"), (*path, "than")
        for observer in (levels["probe"], levels["without"]):
            new, old = {**levels["intervention"], **observer}, {**levels["than"], **observer}
            check_pair(question.treatments, new, old, cell, strata, origin, *places)
        return replace(self, **levels, where=cell, strata=strata)
