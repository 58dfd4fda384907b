"""``Cells``: the logarithms of one metric, one column a treatment, aligned by what is independent."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, reduce

import msgspec
import numpy as np
import numpy.typing as npt

from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample
from steelyard.results.analysis import Order
from steelyard.results.effects import By
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.contrast import instance_ids

Ints = npt.NDArray[np.int64]


class Cells(msgspec.Struct, frozen=True, eq=False, dict=True):
    """One array of logarithms a treatment.

    Attributes
    ----------
    by : {"block", "context", "instance", "launch"}
        What a value stands for. Launches only where the order was sequential; of the others, every treatment
        has the same units in the same order.
    logs : tuple of array of double
        Means over the launches of a unit.
    blocks : int
        That all treatments have; launches of the smallest sample where there are none.
    unmatched : int
        Blocks that some treatments lack; they are in no effect.
    """

    by: By
    logs: tuple[Floats, ...]
    blocks: int
    unmatched: int = 0

    @property
    def paired(self) -> bool:
        """Whether values of different treatments belong together."""
        return self.by != "launch"

    @cached_property
    def table(self) -> Floats:
        """Units by treatments; paired cells only."""
        if not self.paired:
            raise ValueError("launches of a sequential order belong to no unit")
        return np.column_stack(self.logs)

    @cached_property
    def largest(self) -> float:
        """The logarithm farthest from 0, which rounding is judged by."""
        return max(float(np.abs(values).max()) for values in self.logs)

    @property
    def units(self) -> int:
        """The independent values of the treatment with the fewest."""
        return min(values.size for values in self.logs)


def cells_of(samples: Sequence[Sample], *, order: Order) -> Cells | Undefined:
    """Align samples of one metric, one a treatment; only blocks that all of them have are kept.

    Contexts that were visited several times are the units, since what a context does is shared by its blocks.
    """
    values = [np.asarray(sample.values, dtype=np.float64) for sample in samples]
    for row in values:
        if (reason := _make_unusable(row)) is not None:
            return reason
    if samples[0].instances is not None:
        return _take_instances(samples, values)
    if order == "sequential":
        return Cells("launch", tuple(np.log(value) for value in values), min(value.size for value in values))
    blocks = [np.asarray(sample.blocks, dtype=np.int64) for sample in samples]
    first = blocks[0]
    if _ascends(first) and all(np.array_equal(block, first) for block in blocks[1:]):
        # One launch of each in every block: nothing to group, of millions of values either.
        common, unmatched, logs = first, 0, [np.log(value) for value in values]
    else:
        distinct = [_compute_distinct(block) for block in blocks]
        common = reduce(_find_shared, distinct)
        if not common.size:
            return Undefined("no_common_block")
        unmatched = _compute_distinct(np.concatenate(distinct)).size - common.size
        logs = [
            _means(np.log(sample_values), ids, common)
            for sample_values, ids in zip(values, blocks, strict=True)
        ]
    contexts = _compute_contexts(samples[0], common)
    if contexts.all():
        units = _compute_distinct(contexts)
        if units.size < common.size:
            logs = [_means(log, contexts, units) for log in logs]
            return Cells("context", tuple(logs), common.size, unmatched)
    return Cells("block", tuple(logs), common.size, unmatched)


def _take_instances(samples: Sequence[Sample], values: Sequence[Floats]) -> Cells | Undefined:
    """Problem instances as the units, each the mean over its runs."""
    ids = [instance_ids(sample) for sample in samples]
    common = reduce(_find_shared, map(_compute_distinct, ids))
    if not common.size:
        return Undefined("no_common_instance")
    logs = tuple(_means(np.log(row), ids, common) for row, ids in zip(values, ids, strict=True))
    blocks = reduce(
        _find_shared, (_compute_distinct(np.asarray(sample.blocks, dtype=np.int64)) for sample in samples)
    )
    return Cells("instance", logs, blocks.size)


def _make_unusable(values: Floats) -> Undefined | None:
    if values.size == 0:
        return Undefined("no_values")
    if not np.isfinite(values).all():
        return Undefined("not_finite")
    lowest = float(values.min())
    if lowest < 0:
        return Undefined("negative_values")
    return Undefined("zero_values") if lowest == 0 else None


def _means(values: Floats, ids: Ints, ints: Ints) -> Floats:
    """Return the mean of the values of each of the ``ints`` ids, which are ascending."""
    place = np.searchsorted(ints, ids)
    place[place == ints.size] = 0
    matched = ints[place] == ids
    count = np.bincount(place[matched], minlength=ints.size)
    return np.asarray(
        np.bincount(place[matched], values[matched], minlength=ints.size) / count, dtype=np.float64
    )


def _compute_contexts(sample: Sample, blocks: Ints) -> Ints:
    """Return the context of each block; all of a sample's are among them, in the order of time."""
    ids = np.asarray(sample.blocks, dtype=np.int64)
    contexts = np.asarray(sample.contexts, dtype=np.int64)
    order = np.argsort(ids, kind="stable")
    return np.asarray(contexts[order[np.searchsorted(ids[order], blocks)]], dtype=np.int64)


def _ascends(ids: Ints) -> bool:
    return bool((np.diff(ids) > 0).all())


def _compute_distinct(ids: Ints) -> Ints:
    """Ascending; ``numpy.unique`` hashes, which takes a tenth of a second for a quarter of a million."""
    ordered = np.sort(ids)
    return ordered[np.concatenate(([True], np.diff(ordered) > 0))] if ordered.size else ordered


def _find_shared(ints: Ints, second: Ints) -> Ints:
    both = np.sort(np.concatenate((ints, second)))
    return np.asarray(both[1:][both[1:] == both[:-1]], dtype=np.int64)
