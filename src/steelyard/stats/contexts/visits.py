"""``Visits``: one number for each time that a context was visited."""

from __future__ import annotations

from array import array
from collections.abc import Mapping

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample
from steelyard.results.undefined import Undefined

Ints = npt.NDArray[np.int64]


class Visits(msgspec.Struct, frozen=True, eq=False):
    """Values of visits, in the order of time; arrays of equal length.

    Attributes
    ----------
    values : array of double
        On the scale of logarithms: a mean over the launches of a visit, or a difference of two.
    contexts, passes, blocks : array of int64
        Of each visit; blocks ascend.
    """

    values: Floats
    contexts: Ints
    passes: Ints
    blocks: Ints

    @property
    def ids(self) -> Ints:
        """Contexts that were visited, ascending."""
        return np.unique(self.contexts)

    @property
    def counts(self) -> Ints:
        """Visits of each of ``ids``."""
        return np.unique(self.contexts, return_counts=True)[1].astype(np.int64)

    @property
    def means(self) -> Floats:
        """The mean over the visits of each of ``ids``."""
        _, place = np.unique(self.contexts, return_inverse=True)
        return np.asarray(np.bincount(place, self.values) / np.bincount(place), dtype=np.float64)


def same_contexts(sample: Sample, drawn_before: Mapping[int, int]) -> Sample:
    """Return the sample with one id for each different context: what was drawn again is another visit."""
    if not drawn_before:
        return sample
    return replace(sample, contexts=array("q", (drawn_before.get(id_, id_) for id_ in sample.contexts)))


def visits(sample: Sample) -> Visits | Undefined:
    """Return the logarithms of one treatment, launches of a visit averaged."""
    values = np.asarray(sample.values, dtype=np.float64)
    if values.size == 0:
        return Undefined("no_values")
    if not np.isfinite(values).all():
        return Undefined("not_finite")
    if values.min() <= 0:
        return Undefined("zero_values" if values.min() == 0 else "negative_values")
    blocks, first, place = np.unique(
        np.asarray(sample.blocks, dtype=np.int64), return_index=True, return_inverse=True
    )
    logs = np.bincount(place, np.log(values)) / np.bincount(place)
    contexts, passes = np.asarray(sample.contexts, np.int64), np.asarray(sample.passes, np.int64)
    return Visits(logs, contexts[first], passes[first], blocks)


def differences(baseline: Sample, treatment: Sample) -> Visits | Undefined:
    """Logarithms of the speedup, one a block that both have: above 0 where the treatment is better."""
    old, new = visits(baseline), visits(treatment)
    if isinstance(old, Undefined):
        return old
    if isinstance(new, Undefined):
        return new
    _, in_old, in_new = np.intersect1d(old.blocks, new.blocks, assume_unique=True, return_indices=True)
    if in_old.size == 0:
        return Undefined("no_common_block")
    sign = -1 if baseline.metric.better == "higher" else 1
    values = sign * (old.values[in_old] - new.values[in_new])
    return Visits(values, old.contexts[in_old], old.passes[in_old], old.blocks[in_old])
