"""The document ``steelyard/models``. History: version 1, the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Final

import msgspec

from steelyard.claims.evidence import RuleEvidence, RulePointEvidence
from steelyard.claims.verdict import Verdict
from steelyard.core.units import Scalar
from steelyard.extensions.growth.algebra import Growth
from steelyard.extensions.growth.follow_ups import NOTHING, After
from steelyard.extensions.growth.rule_claim import Rule
from steelyard.extensions.growth.scaling.holdout import Holdout
from steelyard.extensions.growth.scaling.limit import Breaks
from steelyard.extensions.growth.scaling.litmus import Cause
from steelyard.extensions.growth.scaling.model import (
    NotModelled,
    Prediction,
    RankProbability,
    ScalingModel,
    Segment,
    Term,
    lead_text,
)
from steelyard.extensions.growth.scaling.suggest import Suggestion
from steelyard.extensions.growth.scaling.versus import Versus
from steelyard.results.document import Format, Lines, Views, plain
from steelyard.results.interval import Interval
from steelyard.stats.compare.judgement import Outcome


class TermOfModel(msgspec.Struct, frozen=True):
    """A term: a coefficient times powers, logarithms and powers of two of parameters, as fractions."""

    coefficient: float
    exponents: Mapping[str, Mapping[str, str]]


class Piece(msgspec.Struct, frozen=True):
    """A stretch of the parameter with a behaviour of its own."""

    start: float
    end: float
    constant: float
    terms: tuple[TermOfModel, ...]


class Alternative(msgspec.Struct, frozen=True):
    """Another growth that the values allow."""

    growth: str
    posterior: float


class Predicted(msgspec.Struct, frozen=True):
    """A value that the model predicts."""

    at: Mapping[str, float]
    value: float
    interval95: tuple[float, float] | None


class JudgedModel(msgspec.Struct, frozen=True):
    """A model, and why it grows faster than expected where that is known."""

    model: ScalingModel
    cause: Cause | None
    __lines__: ClassVar[Lines] = (
        *("name=model.name", "labels=model.labels", "metric=model.metric", "unit=model.unit"),
        *("parameters=model.parameters", "points=model.points", "launches=model.launches"),
        *("method=model.method", "aggregate=model.aggregate", "noise_law=model.noise_law"),
        *("model=model.text", "growth=model.growth", "terms", "constant=model.constant", "segments"),
        *("posterior", "alternatives", "lack_of_fit_p=model.lack_of_fit"),
        *("r2_adjusted=model.r2", "expectation=model.validation.expectation"),
        *("at_most=model.validation.at_most", "at_least=model.validation.at_least", "rate=model.rate"),
        *("deviation=model.validation.deviation", "divergence", "rank=model.validation.rank", "rank_at"),
        *("rank_probability", "cause", "predictions"),
        *("simulated=model.simulated", "warnings=model.warnings"),
    )

    @property
    def terms(self) -> tuple[TermOfModel, ...]:
        """The terms beside the constant."""
        return _get_terms(self.model, self.model.terms)

    @property
    def segments(self) -> tuple[Piece, ...]:
        """The pieces; empty where one behaviour holds throughout."""
        return tuple(self._make_piece(segment) for segment in self.model.segments)

    def _make_piece(self, segment: Segment) -> Piece:
        return Piece(segment.start, segment.end, segment.constant, _get_terms(self.model, segment.terms))

    @property
    def posterior(self) -> float | None:
        """Probability of the growth; ``None`` by the method of seed 001, which states none."""
        return self.model.growth_probability

    @property
    def rank_probability(self) -> RankProbability | None:
        """Probability of each rank; ``None`` where nothing is expected, and by the method of seed 001."""
        validation = self.model.validation
        return None if validation is None or self.model.method == "seed001" else validation.probability

    @property
    def alternatives(self) -> tuple[Alternative, ...]:
        """Other growths, the most probable first."""
        model = self.model
        return tuple(Alternative(lead_text(lead, model.parameters), p) for lead, p in model.alternatives)

    @property
    def divergence(self) -> str | None:
        """Growth over what was expected, in big-O."""
        validation = self.model.validation
        return None if validation is None else validation.divergence.big_o(validation.parameter)

    @property
    def rank_at(self) -> Mapping[str, float | str | None] | None:
        """The rank at the scale that was asked for, and that scale under the name of its parameter."""
        validation = self.model.validation
        if validation is None or validation.scale is None:
            return None
        return {validation.parameter: validation.scale, "rank": validation.rank_at_scale}

    @property
    def predictions(self) -> tuple[Predicted, ...]:
        """Values that the model predicts at the places asked for."""
        return tuple(self._predict(prediction) for prediction in self.model.predictions)

    def _predict(self, prediction: Prediction) -> Predicted:
        bounded = prediction.low is not None and prediction.high is not None
        interval = (prediction.low, prediction.high) if bounded else None
        return Predicted(_get_at(self.model, prediction.at), prediction.value, interval)  # type: ignore[arg-type]


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
                "at": _get_at(self.model, suggestion.at),
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
        "at": _get_at(function, versus.at),
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


def entry(model: ScalingModel, blamed: Cause | None = None) -> dict[str, Any]:
    """One model as it stands in a document."""
    return dict(plain(JudgedModel(model, blamed)))


def _get_at(model: ScalingModel, place: Sequence[float]) -> dict[str, float]:
    return dict(zip(model.parameters, place, strict=True))


def _get_terms(model: ScalingModel, terms: Sequence[Term]) -> tuple[TermOfModel, ...]:
    return tuple(
        TermOfModel(
            term.coefficient,
            {
                name: _get_exponents(growth)
                for name, growth in zip(model.parameters, term.growth, strict=True)
            },
        )
        for term in terms
    )


@lru_cache(maxsize=4096)
def _get_exponents(growth: Growth) -> Mapping[str, str]:
    return {"power": str(growth.power), "log": str(growth.log), "exp2": str(growth.exp2)}
