"""``ProtocolResult``: verdicts by a published protocol on the pairs of an answer."""

from __future__ import annotations

import msgspec


class ProtocolResult(msgspec.Struct, frozen=True):
    """Base of the result of a protocol, which ``Answer.protocol`` holds."""

    @property
    def is_resolved(self) -> bool:
        """Whether every pair has a verdict."""
        raise NotImplementedError
