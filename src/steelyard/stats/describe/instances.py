"""Problem instances: the same ones in every run, so that they are blocks and not repetitions.

A factor or label that names instances is taken out of the treatments: all its levels together are one sample,
in which every value knows its instance. Two treatments are then compared instance by instance.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.sample import COLUMNS, Failures, Instances, Provenance, Sample, Treatment
from steelyard.core.units import Scalar
from steelyard.results.samples import Drill, InstanceShare


def pool(samples: Sequence[Sample], factor: str) -> list[Sample]:
    """Pool samples that differ in the level of ``factor`` alone into one, in the order of time.

    Of metrics that do not have it, samples stay as they are.

    Raises
    ------
    UsageError
        No sample has such a factor or label.
    """
    groups: dict[tuple[object, ...], list[tuple[Scalar | None, Sample]]] = {}
    for sample in samples:
        by_name = {**sample.labels, **sample.treatment.levels}
        key = (
            sample.metric.name,
            _compute_items(_drop(sample.treatment.levels, factor)),
            _compute_items(_drop(sample.labels, factor)),
        )
        groups.setdefault(key, []).append((by_name.get(factor), sample))
    if not any(factor in {**s.labels, **s.treatment.levels} for s in samples):
        names = ", ".join(dict.fromkeys(name for s in samples for name in (*s.treatment.levels, *s.labels)))
        raise UsageError(
            f"analysis.instances: {factor!r} is neither a factor nor a label",
            hint=f"name one of: {names}" if names else "leave it out: nothing varies",
        )
    treatments = _compute_treatments(samples, factor)
    every = (level for members in groups.values() for level, _ in members)
    levels = tuple(dict.fromkeys(level for level in every if level is not None))
    return [_join(members, factor, levels, treatments) for members in groups.values()]


def drill_down(sample: Sample) -> Drill | None:
    """Drill down to instances; ``None`` without them, with one only, or without any spread."""
    instances = sample.instances
    values = np.asarray(sample.values, dtype=np.float64)
    if instances is None or values.size < 2 or not np.isfinite(values).all() or np.ptp(values) == 0:
        return None
    ids = np.asarray(instances.ids, dtype=np.int64)
    present, place = np.unique(ids, return_inverse=True)
    if present.size < 2:
        return None
    centred = (values - values.mean()) / np.abs(values - values.mean()).max()
    total = float(centred @ centred)
    squares = _find_between(centred, place)
    runs = float(_find_between(centred, np.unique(sample.blocks, return_inverse=True)[1]).sum())
    counts = np.bincount(place)
    means = np.bincount(place, values) / counts
    between = float(squares.sum())
    # Crossed and balanced, instances and runs are orthogonal; what rounding makes of an empty rest is none.
    rest = max(0.0, total - between - runs) if _is_crossed(place, sample.blocks) else total - between
    return Drill(
        instances.factor,
        tuple(
            InstanceShare(instances.levels[i], float(mean), float(square) / total)
            for i, mean, square in zip(present, means, squares, strict=True)
        ),
        between / total,
        runs / total if _is_crossed(place, sample.blocks) else 0.0,
        rest / total,
    )


def _find_between(centred: np.ndarray, place: np.ndarray) -> np.ndarray:
    """n_i (mean_i)^2 of each group of deviations."""
    counts = np.bincount(place)
    squares: np.ndarray = np.bincount(place, centred) ** 2 / counts
    return squares


def _is_crossed(place: np.ndarray, blocks: Sequence[int]) -> bool:
    """Whether every run has every instance equally often, and there are several runs."""
    _, run = np.unique(np.asarray(blocks), return_inverse=True)
    if run.max() == 0:
        return False
    cells = np.bincount(run * (place.max() + 1) + place)
    return cells.size == (run.max() + 1) * (place.max() + 1) and bool((cells == cells[0]).all())


def _compute_treatments(samples: Sequence[Sample], factor: str) -> dict[tuple[object, ...], Treatment]:
    """Treatments without the instance factor: named by what still varies, with the id of the first."""
    first: dict[tuple[object, ...], tuple[int, dict[str, Scalar]]] = {}
    for sample in sorted(samples, key=lambda sample_of: sample_of.treatment.id):
        levels = _drop(sample.treatment.levels, factor)
        first.setdefault(_compute_items(levels), (sample.treatment.id, levels))
    varying = [
        name
        for name in next(iter(first.values()))[1]
        if len({levels.get(name) for _, levels in first.values()}) > 1
    ]
    return {
        key: Treatment(id_, _format_label(levels, varying, factor), levels)
        for key, (id_, levels) in first.items()
    }


def _format_label(levels: Mapping[str, Scalar], varying: Sequence[str], factor: str) -> str:
    if not varying:
        return f"every {factor}"
    if len(varying) == 1:
        return str(levels[varying[0]])
    return ", ".join(f"{name}={levels[name]}" for name in varying)


def _join(
    members: Sequence[tuple[Scalar | None, Sample]],
    factor: str,
    levels: tuple[Scalar, ...],
    treatments: Mapping[tuple[object, ...], Treatment],
) -> Sample:
    first = members[0][1]
    labels = _drop(first.labels, factor)
    treatment = treatments[_compute_items(_drop(first.treatment.levels, factor))]
    if factor not in first.labels and factor not in first.treatment.levels:
        return replace(first, treatment=treatment)
    placed = [(level, sample) for level, sample in members if level is not None]
    ids = array("q", [levels.index(level) for level, sample in placed for _ in sample.values])
    columns = {
        name: array(code, chain.from_iterable(getattr(sample, name) for _, sample in placed))
        for name, code in COLUMNS.items()
        if name != "censored"
    }
    censored = array(
        "b", [is_censored for _, sample in placed for is_censored in sample.censored or bytes(len(sample))]
    )
    by_treatment = {sample.treatment.id: sample.failures for _, sample in members}
    pooled = Sample(
        metric=first.metric,
        treatment=treatment,
        labels=labels,
        failures=Failures(
            sum(failures.attempted for failures in by_treatment.values()),
            sum(failures.failed for failures in by_treatment.values()),
            sum(failures.timed_out for failures in by_treatment.values()),
        ),
        censored=censored if any(censored) else array("b"),
        instances=Instances(factor, levels, ids),
        provenance=_make_provenance([sample.provenance for _, sample in members]),
        session=first.session if len({sample.session for _, sample in members}) == 1 else "",
        **columns,
    )
    return pooled.select(sorted(range(len(ids)), key=lambda i: (pooled.trials[i], ids[i])))


def _make_provenance(provenances: Sequence[Provenance]) -> Provenance:
    """Return the weakest provenance among all of them."""
    weakest: tuple[Provenance, ...] = ("other_code", "crowded", "simulated", "one_process", "session")
    return next((kind for kind in weakest if kind in provenances), "measured")


def _drop(levels: Mapping[str, Scalar], factor: str) -> dict[str, Scalar]:
    return {name: level for name, level in levels.items() if name != factor}


def _compute_items(levels: Mapping[str, Scalar]) -> tuple[tuple[str, Scalar], ...]:
    return tuple(sorted(levels.items()))
