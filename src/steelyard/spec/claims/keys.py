"""Keys that several kinds of claims have, each with its description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

from msgspec import Meta

from steelyard.core.units import Scalar
from steelyard.spec.tables.values import WORKED_OUT

Levels = Mapping[str, Scalar]
Name = Annotated[str | None, Meta(description="What reports call the claim; its own words by default.")]
Metric = Annotated[
    str | None, Meta(description="The metric that is judged; that of `[analysis]` by default.")
]
Where = Annotated[
    Levels,
    Meta(description="Only strata with these levels; also labels of a program's metric."),
]
Parameter = Annotated[
    str | None,
    Meta(description="The factor or label that growth is about; may be left out where only one is a number."),
]
Strata = Annotated[
    tuple[str, ...],
    Meta(description="Factors within whose levels the claim is judged.", extra=WORKED_OUT),
]

NOT_GIVEN: Final[Any] = None
"""Until a claim is checked; then the baseline of the analysis stands there."""

if TYPE_CHECKING:
    Other = Levels
    Bound = float
    Loss = float
else:
    Other = Annotated[
        Levels | None,
        Meta(description="What it is compared with; the baseline of `[analysis]` by default."),
    ]
    """Levels; checked, never ``None``."""
    Bound = str | float
    """``"24 GB"``, ``"60 s"``, or a number in the metric's unit; checked, a number."""
    Loss = str | float
    """``"5%"`` or 0.05; checked, a number."""
