"""``JudgedModel``: a model as documents show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import ClassVar

import msgspec

from steelyard.extensions.growth.algebra import Growth
from steelyard.extensions.growth.scaling.litmus import Cause
from steelyard.extensions.growth.scaling.model import (
    Prediction,
    RankProbability,
    ScalingModel,
    Segment,
    Term,
    lead_text,
)
from steelyard.results.document import Lines


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
        """Probability of the growth; ``None`` by the method of Shudler et al. 2019, which states none."""
        return self.model.growth_probability

    @property
    def rank_probability(self) -> RankProbability | None:
        """Probability of each rank; ``None`` where nothing is expected, and by Shudler et al. 2019."""
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
        low, high = prediction.low, prediction.high
        interval = None if low is None or high is None else (low, high)
        return Predicted(name_coordinates(self.model, prediction.at), prediction.value, interval)


def name_coordinates(model: ScalingModel, place: Sequence[float]) -> dict[str, float]:
    """Name the coordinates of a place by the parameters of a model."""
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
