"""``Proof``: whether a record is as it was measured, by its chain of digests."""

from __future__ import annotations

from typing import Literal

import msgspec

ProofState = Literal["measured", "edited", "shortened", "forked", "unproven"]


class Proof(msgspec.Struct, frozen=True):
    """Outcome of a check of a record's chain of digests.

    Attributes
    ----------
    state : {"measured", "edited", "shortened", "forked", "unproven"}
        ``unproven``: the record has no chain, or holds parts of records that had none.
    head : str
        The last link: its number, a hyphen, and its digest in hexadecimal digits. Empty without a chain.
    blocks : int
        Blocks that have a link.
    place : str
        Where the record departs from its chain, such as ``block 17``; empty where nowhere.
    reason : str
        What is wrong there, in words; why it is unproven.
    """

    state: ProofState
    head: str = ""
    blocks: int = 0
    place: str = ""
    reason: str = ""

    @property
    def words(self) -> str:
        """What the record is, in words that may follow "is" or "was"."""
        match self.state:
            case "measured":
                return "as measured"
            case "edited":
                return f"edited in {self.place}, which {self.reason}"
            case "forked":
                return f"forked at {self.place}: {self.reason}"
            case state:
                return f"{state}: {self.reason}"

    @property
    def refuted(self) -> bool:
        """Whether the record is known not to be what was measured."""
        return self.state in ("edited", "shortened", "forked")
