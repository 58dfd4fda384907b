"""``limit``: a bound of a metric, at levels that were measured or at a scale that a model predicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar, is_number, parse_duration, parse_size
from steelyard.spec.cells import Cell
from steelyard.spec.claims.claim import Claim
from steelyard.spec.claims.keys import Bound, Levels, Name
from steelyard.spec.claims.question import ClaimNames, check_label, check_metric, check_parameter
from steelyard.spec.levels import find_level
from steelyard.spec.text.origin import Origin, Path
from steelyard.spec.text.toml import format_value


class Limit(Claim, msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="limit", tag_field="kind"):
    """The mean of the metric ``limit`` is at most ``max``, or at least ``min``, both in its unit.

    In every treatment that ``at`` names, or predicted by a model where ``at`` names a scale that was not
    measured; without ``at`` in every treatment, and the smallest ``parameter`` at which it breaks is said.
    """

    limit: Annotated[str, Meta(description="The metric.")]
    at: Annotated[
        Levels,
        Meta(
            description="Levels of the treatments; for a number that was not measured, a model predicts the"
            " value."
        ),
    ] = {}
    max: Annotated[
        Bound | None, Meta(description='The mean is at most this: `"24 GB"`, `"60 s"`, or a number.')
    ] = None
    min: Annotated[Bound | None, Meta(description="The mean is at least this.")] = None
    quantile: Annotated[
        Annotated[float, Meta(gt=0, lt=1)] | None,
        Meta(description="The bound is one of this quantile, as 0.99, in place of the mean."),
    ] = None
    parameter: Annotated[
        str | None,
        Meta(
            description="Without `at`: also say from which level of this factor or label on the limit breaks."
        ),
    ] = None
    name: Name = None

    def check_against(self, question: ClaimNames, origin: Origin, path: Path) -> Limit:
        """Return the claim with its bound in the unit of the metric."""
        check_metric(self.limit, question, origin, (*path, "limit"))
        bounds = [key for key in ("max", "min") if getattr(self, key) is not None]
        if len(bounds) != 1:
            text = "both max and min are given, which are two claims" if bounds else "has no bound"
            raise origin.error(path, text, "write either max = … or min = …")
        if self.quantile is not None and self.parameter is not None:
            text = "a model predicts means, and no quantiles"
            raise origin.error((*path, "quantile"), text, "leave out quantile, or parameter")
        if self.at and self.parameter is not None:
            text = "at says already for which treatments the limit stands"
            raise origin.error((*path, "parameter"), text, "leave out parameter, or at")
        at: Cell = {}
        for name, level in self.at.items():
            place = (*path, "at", name)
            measured = question.levels.get(name)
            if measured is None:
                check_label(name, self.limit, question, origin, place)
                at[name] = level
            elif _is_predicted(level, measured):
                at[name] = level
            else:
                at[name] = find_level(name, measured, level, origin, place)
        if self.parameter is not None:
            check_parameter(self.parameter, self.limit, question, origin, (*path, "parameter"))
        unit = question.metrics[self.limit].unit
        bound = {key: _read_bound(getattr(self, key), unit, origin, (*path, key)) for key in bounds}
        return replace(self, at=at, **bound)


def _is_predicted(level: Scalar, measured: Sequence[Scalar]) -> bool:
    """Whether this is a scale that was not measured, of a factor whose levels are numbers."""
    return (
        is_number(level) and not any(level == value for value in measured) and all(map(is_number, measured))
    )


def _read_bound(value: str | float, unit: str, origin: Origin, path: Path) -> float:
    try:
        if unit == "B":
            return float(parse_size(value))
        if unit == "s":
            return parse_duration(value)
        return float(value)
    except UsageError as error:
        raise origin.place_error(path, error) from None
    except ValueError:
        text = f"must be a number (only sizes and times have units), got {format_value(value)}"
        raise origin.error(path, text, f"write a number{f' of {unit}' if unit else ''}") from None
