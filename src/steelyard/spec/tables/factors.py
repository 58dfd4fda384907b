"""``[factors]`` and ``[[levels]]``: what varies, and the commands that make a level."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from steelyard.core.units import Scalar
from steelyard.spec.tables.values import WORKED_OUT


class Factor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A factor and its levels, in the order of the spec."""

    name: str
    levels: tuple[Scalar, ...]
    intervention: bool = False
    """True when the name is a reserved one, whose levels change the launch and not the command."""


class Zip(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Factors that change together: ``levels[i]`` gives one level to each of ``names``."""

    names: Annotated[tuple[str, ...], Meta(description="The factors that are linked.")] = msgspec.field(
        name="zip"
    )
    levels: Annotated[
        tuple[tuple[Scalar, ...], ...],
        Meta(description="One row for each step, in it one level for each of the factors."),
    ]
    name: Annotated[str, Meta(description="What the spec calls the link.", extra=WORKED_OUT)] = ""


class LevelCommands(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The user's own commands for a level of a factor, as for a service that is stopped."""

    factor: Annotated[str, Meta(description="The factor, as in `[factors]`.")]
    level: Annotated[Scalar, Meta(description="Its level.")]
    enter: Annotated[
        tuple[str, ...] | None, Meta(description="Untimed, before the first trial of the level.")
    ] = None
    leave: Annotated[
        tuple[str, ...] | None,
        Meta(
            description="Untimed, after its last trial, at the end of the run, and after a crash: puts back"
            " what `enter` changed."
        ),
    ] = None
    change: Annotated[
        Literal["easy", "hard"],
        Meta(
            description="`hard` makes the factor whole plots: its levels change once in a block, in random"
            " order."
        ),
    ] = "easy"
