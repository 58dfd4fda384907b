"""Pairing of samples for comparison: pairs with a baseline or all pairs, within each stratum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import msgspec

from steelyard.core.analysis import Analysis
from steelyard.core.errors import UsageError
from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import Scalar


class Pair(msgspec.Struct, frozen=True):
    """Two samples of one metric with equal labels, in one stratum; all pairs of a stratum are one family."""

    baseline: Sample
    treatment: Sample
    stratum: Mapping[str, Scalar]


class Pairs(msgspec.Struct, frozen=True):
    """The declared comparisons.

    Attributes
    ----------
    without_baseline : tuple of Treatment
        Treatments that the design gives no baseline to, since the combination was excluded; they are in no
        comparison.
    """

    pairs: tuple[Pair, ...]
    without_baseline: tuple[Treatment, ...] = ()


def pair_up(samples: Sequence[Sample], declared: Analysis) -> Pairs:
    """Pair samples of one metric, whichever it is.

    The baseline of a treatment is the treatment of its stratum that has the levels of ``baseline`` and agrees
    in every other factor; where the design has none, the only one of the stratum with these levels. Without
    ``baseline`` it is the stratum's first treatment.

    Raises
    ------
    UsageError
        ``strata`` names what is neither a factor nor a label, or no treatment has the levels of ``baseline``.
    """
    baseline, strata = declared.baseline or {}, declared.strata or ()
    _check(samples, baseline, strata)
    groups: dict[tuple[object, ...], list[Sample]] = {}
    for sample in sorted(samples, key=lambda sample: sample.treatment.id):
        groups.setdefault((_compute_stratum(sample, strata), _compute_key(sample.labels)), []).append(sample)
    pairs: list[Pair] = []
    lonely: list[Treatment] = []
    for members in groups.values():
        stratum = dict(_compute_stratum(members[0], strata))
        if declared.family == "all-pairs":
            pairs.extend(Pair(old, new, stratum) for old, new in combinations(members, 2))
            continue
        candidates = [m for m in members if _matches(m.treatment, baseline)] if baseline else members[:1]
        ids = {candidate.treatment.id for candidate in candidates}
        by_levels = {_compute_key(candidate.treatment.levels): candidate for candidate in candidates}
        for new in members:
            if new.treatment.id in ids:
                continue
            old = by_levels.get(_compute_key({**new.treatment.levels, **baseline}))
            if old is None and len(candidates) == 1:
                old = candidates[0]
            if old is None:
                lonely.append(new.treatment)
            else:
                pairs.append(Pair(old, new, stratum))
    return Pairs(tuple(pairs), tuple({treatment.id: treatment for treatment in lonely}.values()))


def _compute_key(levels: Mapping[str, Scalar]) -> tuple[tuple[str, Scalar], ...]:
    return tuple(sorted(levels.items()))


def _compute_stratum(sample: Sample, strata: Sequence[str]) -> tuple[tuple[str, Scalar], ...]:
    levels = {**sample.labels, **sample.treatment.levels}
    return tuple((name, levels[name]) for name in strata)


def _matches(treatment: Treatment, baseline: Mapping[str, Scalar]) -> bool:
    return all(treatment.levels.get(name) == level for name, level in baseline.items())


def _check(samples: Sequence[Sample], baseline: Mapping[str, Scalar], strata: Sequence[str]) -> None:
    for sample in samples:
        for name in strata:
            if name not in sample.treatment.levels and name not in sample.labels:
                listed = ", ".join([*sample.treatment.levels, *sample.labels]) or "none"
                raise UsageError(
                    f"analysis.strata: {name!r} is neither a factor nor a label of {sample.metric.name}",
                    hint=f"name one of: {listed}",
                )
    if baseline and samples and not any(_matches(sample.treatment, baseline) for sample in samples):
        text = ", ".join(f"{name} = {level!r}" for name, level in baseline.items())
        labels = ", ".join(dict.fromkeys(sample.treatment.label for sample in samples[:8]))
        raise UsageError(f"analysis.baseline: no treatment has {text}", hint=f"the treatments are: {labels}")
