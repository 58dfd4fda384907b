"""``Contrast``: what a pair of samples says about the ratio of two treatments.

It has one number per independent unit.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample
from steelyard.results.analysis import Order
from steelyard.results.assumptions import Unit
from steelyard.results.undefined import Reason, Undefined
from steelyard.stats.cached import cache
from steelyard.stats.compare.block_noise import BlockNoise, find_block_noise
from steelyard.stats.compare.crossed import Crossed, cross_instances
from steelyard.stats.rounding import ROUNDING, largest, steady

COUNTED: Final = frozenset({"", "1", "B"})
"""Units of what is counted."""

By = Literal["block", "context", "instance", "launch"]


class Units(msgspec.Struct, frozen=True, eq=False):
    """One value per block, or per context where contexts are visited again and again.

    Values are means over what lies below.

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


class Contrast(msgspec.Struct, frozen=True, eq=False):
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
    crossed : Crossed or None
        Where units are instances, each of which has every block: what blocks add.
    repeats : int
        Runs of each, at least, where counts repeat to the bit in all runs of each treatment, and the order
        in which the two ran was not the same in all blocks, so that it explains nothing; otherwise 0.
    noise : BlockNoise or None
        Where units are contexts that return: what blocks alone leave of the error.
    """

    old: Units
    new: Units
    sign: Literal[1, -1]
    blocks: int
    unmatched: int = 0
    unbalanced: bool = False
    crossed: Crossed | None = None
    repeats: int = 0
    noise: BlockNoise | None = None

    @property
    def paired(self) -> bool:
        """Whether ``old`` and ``new`` hold the same units in the same order."""
        return self.old.by != "launch"

    @property
    def unit(self) -> Unit:
        """What methods are named by: ``unpaired`` where units are launches."""
        return "unpaired" if self.old.by == "launch" else self.old.by

    @property
    def too_few(self) -> Reason:
        """Reason why one unit gives no estimate."""
        reasons: dict[By, Reason] = {
            "block": "one_block",
            "context": "one_context",
            "instance": "one_instance",
            "launch": "one_value",
        }
        return reasons[self.old.by]

    @property
    def differences(self) -> Floats:
        """Logarithms of the speedup, one per unit.

        Contrasts must be paired. Logarithms are equal where they differ by no more than rounding.
        """
        if not self.paired:
            raise ValueError("launches of a sequential order belong to no pair")
        return _differences(self)

    @property
    def rounding(self) -> float:
        """The spread that differences of the logarithms can have without a cause."""
        return ROUNDING * max(1.0, _largest_log(self.old), _largest_log(self.new))


@lru_cache(maxsize=1)
def _differences(contrast: Contrast) -> Floats:
    """Differences, which all that is estimated of a contrast asks for, one after the other."""
    return steady(contrast.sign * (contrast.old.logs - contrast.new.logs), contrast.rounding)


@lru_cache(maxsize=2)
def _largest_log(units: Units) -> float:
    return largest(units.logs)


def contrast(
    baseline: Sample,
    treatment: Sample,
    *,
    order: Order = "randomized-blocks",
    zeros: bool = False,
) -> Contrast | Undefined:
    """Align two samples of one metric by block, context or instance.

    That is by context where one context has several blocks, and by instance where that is declared.

    A block's value is the mean over its launches of the treatment. Fresh contexts for every block leave the
    block as the unit; contexts that return become the unit themselves, since what a context does to a
    treatment is shared by its blocks (DOI 10.1109/IPDPS.2008.4536408).

    Parameters
    ----------
    zeros : bool
        Whether values of 0 are allowed, as they are in an arithmetic mean; their logarithms are -inf.
    """
    reason = _make_unusable(baseline, zeros=zeros) or _make_unusable(treatment, zeros=zeros)
    if reason is not None:
        return reason
    sign: Literal[1, -1] = -1 if baseline.metric.better == "higher" else 1
    if baseline.instances is not None and treatment.instances is not None:
        return _take_instances(baseline, treatment, sign)
    if order == "sequential":
        return Contrast(
            _make_launches(baseline), _make_launches(treatment), sign, min(len(baseline), len(treatment))
        )
    old, new = _make_block_units(baseline), _make_block_units(treatment)
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
    contexts = _get_context_of(baseline, common) if baseline.contexts[0] else None
    repeats = _repeats(baseline, treatment)
    if contexts is None or not contexts.all() or np.unique(contexts).size == common.size:
        return Contrast(old, new, sign, common.size, unmatched, repeats=repeats)
    with np.errstate(invalid="ignore"):  # zeros have no logarithm, and no noise either
        noise = find_block_noise(old.logs - new.logs, contexts)
    old, new = _make_context_units(old, contexts), _make_context_units(new, contexts)
    unbalanced = bool(np.ptp(old.visits) > 0)
    return Contrast(old, new, sign, common.size, unmatched, unbalanced, repeats=repeats, noise=noise)


def _repeats(old: Sample, new: Sample) -> int:
    """See ``Contrast.repeats``; values of a coarse clock repeat too, but are not counts."""
    if old.metric.unit not in COUNTED or not (_constant(old) and _constant(new)):
        return 0
    _, at_old, at_new = np.intersect1d(_get_ids(old), _get_ids(new), return_indices=True)
    later = np.sign(np.asarray(new.trials)[at_new] - np.asarray(old.trials)[at_old])
    return min(len(old), len(new)) if {-1, 1} <= set(later.tolist()) else 0


@cache
def _constant(sample: Sample) -> bool:
    values = _floats(sample)
    return bool((values == values[0]).all())


def _take_instances(baseline: Sample, treatment: Sample, sign: Literal[1, -1]) -> Contrast | Undefined:
    """Instance by instance: each is one unit, its runs are averaged. They come in no order of time."""
    old, new = _make_instance_units(baseline), _make_instance_units(treatment)
    common, in_old, in_new = np.intersect1d(old.ids, new.ids, assume_unique=True, return_indices=True)
    if common.size == 0:
        return Undefined("no_common_instance")
    unmatched = old.ids.size + new.ids.size - 2 * common.size
    blocks = np.intersect1d(_get_ids(baseline), _get_ids(treatment)).size
    between = None if unmatched else cross_instances(baseline, treatment)
    return Contrast(_take(old, in_old), _take(new, in_new), sign, blocks, unmatched, crossed=between)


@cache
def _make_instance_units(sample: Sample) -> Units:
    instances_of, values = instance_ids(sample), _floats(sample)
    ids, place, count = np.unique(instances_of, return_inverse=True, return_counts=True)
    logs, raws = np.bincount(place, _log(values)) / count, np.bincount(place, values) / count
    return Units("instance", ids, logs, raws, count.astype(np.int64))


def instance_ids(sample: Sample) -> npt.NDArray[np.int64]:
    """Return the place of each value's instance among all of the experiment, from 1."""
    if sample.instances is None:
        raise ValueError("a sample without instances")
    return np.asarray(sample.instances.ids, dtype=np.int64) + 1


