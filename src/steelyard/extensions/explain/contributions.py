"""Own and inclusive time of each function by block, and contributions that add up to the whole difference.

A contribution is mean(new - old) / mean(time of the old program). Its interval is by block (the delta method
for a ratio of means), so that samples of one run need not be independent. Those that are named have intervals
given that they are (``conditional``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample
from steelyard.extensions.explain.conditional import conditional_interval
from steelyard.extensions.explain.family import Family, judge_family
from steelyard.extensions.explain.names import match_functions
from steelyard.extensions.explain.profiles import Chain, Function, Profile
from steelyard.extensions.explain.results import Contribution, Pool, Presence, Remainder
from steelyard.results.interval import Interval
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.ratio_of_means import ratio_of_means
from steelyard.stats.distributions.student import t_quantile

LEAST_SAMPLES: Final = 2.0
"""Samples of a function in a run of both programs together, below which it is pooled."""
MOST_FUNCTIONS: Final = 60
"""Functions that are judged one by one."""
_ROUNDING: Final = 1e-12
"""Of two weights, up to which their difference is that of the last digits."""


class Times(msgspec.Struct, frozen=True, eq=False):
    """Seconds by block and function.

    Attributes
    ----------
    old, new : array of double, shape (blocks, functions)
        Own time.
    inclusive_old, inclusive_new : array of double, shape (functions,)
        Mean over blocks, with what is called.
    """

    functions: tuple[Function, ...]
    former: Mapping[Function, Function]
    old: Floats
    new: Floats
    inclusive_old: Floats
    inclusive_new: Floats

    @property
    def differences(self) -> Floats:
        """New minus old by block and function; 0 where rounding alone makes them differ.

        Weights are scaled program by program, so that equal ones may differ in their last digit: always in
        the same direction, which a test of means would resolve.
        """
        differences = self.new - self.old
        return np.where(np.abs(differences) <= _ROUNDING * (self.new + self.old), 0.0, differences)


def tabulate(old: Sequence[Profile], new: Sequence[Profile]) -> Times:
    """Tabulate own times by block.

    Parameters
    ----------
    old, new : sequence of Profile
        One a block, in the same order; weights in seconds.
    """
    former = match_functions(_list_functions(old), _list_functions(new))
    latter = {before: after for after, before in former.items()}
    before = [rename(profile.weights, latter) for profile in old]
    after = [profile.weights for profile in new]
    functions = _list_functions([*new, *(Profile(weights) for weights in before)])
    places = {function: place for place, function in enumerate(functions)}
    own_old, whole_old = _add_up(before, places)
    own_new, whole_new = _add_up(after, places)
    return Times(tuple(functions), former, own_old, own_new, whole_old, whole_new)


def scale_weights(profile: Profile, factor: float) -> Profile:
    """Return a profile whose weights are multiplied."""
    weights = {chain: weight * factor for chain, weight in profile.weights.items()}
    return Profile(weights, profile.samples, profile.lost)


def rename(weights: Mapping[Chain, float], names: Mapping[Function, Function]) -> dict[Chain, float]:
    """Return weights by chain with functions of the old program under their names in the new one."""
    renamed: dict[Chain, float] = {}
    for chain, weight in weights.items():
        key = tuple(names.get(function, function) for function in chain)
        renamed[key] = renamed.get(key, 0.0) + weight
    return renamed


def _add_up(runs: Sequence[Mapping[Chain, float]], places: Mapping[Function, int]) -> tuple[Floats, Floats]:
    """Return own times by run and function, and the mean inclusive time of each function."""
    itself, inclusive = np.zeros((len(runs), len(places))), np.zeros(len(places))
    for run, weights in enumerate(runs):
        for chain, weight in weights.items():
            itself[run, places[chain[-1]]] += weight
            for function in set(chain):
                inclusive[places[function]] += weight / len(runs)
    return itself, inclusive


def _list_functions(profiles: Sequence[Profile]) -> list[Function]:
    chains = (chain for profile in profiles for chain in profile.weights)
    return [*dict.fromkeys(function for chain in chains for function in chain)]


class Judged(msgspec.Struct, frozen=True, eq=False):
    """Contributions of all functions, and what the median of them would have had to be."""

    contributions: tuple[Contribution, ...]
    unnamed: Remainder
    pool: Pool | None
    detectable: float | None


def judge(times: Times, plain: Floats, per_sample: float, *, alpha: float, seed: int) -> Judged:
    """Judge what each function adds.

    Parameters
    ----------
    plain : array of double, shape (blocks,)
        Time of the old program without sampling.
    per_sample : float
        Seconds of a sample.
    """
    differences = times.differences
    blocks, count = differences.shape
    totals = (times.old + times.new).sum(axis=0)
    order = np.argsort(-totals, kind="stable")
    large = [int(place) for place in order if totals[place] >= LEAST_SAMPLES * blocks * per_sample]
    single = large[:MOST_FUNCTIONS]
    small = sorted({*range(count)} - {*single})
    columns = [differences[:, place] for place in single]
    if small:
        columns.append(differences[:, small].sum(axis=1))
    if not columns:
        return Judged((), Remainder(0.0, None), None, None)
    family = judge_family(np.column_stack(columns), alpha, seed)
    entries = [
        _make_contribution(times, place, columns[row], family, row, plain, alpha)
        for row, place in enumerate(single)
    ]
    pool = None
    if small:
        value, interval, named = _estimate(columns[-1], plain, family, len(single), alpha)
        functions = int((totals[small] > 0).sum())
        pool = Pool(functions, value, interval, float(family.p[-1]), named)
    rest = [columns[row] for row, entry in enumerate(entries) if not entry.named]
    unnamed = estimate_remainder(np.sum(rest, axis=0), plain) if rest else Remainder(0.0, None)
    entries.sort(key=lambda entry: (not entry.named, -abs(entry.value)))
    return Judged(tuple(entries), unnamed, pool, _compute_detectable(columns, plain, family))


def _make_contribution(
    times: Times, place: int, difference: Floats, family: Family, row: int, plain: Floats, alpha: float
) -> Contribution:
    function = times.functions[place]
    before = times.former.get(function)
    value, interval, named = _estimate(difference, plain, family, row, alpha)
    old_s, new_s = float(times.old[:, place].mean()), float(times.new[:, place].mean())
    presence: Presence = "both"
    if not times.old[:, place].any() and not times.inclusive_old[place]:
        presence = "new"
    elif not times.new[:, place].any() and not times.inclusive_new[place]:
        presence = "gone"
    return Contribution(
        name=function.name,
        place=function.place,
        file=function.file,
        line=function.line,
        old_name=before.name if before is not None and before.name != function.name else None,
        presence=presence,
        old_s=old_s,
        new_s=new_s,
        inclusive_old_s=float(times.inclusive_old[place]),
        inclusive_new_s=float(times.inclusive_new[place]),
        value=value,
        ci95=interval,
        p=float(family.p[row]),
        named=named,
    )


def _estimate(
    difference: Floats, plain: Floats, family: Family, row: int, alpha: float
) -> tuple[float, Interval | None, bool]:
    """Return a contribution, its interval, and whether it is named."""
    value, se = ratio_of_mean(difference, plain)
    named = bool(family.p[row] <= alpha)
    nu = difference.size - 1
    if se <= 0:
        return value, None, named
    if named:
        return value, conditional_interval(value, se, nu, float(family.critical[row])), named
    half = t_quantile(nu, alpha) * se
    return value, Interval(value - half, value + half), named


def ratio_of_mean(difference: Floats, plain: Floats) -> tuple[float, float]:
    """Return mean(difference) / mean(plain) and its standard error by blocks."""
    base = float(plain.mean())
    value = float(difference.mean()) / base
    scores = (difference - value * plain) / base
    return value, float(scores.std(ddof=1)) / scores.size**0.5 if scores.size > 1 else 0.0


def estimate_remainder(difference: Floats, plain: Floats) -> Remainder:
    """Estimate a part of the difference that is of no function."""
    value, se = ratio_of_mean(difference, plain)
    half = t_quantile(difference.size - 1, 0.05) * se if difference.size > 1 else 0.0
    return Remainder(value, Interval(value - half, value + half) if half > 0 else None)


def _compute_detectable(columns: Sequence[Floats], plain: Floats, family: Family) -> float | None:
    """Return the contribution that the function of median noise would have needed to be named."""
    sizes = [
        float(family.critical[row]) * se
        for row, column in enumerate(columns)
        if (se := ratio_of_mean(column, plain)[1]) > 0 and np.isfinite(family.critical[row])
    ]
    # The largest functions decide: what is small has little noise and cannot carry a difference.
    largest = sorted(sizes[:10], reverse=True)
    return largest[len(largest) // 4] if largest else None


def add_chains(
    old: Sequence[Profile], new: Sequence[Profile], times: Times
) -> list[tuple[Chain, float, float]]:
    """Return each call chain, in names of the new program, with seconds in a run of the old and the new."""
    latter = {before: after for after, before in times.former.items()}
    sums: dict[Chain, list[float]] = {}
    for side, profiles in enumerate((old, new)):
        for profile in profiles:
            weights = profile.weights if side else rename(profile.weights, latter)
            for chain, weight in weights.items():
                sums.setdefault(chain, [0.0, 0.0])[side] += weight / len(profiles)
    return [(chain, values[0], values[1]) for chain, values in sums.items()]


def compare_means(old: Sample, new: Sample) -> tuple[float, Interval | None]:
    """Return new over old minus 1 of the means, and its interval."""
    pair = contrast(old, new)
    speedup = pair if isinstance(pair, Undefined) else ratio_of_means(pair)
    if isinstance(speedup, Undefined):
        return 0.0, None
    interval = speedup.interval()
    inverse = None if interval is None else interval.reciprocal()
    return 1 / speedup.value - 1, None if inverse is None else Interval(inverse.low - 1, inverse.high - 1)
