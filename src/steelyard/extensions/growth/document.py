"""The document ``steelyard/models``. History: version 1, the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

import msgspec

from steelyard.claims.verdict import Verdict
from steelyard.core.units import Scalar
from steelyard.extensions.growth.evidence import RuleEvidence, RulePointEvidence
from steelyard.extensions.growth.follow_ups import NOTHING, After
from steelyard.extensions.growth.judged_model import JudgedModel, name_coordinates
from steelyard.extensions.growth.rule_claim import Rule
from steelyard.extensions.growth.scaling.holdout import Holdout
from steelyard.extensions.growth.scaling.limit import Breaks
from steelyard.extensions.growth.scaling.litmus import Cause
from steelyard.extensions.growth.scaling.model import (
    NotModelled,
    ScalingModel,
)
from steelyard.extensions.growth.scaling.suggest import Suggestion
from steelyard.extensions.growth.scaling.versus import Versus
from steelyard.results.document import Format, Lines, Views
from steelyard.results.interval import Interval
from steelyard.stats.compare.judgement import Outcome


class LimitOfModel(msgspec.Struct, frozen=True):
    """Where a model crosses a limit."""

    model: ScalingModel
    breaks: Breaks
    __lines__: ClassVar[Lines] = (
        *("name=model.name", "metric=model.metric", "limit=breaks.limit", "parameter=breaks.parameter"),
        *("breaks_at=breaks.at", "interval95"),
        *("above_until=breaks.above_until", "at=breaks.other_parameters"),
    )

    @property
    def interval95(self) -> tuple[float | None, float | None]:
        """The earliest and the latest place; an end is ``None`` where it is not known."""
        return self.breaks.earliest, self.breaks.latest


class SuggestionsForModel(msgspec.Struct, frozen=True):
    """The points that would tell most about a model."""

    model: ScalingModel
    suggestions: tuple[Suggestion, ...]
    __lines__: ClassVar[Lines] = ("name=model.name", "metric=model.metric", "points")

    @property
    def points(self) -> tuple[Mapping[str, Any], ...]:
        """Each with the certainty that it would bring, its cost, and whether it settles the question."""
        return tuple(
            {
                "at": name_coordinates(self.model, suggestion.at),
                "certainty": suggestion.certainty,
                "cost": suggestion.cost,
                "settles": suggestion.settles,
            }
            for suggestion in self.suggestions
        )


class PointOfRule(msgspec.Struct, frozen=True):
    """Left side over right side at one point; ``interval`` has the coverage 1 - ``level``."""

    at: Mapping[str, Scalar]
    verdict: Outcome
    ratio: float | None
    interval: Interval | None
    level: float
    method: str | None
    n: int
    reason: str | None


class JudgedRule(msgspec.Struct, frozen=True):
    """A rule between functions: measured points, and growth.

    ``growth`` is whether the left side grows no faster, null where that was not compared; ``probability``,
    ``breaks_at`` and ``measured`` are about it, ``reason`` says why there is no answer.
    """

    rule: str
    metric: str | None
    tolerance: float
    verdict: Outcome
    points: tuple[PointOfRule, ...]
    growth: Outcome | None
    probability: float | None
    breaks_at: float | None
    measured: bool | None
    reason: str | None


def _judge(verdict: Verdict) -> JudgedRule:
    """Return the entry of a rule.

    Raises
    ------
    TypeError
        The verdict is about another kind of claim.
    """
    claim = verdict.claim
    if not isinstance(claim, Rule):
        raise TypeError(f"{claim} is no rule")
    points: list[PointOfRule] = []
    outcome: Outcome | None = None
    evidence = RuleEvidence("", None)
    for instance in verdict.instances:
        if isinstance(instance.evidence, RuleEvidence):
            outcome, evidence = instance.outcome, instance.evidence
        elif isinstance(at := instance.evidence, RulePointEvidence):
            points.append(
                PointOfRule(
                    instance.stratum,
                    instance.outcome,
                    at.ratio,
                    at.interval,
                    at.level,
                    at.method,
                    at.n,
                    at.reason,
                )
            )
    answer = evidence.answer
    return JudgedRule(
        rule=claim.rule,
        metric=claim.metric,
        tolerance=claim.tolerance,
        verdict=verdict.outcome,
        points=tuple(points),
        growth=outcome,
        probability=answer.probability if answer else None,
        breaks_at=answer.breaks_at if answer else None,
        measured=answer.measured if answer else None,
        reason=evidence.reason,
    )


class Models(msgspec.Struct, frozen=True):
    """All models, with what was asked of them."""

    models: tuple[JudgedModel, ...]
    rules: tuple[JudgedRule, ...]
    limits: tuple[LimitOfModel, ...]
    versus: tuple[Versus, ...]
    suggestions: tuple[SuggestionsForModel, ...]
    holdouts: tuple[Holdout, ...]
    not_modelled: tuple[NotModelled, ...]


def _get_versus(versus: Versus) -> Mapping[str, Any]:
    function = versus.function
    return {
        "function": function.name,
        "other": versus.second.name,
        "metric": function.metric,
        "at": name_coordinates(function, versus.at),
        "ratio": versus.ratio,
        "interval95": [versus.low, versus.high],
        "larger": versus.larger,
        "divergence": versus.divergence.big_o(function.parameters[0]),
        "grows_faster": versus.grows_faster,
        "grows_alike": versus.grows_alike,
    }


VIEWS: Final[Views] = {
    Versus: _get_versus,
    NotModelled: ("name", "metric", "labels", "reason"),
    Holdout: ("name", "metric", "unit", "parameter", "passed", "points", "reason"),
}
MODELS: Final = Format("steelyard/models", 1, Models, VIEWS)


def render(
    models: Sequence[ScalingModel],
    failed: Sequence[NotModelled],
    rules: Sequence[Verdict],
    causes: Sequence[Cause | None],
    after: After = NOTHING,
) -> str:
    """Return the document as text."""
    content = Models(
        models=tuple(JudgedModel(*group) for group in zip(models, causes, strict=True)),
        rules=tuple(map(_judge, rules)),
        limits=tuple(LimitOfModel(*limit) for limit in after.limits),
        versus=tuple(after.versus),
        suggestions=tuple(SuggestionsForModel(*suggestion) for suggestion in after.suggestions),
        holdouts=tuple(after.holdouts),
        not_modelled=tuple(failed),
    )
    return MODELS.text(content)
