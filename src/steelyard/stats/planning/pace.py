"""``Pace``: what blocks and contexts cost, as a record shows it."""

from __future__ import annotations

import msgspec


class Pace(msgspec.Struct, frozen=True):
    """Seconds of the experiment's time.

    Attributes
    ----------
    block_s : float
        A complete block, with all that happened beside: what failed, what was discarded, what was stored.
    context_s : float
        What a new block costs beyond its runs, where it has a context: hooks, and setting that up.
    runs : int
        Of each treatment in a block.
    """

    block_s: float
    context_s: float = 0.0
    runs: int = 1

    @property
    def run_s(self) -> float:
        """One run of every treatment."""
        return max(0.0, self.block_s - self.context_s) / self.runs
