"""``noise`` of ``[launch]``."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

_Share = Annotated[float, Meta(ge=0, lt=1)] | str


class NoiseTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Noise on a simulated machine: shares from 0 to below 1, or factors as in `"{level}"`."""

    links: Annotated[
        _Share, Meta(description="Share of every link that is shared which other jobs' messages take.")
    ] = 0.0
    hosts: Annotated[
        _Share, Meta(description="Share of time in which something else has a rank's core, 10 µs at a time.")
    ] = 0.0
