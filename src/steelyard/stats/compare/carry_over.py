"""``carry_over``: whether runs of a treatment differ by the treatment that ran before them.

Blocks are in random order, so that which treatment ran before a run is a draw that knows nothing of its
value. Given treatment and place in the block, predecessors may be exchanged between blocks where nothing is
carried over: the rank sum of the runs after one of them has its permutation distribution, whatever drifts and
however values are distributed. Places are strata, since only the first place of a block follows another block
(van Elteren 1960, Bulletin of the International Statistical Institute 37, 351-361).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import Metric, Scalar
from steelyard.stats.describe.quartiles import quartiles
from steelyard.stats.distributions.student import two_sided_normal_p
from steelyard.stats.hypothesis.midranks import midranks

LEVEL: Final = 0.01
"""Of all tests of an answer together: of the many answers without carry-over, few should have the notice."""
FEWEST: Final = 4
"""Runs after the predecessor, and after others, below which nothing is tested."""

Numbers = npt.NDArray[np.intp]


class CarryOver(msgspec.Struct, frozen=True):
    """A treatment whose values hang on the treatment before.

    Attributes
    ----------
    treatment, predecessor : Treatment
    ratio : float
        Typical value right after ``predecessor`` over that after any other, at the same places of blocks.
    runs, control_runs : int
        Runs of the treatment after ``predecessor``, and after any other, at places where both happened.
    p : float
        Two-sided, over all tests of the answer (Bonferroni).
    is_of_two : bool
        Whether blocks have two treatments, so that any other predecessor is the treatment itself.
    metric : Metric
        Of the values.
    labels : Mapping[str, Scalar]
        Of the samples that show it.
    """

    treatment: Treatment
    predecessor: Treatment
    ratio: float
    runs: int
    control_runs: int
    p: float
    is_of_two: bool
    metric: Metric
    labels: Mapping[str, Scalar]

    @property
    def fields(self) -> dict[str, Scalar]:
        """What a notice of it says."""
        fields: dict[str, Scalar] = {
            "ratio": self.ratio,
            "runs": self.runs,
            "control_runs": self.control_runs,
        }
        fields |= {"p": self.p, "is_of_two": self.is_of_two}
        return fields | {"unit": self.metric.unit, "better": self.metric.better}


class _Runs(msgspec.Struct, frozen=True, eq=False):
    """Runs of one metric in the order of time.

    Attributes
    ----------
    treatments : array of int
        Place in the list of samples.
    predecessors : array of int
        The same of the trial before, from 0; -1 where that is not known.
    places : array of int
        Trials between the first of the block and this one.
    logs : array of float64
        Logarithms of the values.
    companions : array of float64
        Mean logarithm of the other treatments of the block, each of which counts once.
    """

    treatments: Numbers
    predecessors: Numbers
    places: Numbers
    logs: Floats
    companions: Floats


def carry_over(samples: Sequence[Sample]) -> CarryOver | None:
    """Find the treatment whose values depend most surely on its predecessor; ``None`` where none does.

    Parameters
    ----------
    samples : sequence of Sample
        Of one metric, from blocks in random order; those of equal labels belong together.
    """
    groups: dict[tuple[object, ...], list[Sample]] = {}
    for sample in samples:
        groups.setdefault(tuple(sorted(sample.labels.items())), []).append(sample)
    tests = [test for members in groups.values() for test in _test_group(members)]
    if not tests:
        return None
    surest = min(tests, key=lambda test: test.p)
    p = min(1.0, surest.p * len(tests))
    return replace(surest, p=p) if p <= LEVEL else None


def _test_group(samples: Sequence[Sample]) -> list[CarryOver]:
    """Test every treatment after every other one, each alone."""
    runs = _collect(samples)
    if runs is None:
        return []
    tests: list[CarryOver] = []
    for number, sample in enumerate(samples):
        chosen = (runs.treatments == number) & (runs.predecessors >= 0)
        tests += [
            CarryOver(
                sample.treatment,
                samples[before].treatment,
                *result,
                is_of_two=len(samples) == 2,
                metric=sample.metric,
                labels=sample.labels,
            )
            for before, result in _test_treatment(runs, chosen).items()
            if before != number
        ]
    return tests


def _collect(samples: Sequence[Sample]) -> _Runs | None:
    """Return the runs in the order of time; ``None`` where that is not known, or a value has no logarithm."""
    if len(samples) < 2 or not all(map(len, samples)):
        return None
    trials = np.concatenate([np.asarray(sample.trials, np.int64) for sample in samples])
    values = np.concatenate([np.asarray(sample.values, np.float64) for sample in samples])
    order = np.argsort(trials, kind="stable")
    trials, values = trials[order], values[order]
    if (np.diff(trials) == 0).any() or not (np.isfinite(values).all() and values.min() > 0):
        return None
    treatments = np.repeat(np.arange(len(samples)), list(map(len, samples)))[order]
    blocks = np.concatenate([np.asarray(sample.blocks, np.int64) for sample in samples])[order]
    first, block = np.unique(blocks, return_index=True, return_inverse=True)[1:]
    follows = np.concatenate(([False], np.diff(trials) == 1))
    predecessors = np.where(follows, np.roll(treatments, 1), -1)
    return _Runs(
        treatments,
        predecessors,
        trials - trials[first][block],
        np.log(values),
        _average_companions(np.log(values), treatments, block, len(samples)),
    )


def _average_companions(logs: Floats, treatments: Numbers, block: Numbers, count: int) -> Floats:
    """Mean logarithm of the other treatments of the block of each run; 0 where there are none."""
    cells = block * count + treatments
    blocks = int(block.max()) + 1
    sums = np.bincount(cells, logs, blocks * count).reshape(blocks, count)
    counts = np.bincount(cells, minlength=blocks * count).reshape(blocks, count)
    means = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
    present = (counts > 0).sum(axis=1)[block]
    averages: Floats = (means.sum(axis=1)[block] - means[block, treatments]) / np.maximum(present - 1, 1)
    return averages


def _remove_shared(logs: Floats, companions: Floats, strata: Numbers) -> Floats:
    """Return logarithms without the part of the others' that predicts them: what a block does to all.

    The slope is that of least squares within strata, between 0 and 1. It knows nothing of predecessors.
    """
    sizes = np.bincount(strata)
    x, y = (values - (np.bincount(strata, values) / sizes)[strata] for values in (companions, logs))
    spread = float(x @ x)
    slope = min(max(float(x @ y) / spread, 0.0), 1.0) if spread > 0 else 0.0
    remainder: Floats = logs - slope * companions
    return remainder


def _find_mixed(places: Numbers, predecessors: Numbers) -> npt.NDArray[np.bool_]:
    """Whether each run is at a place at which the treatment had more than one predecessor."""
    count = int(predecessors.max(initial=0)) + 1
    numbers, counts = np.unique(_list_distinct(places * count + predecessors) // count, return_counts=True)
    return np.isin(places, numbers[counts > 1])


def _test_treatment(runs: _Runs, chosen: npt.NDArray[np.bool_]) -> dict[int, tuple[float, int, int, float]]:
    """Test one treatment after each predecessor: ratio, runs, runs after others, and p."""
    places = np.flatnonzero(chosen)
    places = places[_find_mixed(runs.places[places], runs.predecessors[places])]
    strata = np.unique(runs.places[places], return_inverse=True)[1]
    before = runs.predecessors[places]
    gains = _remove_shared(runs.logs[places], runs.companions[places], strata)
    scores, centred = _rank_within(gains, strata)
    sizes = np.bincount(strata)
    squares = np.bincount(strata, scores**2, sizes.size)
    results: dict[int, tuple[float, int, int, float]] = {}
    for predecessor in _list_distinct(before).tolist():
        after = before == predecessor
        hits = np.bincount(strata[after], minlength=sizes.size)
        misses = sizes - hits
        variance = float((squares * hits * misses / (sizes * np.maximum(sizes - 1, 1))).sum())
        mixed = ((hits > 0) & (misses > 0))[strata]
        n, control = int((after & mixed).sum()), int((~after & mixed).sum())
        if min(n, control) < FEWEST or variance <= 0:
            continue
        z = float(scores[after & mixed].sum()) / math.sqrt(variance)
        shift = _find_median(centred[after & mixed]) - _find_median(centred[~after & mixed])
        results[predecessor] = (math.exp(shift), n, control, two_sided_normal_p(z))
    return results


def _rank_within(gains: Floats, strata: Numbers) -> tuple[Floats, Floats]:
    """Return ranks less their mean, over one more than their number, and gains less their median."""
    scores, centred = np.empty_like(gains), np.empty_like(gains)
    for stratum in range(int(strata.max(initial=-1)) + 1):
        members = strata == stratum
        ranks = midranks(gains[members]).ranks
        scores[members] = (ranks - ranks.mean()) / (ranks.size + 1)
        centred[members] = gains[members] - _find_median(gains[members])
    return scores, centred


def _list_distinct(numbers: Numbers) -> Numbers:
    """Return the different ones; ``numpy.unique`` alone, as its median, loads masked arrays first."""
    return np.unique(numbers, return_index=True)[0]


def _find_median(values: Floats) -> float:
    return quartiles(values)[1]
