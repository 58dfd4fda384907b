"""``[build]``: how programs are built."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from steelyard.spec.tables.values import Command, Duration
from steelyard.units import Scalar


class BuildTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How programs are built."""

    command: Annotated[
        Command, Meta(description="The build command and its arguments; what it writes to `{build}` is kept.")
    ]
    inputs: Annotated[
        list[str],
        Meta(description="Files, or patterns with `*` and `**`; when one changes, it is built again."),
    ] = []
    objects: Annotated[
        list[str],
        Meta(
            description="What `{objects}` stands for in `command` and `env`: files to link, in an order that"
            " `link_order` draws; several words where it is a word of its own."
        ),
    ] = []
    env: Annotated[dict[str, Scalar], Meta(description="Environment variables to set.")] = {}
    timeout: Annotated[Duration, Meta(description="A build that takes longer has failed.")] = 1800.0
