"""``LeftOut``: a record that an answer over many leaves out."""

from __future__ import annotations

import msgspec


class LeftOut(msgspec.Struct, frozen=True):
    """A record that is left out, and the reason as the end of a sentence.

    Attributes
    ----------
    unreadable : bool
        Whether it may belong to the history and cannot be read: damaged, empty or being written.
    """

    record: str
    why: str
    unreadable: bool = False
