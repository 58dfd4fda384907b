"""The design: treatments, contexts and blocks, drawn block by block from a seed.

It knows nothing of processes or clocks.
"""

from __future__ import annotations

from steelyard.design.blocks import blocks_until, next_block, stream_until, trials_per_block
from steelyard.design.contexts import different, drawn_before
from steelyard.design.looks import last_look, looks, next_look
from steelyard.design.plan import Block, BlockOutcome, BlockState, Context, Extension
from steelyard.design.separability import separability
from steelyard.design.treatments import treatments

__all__ = [
    "Block",
    "BlockOutcome",
    "BlockState",
    "Context",
    "Extension",
    "blocks_until",
    "different",
    "drawn_before",
    "last_look",
    "looks",
    "next_block",
    "next_look",
    "separability",
    "stream_until",
    "treatments",
    "trials_per_block",
]
