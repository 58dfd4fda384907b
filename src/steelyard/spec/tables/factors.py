"""``[factors]`` and ``[[levels]]``: what varies, and the commands that make a level."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from steelyard.units import Scalar


class ZipTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Factors that change together."""

    zip: Annotated[list[str], Meta(description="The factors that are linked.")]
    levels: Annotated[
        list[list[Scalar]],
        Meta(description="One row for each step, in it one level for each of the factors."),
    ]


class LevelTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The user's own commands for a level of a factor, as for a service that is stopped."""

    factor: Annotated[str, Meta(description="The factor, as in `[factors]`.")]
    level: Annotated[Scalar, Meta(description="Its level.")]
    enter: Annotated[list[str] | None, Meta(description="Untimed, before the first trial of the level.")] = (
        None
    )
    leave: Annotated[
        list[str] | None,
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
