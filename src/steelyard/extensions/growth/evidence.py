"""Evidence of verdicts on growth: models, rules between functions, and predictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from steelyard.claims.evidence import Caution, Evidence, Unit
from steelyard.extensions.growth.judged_model import JudgedModel
from steelyard.extensions.growth.scaling.litmus import Cause
from steelyard.extensions.growth.scaling.model import ScalingModel
from steelyard.extensions.growth.scaling.rules import RuleAnswer
from steelyard.results.comparison import Decider
from steelyard.results.document import Lines
from steelyard.results.interval import Interval


class PredictedEvidence(Evidence, frozen=True):
    """A value that a scaling model predicts at a scale that was not measured, with its 95 % interval."""

    __lines__: ClassVar[Lines] = (
        "metric",
        "unit",
        "at",
        "value",
        "interval95=interval",
        "model=judged_model",
        "reason",
    )

    metric: str
    unit: str
    at: Mapping[str, float]
    value: float | None
    interval: Interval | None
    model: ScalingModel | None
    points: int
    reason: str | None = None

    @property
    def bound_unit(self) -> str:
        """Unit of the metric."""
        return self.unit

    @property
    def cautions(self) -> tuple[Caution, ...] | None:
        """Warnings about the model."""
        return None if self.model is None else self.model.warnings

    @property
    def judged_model(self) -> JudgedModel | None:
        """The model as documents show it."""
        return None if self.model is None else JudgedModel(self.model, None)


class ScalesEvidence(Evidence, frozen=True):
    """A model against its expectation; ``reason`` where there is no model or no expectation."""

    __lines__: ClassVar[Lines] = ("name", "metric", "model=judged_model", "reason")

    name: str
    metric: str
    model: ScalingModel | None
    cause: Cause | None = None
    reason: str | None = None

    @property
    def is_approximate(self) -> bool:
        """Whether growth is within the limits of deviation, and no match."""
        validation = None if self.model is None else self.model.validation
        return validation is not None and validation.rank == "approximate"

    @property
    def failure_probability(self) -> float | None:
        """Probability of the rank none."""
        validation = None if self.model is None else self.model.validation
        return None if validation is None else validation.probability.none

    @property
    def cautions(self) -> tuple[Caution, ...] | None:
        """Warnings about the model."""
        return None if self.model is None else self.model.warnings

    @property
    def judged_model(self) -> JudgedModel | None:
        """The model as documents show it."""
        return None if self.model is None else JudgedModel(self.model, self.cause)


class RulePointEvidence(Evidence, frozen=True):
    """Both sides of a cross-function rule at one point that was measured.

    Attributes
    ----------
    ratio : float or None
        What the left side takes, over what the right side takes; ``None`` where one was not measured.
    interval : Interval or None
        Of the ratio, at ``level``; both ends are the ratio where values repeat to the bit.
    tolerance : float
        The ratio may exceed 1 by so much.
    n, by : units of inference behind it
    reason : str or None
        Reason for a missing ratio, or ``"failures"`` where runs failed or timed out.
    decided_by : {"typical"} or None
        Where the typical run refutes: ratio and interval are those of it, at its part of the level.
    """

    __lines__: ClassVar[Lines] = (
        "metric",
        "left=left_side",
        "right",
        "ratio",
        "interval",
        "tolerance",
        "level",
        "p",
        "method",
        "n",
        "unit_of_inference=by",
        "reason",
        "decided_by",
    )

    metric: str
    left_side: str
    right: str
    ratio: float | None
    interval: Interval | None
    tolerance: float
    level: float
    p: float | None
    method: str | None
    n: int
    by: Unit
    reason: str | None = None
    decided_by: Decider | None = None


class RuleEvidence(Evidence, frozen=True):
    """Growth of both sides of a cross-function rule; ``reason`` where a function has no model."""

    __lines__: ClassVar[Lines] = (
        "metric",
        "probability=answer.probability",
        "breaks_at=answer.breaks_at",
        "measured=answer.measured",
        "reason",
    )

    metric: str
    answer: RuleAnswer | None
    reason: str | None = None

    @property
    def failure_probability(self) -> float | None:
        """Probability that the left side grows faster."""
        probability = None if self.answer is None else self.answer.probability
        return None if probability is None else 1 - probability
