"""``Mean`` and ``Tail``: the mean or a quantile of one treatment over its units, as evidence of a limit."""

from __future__ import annotations

import msgspec
import numpy as np
import numpy.typing as npt

from steelyard.claims.evidence import Unit
from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample
from steelyard.results.undefined import Undefined
from steelyard.stats.describe.autocorrelation import autocorrelation
from steelyard.stats.describe.sample_mean import SampleMean
from steelyard.stats.describe.skewness import skewness
from steelyard.stats.distributions.quantile import Quantile


class Mean(SampleMean, frozen=True):
    """An arithmetic mean as the evidence of a limit."""

    by: Unit = "launch"


class Runs(msgspec.Struct, frozen=True, eq=False):
    """One value for each unit of inference of one treatment.

    Attributes
    ----------
    draws : int
        Of which each could have been slow.
    """

    values: Floats
    by: Unit
    draws: int


def runs_of(sample: Sample, *, sequential: bool = False) -> Runs | Undefined:
    """Return the means of contexts, blocks or launches.

    They are contexts where these return, blocks where not, and launches where the order was sequential.
    """
    values = np.asarray(sample.values, dtype=np.float64)
    if not values.size:
        return Undefined("no_values")
    if not np.isfinite(values).all():
        return Undefined("not_finite")
    by: Unit = "repetition" if sample.provenance == "one_process" else "launch"
    by = "session" if sample.provenance == "session" else by
    runs = values.size
    if not sequential:
        blocks = np.asarray(sample.blocks, dtype=np.int64)
        contexts = np.asarray(sample.contexts, dtype=np.int64)
        values, first = _group(values, blocks)
        by = "block"
        at = contexts[first]
        if _has_returning(at):
            values, _ = _group(values, at)
            by, runs = "context", values.size
    return Runs(values, by, runs)


def mean_of(sample: Sample, *, sequential: bool = False) -> Mean | Undefined:
    """Return the mean over the units of ``runs_of``."""
    runs = runs_of(sample, sequential=sequential)
    if isinstance(runs, Undefined):
        return runs
    values, by = runs.values, runs.by
    if values.size == 1 and sample.provenance == "simulated":
        return Mean(float(values[0]), 0.0, 1, by=by)
    if values.size < 2:
        return Undefined("one_context" if by == "context" else "one_block" if by == "block" else "one_value")
    # The mean of equal values is that value, and rounding gives it no spread.
    if np.ptp(values) == 0:
        return Mean(float(values[0]), 0.0, values.size, by=by)
    return Mean(
        value=float(values.mean()),
        s=float(values.std(ddof=1)),
        n=values.size,
        runs=runs.draws,
        positive=bool((values >= 0).all()),
        # Contexts were drawn.
        correlation=None if by == "context" else autocorrelation(values),
        skewness=skewness(values),
        slow="below" if sample.metric.better == "higher" else "above",
        by=by,
    )


class Tail(Quantile, frozen=True, eq=False):
    """A quantile as the evidence of a limit; order statistics bound it, and no standard uncertainty."""

    by: Unit = "launch"
    u: None = None

    @property
    def s(self) -> float:
        """Standard deviation of the values; 0 where all are equal."""
        return float(self.ascending.std(ddof=1)) if np.ptp(self.ascending) > 0 else 0.0


def tail_of(sample: Sample, quantile: float, *, sequential: bool = False) -> Tail | Undefined:
    """Return a quantile of one treatment's launches; of the means of blocks where these have several.

    Runs of one context, or machine, share what it does to them. Where contexts return, the first value of
    each is an independent draw, and the only one: a quantile over machines takes as many machines as runs.
    """
    values = np.asarray(sample.values, dtype=np.float64)
    if not values.size:
        return Undefined("no_values")
    if not np.isfinite(values).all():
        return Undefined("not_finite")
    by: Unit = "launch"
    if not sequential:
        blocks = np.asarray(sample.blocks, dtype=np.int64)
        grouped, first = _group(values, blocks)
        if grouped.size < values.size:
            values, by = grouped, "block"
        if _has_returning(contexts := np.asarray(sample.contexts, dtype=np.int64)[first]):
            values, by = grouped[np.unique(contexts, return_index=True)[1]], "context"
    return Tail(np.sort(values), quantile, by)


def _has_returning(contexts: npt.NDArray[np.int64]) -> bool:
    """Whether blocks have contexts of which some are visited again."""
    return bool(contexts.all()) and np.unique(contexts).size < contexts.size


def _group(values: Floats, ids: npt.NDArray[np.int64]) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Return the mean of each group, and where it starts."""
    _, first, place, count = np.unique(ids, return_index=True, return_inverse=True, return_counts=True)
    means = np.bincount(place, values) / count
    # A sum of equal values misses them by rounding, which would carry them over a bound that they keep.
    low, high = np.full(count.size, np.inf), np.full(count.size, -np.inf)
    np.minimum.at(low, place, values)
    np.maximum.at(high, place, values)
    return np.clip(means, low, high), first
