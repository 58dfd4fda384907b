"""Samples of several records of the same treatment as one, in the order of time."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from steelyard.core.sample import Sample

_APART: Final = 1_000_000
"""Between the trials of two records, so that the order of all is kept."""


def join_samples(samples: Sequence[Sample]) -> Sample:
    """Return the runs of samples that share no block; what their contexts were is left out."""
    values, passes = array("d"), array("q")
    blocks, trials = array("q"), array("q")
    for number, sample in enumerate(samples):
        values.extend(sample.values)
        passes.extend(sample.passes)
        last = max(blocks, default=0)
        blocks.extend(last + block for block in sample.blocks)
        trials.extend(_APART * number + trial for trial in sample.trials)
    contexts = array("q", [0] * len(values))
    return replace(samples[0], values=values, passes=passes, blocks=blocks, trials=trials, contexts=contexts)
