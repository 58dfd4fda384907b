"""``Contrast``: what a pair of samples says about the ratio of two treatments, one number per independent
unit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from steelyard.sample import Sample
from steelyard.stats.rounding import steadied
from steelyard.stats.undefined import Reason, Undefined

Floats = npt.NDArray[np.float64]
Order = Literal["randomized-blocks", "sequential"]
By = Literal["block", "context", "instance", "launch"]


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """One value per block, or per context where contexts are visited again and again; means over what lies
    below.

    Attributes
    ----------
    by : {"block", "context", "instance", "launch"}
        What a unit is. ``launch`` only where the order was sequential, so that no two values belong together.
    ids : array of int64
        Of blocks, ascending and so in the order of time; of contexts, ascending.
    logs, raws : array of double
        Mean of the natural logarithms, and of the values themselves.
    visits : array of int64
        Blocks that each unit holds.
    """

    by: By
    ids: npt.NDArray[np.int64]
    logs: Floats
    raws: Floats
    visits: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Contrast:
    """Two treatments, unit by unit. ``old`` is the baseline.

    Attributes
    ----------
    sign : {1, -1}
        1 where lower values are better: the logarithm of the speedup is ``sign * (log old - log new)``, so
        that above 0 is better.
    blocks : int
        Blocks that both samples have; without blocks, launches of the smaller sample.
    unmatched : int
        Blocks that only one of them has; they are in no comparison.
    unbalanced : bool
        Contexts were visited a different number of times; each still counts once.
    """

    old: Units
    new: Units
    sign: Literal[1, -1]
    blocks: int
    unmatched: int = 0
    unbalanced: bool = False

    @property
    def paired(self) -> bool:
        """Whether ``old`` and ``new`` hold the same units in the same order."""
        return self.old.by != "launch"

    @property
    def unit(self) -> str:
        """What methods are named by: ``unpaired`` where units are launches."""
        return self.old.by if self.paired else "unpaired"

    @property
    def too_few(self) -> Reason:
        """Why there is no estimate from one unit."""
        reasons: dict[By, Reason] = {
            "block": "one_block",
            "context": "one_context",
            "instance": "one_instance",
            "launch": "one_value",
        }
        return reasons[self.old.by]

    @property
    def differences(self) -> Floats:
        """Logarithms of the speedup, one per unit; paired contrasts only. Equal where they differ by no more
        than rounding.
        """
        if not self.paired:
            raise ValueError("launches of a sequential order belong to no pair")
        return steadied(self.sign * (self.old.logs - self.new.logs), self.old.logs, self.new.logs)


def contrast(
    baseline: Sample,
    treatment: Sample,
    *,
    order: Order = "randomized-blocks",
    zeros: bool = False,
) -> Contrast | Undefined:
    """Align two samples of one metric by block, by context where one context has several blocks, or by
    instance where that is declared.

    A block's value is the mean over its launches of the treatment. Fresh contexts for every block leave the
    block as the unit; contexts that return become the unit themselves, since what a context does to a
    treatment is shared by its blocks (DOI 10.1109/IPDPS.2008.4536408).

    Parameters
    ----------
    zeros : bool
        Whether values of 0 are allowed, as they are in an arithmetic mean; their logarithms are -inf.
    """
    old_values, new_values = _floats(baseline), _floats(treatment)
    reason = _unusable(old_values, zeros=zeros) or _unusable(new_values, zeros=zeros)
    if reason is not None:
        return reason
    sign: Literal[1, -1] = -1 if baseline.metric.better == "higher" else 1
    if baseline.instances is not None and treatment.instances is not None:
        return _of_instances(baseline, treatment, old_values, new_values, sign)
    if order == "sequential":
        return Contrast(
            _launches(old_values), _launches(new_values), sign, min(old_values.size, new_values.size)
        )
    old, new = _by_block(baseline, old_values), _by_block(treatment, new_values)
    if np.array_equal(old.ids, new.ids):
        common, unmatched = old.ids, 0
    else:
        common, in_old, in_new = np.intersect1d(old.ids, new.ids, assume_unique=True, return_indices=True)
        unmatched = old.ids.size + new.ids.size - 2 * common.size
        old, new = _take(old, in_old), _take(new, in_new)
    if common.size == 0:
        return Undefined("no_common_block")
    # Either every launch has a context or none; looking up a thousand samples that have none took a tenth of
    # the answer.
    contexts = _context_of(baseline, common) if baseline.contexts[0] else None
    if contexts is None or not contexts.all() or np.unique(contexts).size == common.size:
        return Contrast(old, new, sign, common.size, unmatched)
    old, new = _by_context(old, contexts), _by_context(new, contexts)
    return Contrast(old, new, sign, common.size, unmatched, unbalanced=bool(np.ptp(old.visits) > 0))


def _of_instances(
    baseline: Sample, treatment: Sample, old_values: Floats, new_values: Floats, sign: Literal[1, -1]
) -> Contrast | Undefined:
    """Instance by instance: each is one unit, its runs are averaged. They come in no order of time."""
    old, new = _by_instance(baseline, old_values), _by_instance(treatment, new_values)
    common, in_old, in_new = np.intersect1d(old.ids, new.ids, assume_unique=True, return_indices=True)
    if common.size == 0:
        return Undefined("no_common_instance")
    unmatched = old.ids.size + new.ids.size - 2 * common.size
    blocks = np.intersect1d(_ids(baseline), _ids(treatment)).size
    return Contrast(_take(old, in_old), _take(new, in_new), sign, blocks, unmatched)


def _by_instance(sample: Sample, values: Floats) -> Units:
    of = instance_ids(sample)
    ids, place, count = np.unique(of, return_inverse=True, return_counts=True)
    logs, raws = np.bincount(place, _log(values)) / count, np.bincount(place, values) / count
    return Units("instance", ids, logs, raws, count.astype(np.int64))


def instance_ids(sample: Sample) -> npt.NDArray[np.int64]:
    """Of each value: the place of its instance among all of the experiment, from 1."""
    if sample.instances is None:
        raise ValueError("a sample without instances")
    return np.asarray(sample.instances.of, dtype=np.int64) + 1


def restricted(contrast: Contrast, ids: npt.NDArray[np.int64]) -> Contrast:
    """A paired contrast of these units alone, which must be among its own."""
    places = np.flatnonzero(np.isin(contrast.old.ids, ids))
    old, new = _take(contrast.old, places), _take(contrast.new, places)
    return replace(contrast, old=old, new=new, blocks=int(old.visits.sum()))


def _floats(sample: Sample) -> Floats:
    return np.asarray(sample.values, dtype=np.float64)


def _ids(sample: Sample) -> npt.NDArray[np.int64]:
    return np.asarray(sample.blocks, dtype=np.int64)


def _unusable(values: Floats, *, zeros: bool) -> Undefined | None:
    if values.size == 0:
        return Undefined("no_values")
    if not np.isfinite(values).all():
        return Undefined("not_finite")
    lowest = values.min()
    if lowest < 0:
        return Undefined("negative_values")
    return Undefined("zero_values") if lowest == 0 and not zeros else None


def _log(values: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(values)


def _launches(values: Floats) -> Units:
    one = np.ones(values.size, dtype=np.int64)
    return Units("launch", np.arange(1, values.size + 1, dtype=np.int64), _log(values), values, one)


def _by_block(sample: Sample, values: Floats) -> Units:
    ids = _ids(sample)
    if (np.diff(ids) > 0).all():  # one launch a block, in the order of time: nothing to sort or to average
        return Units("block", ids, _log(values), values, np.ones(ids.size, dtype=np.int64))
    ids, place, count = np.unique(ids, return_inverse=True, return_counts=True)
    logs = np.bincount(place, _log(values)) / count
    raws = np.bincount(place, values) / count
    return Units("block", ids, logs, raws, np.ones(ids.size, dtype=np.int64))


def _take(units: Units, places: npt.NDArray[np.intp]) -> Units:
    return Units(units.by, units.ids[places], units.logs[places], units.raws[places], units.visits[places])


def _context_of(sample: Sample, blocks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    ids, first = np.unique(_ids(sample), return_index=True)
    contexts = np.asarray(sample.contexts, dtype=np.int64)[first]
    return contexts[np.searchsorted(ids, blocks)]


def _by_context(units: Units, contexts: npt.NDArray[np.int64]) -> Units:
    ids, place, count = np.unique(contexts, return_inverse=True, return_counts=True)
    logs = np.bincount(place, units.logs) / count
    raws = np.bincount(place, units.raws) / count
    return Units("context", ids, logs, raws, count.astype(np.int64))
