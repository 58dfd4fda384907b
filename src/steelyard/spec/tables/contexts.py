"""``[contexts]``: what settings are drawn from; one key for each intervention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from steelyard.core.units import Scalar
from steelyard.interventions import INTERVENTIONS


class Range(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whole numbers to draw from: low, low + step, … below high."""

    range: Annotated[tuple[int, int], Meta(description="First number, and the number to stay below.")]
    step: Annotated[int, Meta(ge=1, description="Distance from one number to the next.")] = 1


Setting = Scalar | tuple[Scalar, ...] | Range
"""``"random"``, one level for all contexts, levels to draw from, or a range of them."""

_PASSES = Annotated[
    int,
    Meta(ge=1, le=1000, description="Visits of each context; contexts can be judged from two visits on."),
]


def _make_setting(about: str, levels: str) -> Any:
    return Annotated[Setting | None, Meta(description=f"{about[0].upper()}{about[1:]}; {levels}.")]


if TYPE_CHECKING:
    ContextsTable = msgspec.Struct
else:
    ContextsTable = msgspec.defstruct(
        "ContextsTable",
        [
            *(
                (intervention.name, _make_setting(intervention.about, intervention.levels_text), None)
                for intervention in INTERVENTIONS.values()
            ),
            ("passes", _PASSES, 1),
        ],
        frozen=True,
        forbid_unknown_fields=True,
        namespace={"__doc__": "Nuisance settings, drawn for each context: one key for each intervention."},
        module=__name__,
    )
