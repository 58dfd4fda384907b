"""What machines do to a comparison.

That is their part of the variance, what more of them would gain, and those that differ.

Model, on the scale of logarithms, of block b on machine m: d_mb = mu + M_m + e_mb. Each machine counts once,
however many blocks it has: the mean of the machines' means with t(machines - 1) is exact where all have as
many blocks (it is the mixed model by REML then), and asks for no weights that few machines would estimate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample
from steelyard.core.special import f_quantile
from steelyard.results.contexts import Components
from steelyard.results.interval import Interval
from steelyard.results.machines import Deviation, Gain, Machine, Machines, Pace, Spread
from steelyard.results.undefined import Undefined
from steelyard.stats.contexts.across import compare_each
from steelyard.stats.contexts.components import nested_components
from steelyard.stats.contexts.visits import Visits, differences, visits
from steelyard.stats.distributions.student import two_sided_p
from steelyard.stats.hypothesis.holm import holm
from steelyard.stats.rounding import constant

FEWEST: Final = 4
"""Machines, from which on one can be told from the others: the rest needs a spread of its own."""
LEVEL: Final = 0.05
"""Probability that any machine is said to differ where all are of one normal distribution."""


def find_deviations(means: Floats, noise: Floats | None = None) -> list[Deviation | None]:
    """Find how the mean logarithm of each machine differs from the others; ``None`` where it does not.

    The externally studentised residual, (x_i - mean of the others) / (s of the others sqrt(1 + 1/(n - 1))),
    by t(n - 2); adjusted after Holm over all machines. Two that differ alike may hide each other.

    Parameters
    ----------
    noise : array of double, optional
        Variance of each mean that its blocks leave. Where they differ, means are weighted by the inverse of
        what machines do and their own noise: one with fewer blocks lies farther away by chance.
    """
    n = means.size
    if n < FEWEST or constant(means):
        return [None] * n
    residuals = [
        _measure_residual(means, np.zeros(n) if noise is None else noise, place) for place in range(n)
    ]
    tested = holm([two_sided_p(t, n - 2) for _, t in residuals], LEVEL)
    return [
        Deviation(math.exp(away), entry.p_holm) if entry.rejected else None
        for (away, _), entry in zip(residuals, tested, strict=True)
    ]


def _measure_residual(means: Floats, noise: Floats, place: int) -> tuple[float, float]:
    """Distance of a mean from that of the others, and the same over its standard error."""
    rest, beside = np.delete(means, place), np.delete(noise, place)
    between = max(0.0, float(rest.var(ddof=1) - beside.mean()))
    variances = between + beside
    # What has no spread at all has equal weights.
    weights = 1 / variances if (variances > 0).all() else np.ones(rest.size)
    centre = float(weights @ rest / weights.sum())
    scale = float(weights @ (rest - centre) ** 2) / (rest.size - 1)
    alone = between + float(noise[place]) if (variances > 0).all() else 1.0
    away, error = float(means[place]) - centre, math.sqrt(scale * (alone + 1 / float(weights.sum())))
    return away, math.inf if error == 0 else away / error


def estimate_spread(visited: Visits, components: Components | Undefined) -> Spread | None:
    """Return what machines contribute to the variance, and what more would gain."""
    if isinstance(components, Undefined) or components.share is None:
        return None
    counts = visited.counts
    per_block = float((1 / counts).mean())
    within = components.within**2
    if within == 0:
        bounds = Interval(1.0, 1.0)
    else:
        f = float(visited.means.var(ddof=1)) / (within * per_block)
        nu = components.nu_between, components.nu_within
        ends = (max(0.0, f / f_quantile(*nu, q) - 1) for q in (0.975, 0.025))
        low, high = (entry / (entry + 1 / per_block) for entry in ends)
        bounds = Interval(low, high)
    between = components.between**2
    more_blocks = 1 - math.sqrt((between + within * per_block / 2) / (between + within * per_block))
    return Spread(
        share=components.share,
        interval=bounds,
        machines=Gain(int(counts.size), 1 - math.sqrt(0.5)),
        blocks=Gain(round(float(counts.mean())), more_blocks),
    )


def find_paces(samples: Sequence[Sample], names: Mapping[int, str]) -> tuple[Pace, ...]:
    """Machines whose values differ from those of the others, over all treatments that all machines have."""
    observed = [entry for entry in map(visits, samples) if not isinstance(entry, Undefined)]
    if not observed:
        return ()
    ids = np.unique(np.concatenate([entry.ids for entry in observed]))
    table = np.array([entry.means for entry in observed if np.array_equal(entry.ids, ids)])
    if not table.size or ids.size < FEWEST:
        return ()
    centred = table - table.mean(axis=1, keepdims=True)
    away = centred * ids.size / (ids.size - 1)
    # Of what treatments of a block share, the mean over them has all.
    noise = [_estimate_noise(entry) for entry in observed if np.array_equal(entry.ids, ids)]
    differing = find_deviations(centred.mean(axis=0), np.mean(noise, axis=0))
    return tuple(
        Pace(names[int(id_)], differs, math.exp(float(by.min())), math.exp(float(by.max())))
        for id_, differs, by in zip(ids, differing, away.T, strict=True)
        if differs is not None
    )


def _estimate_noise(visited: Visits) -> Floats:
    """Variance of each machine's mean by the spread of its blocks, pooled over machines.

    It is 0 where no machine has two.
    """
    counts = visited.counts
    _, place = np.unique(visited.contexts, return_inverse=True)
    squares = float(((visited.values - visited.means[place]) ** 2).sum())
    return np.asarray(squares / max(1, visited.values.size - counts.size) / counts, dtype=np.float64)


def compare_machines(baseline: Sample, treatment: Sample, names: Mapping[int, str]) -> Machines | None:
    """One comparison by machines, which are the contexts of its samples.

    ``None`` where ``compare_across_contexts`` is undefined.
    """
    visited = differences(baseline, treatment)
    if isinstance(visited, Undefined) or visited.ids.size < 2:
        return None
    components = nested_components(visited)
    alone = compare_each(visited, None if isinstance(components, Undefined) else components)
    differing = find_deviations(visited.means, _estimate_noise(visited))
    observed = [
        Machine(names[context.context], context.visits, context.speedup, context.interval, differs)
        for context, differs in zip(alone, differing, strict=True)
    ]
    return Machines(
        blocks=int(visited.values.size),
        faster=int((visited.means > 0).sum()),
        slower=int((visited.means < 0).sum()),
        spread=estimate_spread(visited, components),
        members=tuple(sorted(observed, key=_measure_name)),
    )


def _measure_name(machine: Machine) -> tuple[int, str]:
    return len(machine.name), machine.name
