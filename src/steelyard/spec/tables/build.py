"""``[build]``: how programs are built."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from steelyard.spec.tables.values import Command, Duration, Environment


class Build(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Build of the programs, once per combination of the factors that ``command`` and ``env`` name."""

    command: Annotated[
        Command, Meta(description="The build command and its arguments; what it writes to `{build}` is kept.")
    ]
    inputs: Annotated[
        tuple[str, ...],
        Meta(
            description="Files, or patterns with `*` and `**`; when one changes, it is built again. Those"
            " outside of the spec's directory begin with `{source}/..` or `/`."
        ),
    ] = ()
    env: Annotated[Environment, Meta(description="Environment variables to set.")] = {}
    timeout_s: Annotated[Duration, Meta(description="A build that takes longer has failed.")] = msgspec.field(
        name="timeout", default=1800.0
    )
    objects: Annotated[
        tuple[str, ...],
        Meta(
            description="What `{objects}` stands for in `command` and `env`: files to link, in an order that"
            " `link_order` or `code` draws; several words where it is a word of its own."
        ),
    ] = ()