def restrict(contrast: Contrast, ids: npt.NDArray[np.int64]) -> Contrast:
    """Return a paired contrast of these units alone, which must be among its own."""
    places = np.flatnonzero(np.isin(contrast.old.ids, ids))
    old, new = _take(contrast.old, places), _take(contrast.new, places)
    repeats = min(contrast.repeats, places.size)
    return replace(contrast, old=old, new=new, blocks=int(old.visits.sum()), repeats=repeats)


def _floats(sample: Sample) -> Floats:
    return np.asarray(sample.values, dtype=np.float64)


def _get_ids(sample: Sample) -> npt.NDArray[np.int64]:
    return np.asarray(sample.blocks, dtype=np.int64)


def _make_unusable(sample: Sample, *, zeros: bool) -> Undefined | None:
    reason = _make_flaw(sample)
    return None if reason is None or (zeros and reason == "zero_values") else Undefined(reason)


@cache
def _make_flaw(sample: Sample) -> Reason | None:
    values = _floats(sample)
    if values.size == 0:
        return "no_values"
    if not np.isfinite(values).all():
        return "not_finite"
    lowest = values.min()
    if lowest < 0:
        return "negative_values"
    return "zero_values" if lowest == 0 else None


def _log(values: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(values)


@cache
def _make_launches(sample: Sample) -> Units:
    values = _floats(sample)
    ones = np.ones(values.size, dtype=np.int64)
    return Units("launch", np.arange(1, values.size + 1, dtype=np.int64), _log(values), values, ones)


@cache
def _make_block_units(sample: Sample) -> Units:
    ids, values = _get_ids(sample), _floats(sample)
    if (ids[1:] > ids[:-1]).all():  # one launch a block, in the order of time: nothing to sort or to average
        return Units("block", ids, _log(values), values, np.ones(ids.size, dtype=np.int64))
    ids, place, count = np.unique(ids, return_inverse=True, return_counts=True)
    logs = np.bincount(place, _log(values)) / count
    raws = np.bincount(place, values) / count
    return Units("block", ids, logs, raws, np.ones(ids.size, dtype=np.int64))


def _take(units: Units, places: npt.NDArray[np.intp]) -> Units:
    return Units(units.by, units.ids[places], units.logs[places], units.raws[places], units.visits[places])


def _get_context_of(sample: Sample, blocks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    ids, first = np.unique(_get_ids(sample), return_index=True)
    contexts = np.asarray(sample.contexts, dtype=np.int64)[first]
    return contexts[np.searchsorted(ids, blocks)]


def _make_context_units(units: Units, contexts: npt.NDArray[np.int64]) -> Units:
    ids, place, count = np.unique(contexts, return_inverse=True, return_counts=True)
    logs = np.bincount(place, units.logs) / count
    raws = np.bincount(place, units.raws) / count
    return Units("context", ids, logs, raws, count.astype(np.int64))
