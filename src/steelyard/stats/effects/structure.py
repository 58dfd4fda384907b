"""``Structure``: which factors are crossed among the treatments at hand, and which contrasts that allows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

import msgspec
import numpy as np

from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.core.factorial import Axis, Fraction, Layout
from steelyard.core.factorial.confounding import name_confounded
from steelyard.core.factorial.words import axes_of, order
from steelyard.core.sample import Sample
from steelyard.core.units import Scalar

MOST_EFFECTS: Final = 255
"""Effects of eight factors; with more factors, interactions of three and more are left out."""
MOST_CONTRASTS: Final = 255
"""Degrees of freedom of one effect: for two factors with 100 levels each, the interaction has 9,801, and
their table 0.8 GB.
"""


class EffectTerm(msgspec.Struct, frozen=True, eq=False):
    """An effect: a main one of one axis, or an interaction.

    Attributes
    ----------
    axes : tuple of int
        Those that take part.
    rows : array
        Orthonormal contrasts of the treatments; a single one counts second steps as positive.
    confounded : tuple of str
        Other effects that share the contrast, by name, those of few axes only.
    """

    axes: tuple[int, ...]
    rows: Floats
    confounded: tuple[str, ...] = ()


class Structure(msgspec.Struct, frozen=True, eq=False):
    """Treatments that are all combinations of the steps of their axes, or a balanced choice of them.

    Attributes
    ----------
    samples : tuple of Sample
        One a treatment, in the order of the columns of ``EffectTerm.rows``.
    steps : array of int
        Treatments by axes.
    """

    kind: Literal["complete", "fraction", "screening"]
    axes: tuple[Axis, ...]
    samples: tuple[Sample, ...]
    steps: Floats
    stratum: Mapping[str, Scalar]
    terms: tuple[EffectTerm, ...]

    @property
    def labels(self) -> Mapping[str, Scalar]:
        """Labels that the program put on the values."""
        return self.samples[0].labels


class Broken(msgspec.Struct, frozen=True):
    """Treatments that are neither, so that effects of the factors cannot be separated."""

    names: tuple[str, ...]
    run: int
    combinations: int
    stratum: Mapping[str, Scalar]
    labels: Mapping[str, Scalar]


def structures(samples: Sequence[Sample], layout: Layout, declared: Analysis) -> Iterator[Structure | Broken]:
    """Structures that can be analysed: one for each stratum and each set of labels.

    Strata keep apart only where two axes are left to cross: those that a baseline makes of all other factors
    would leave nothing. ``declared.effects`` says it outright.
    """
    if layout.kind == "one-at-a-time" or declared.effects == ():
        return
    crossed = _cross(layout, declared)
    groups: dict[tuple[object, ...], list[tuple[tuple[int, ...], Sample]]] = {}
    for sample in sorted(samples, key=lambda sample: sample.treatment.id):
        steps = layout.steps(sample.treatment.levels)
        apart = tuple(step for axis, step in enumerate(steps) if axis not in crossed)
        key = (apart, tuple(sorted(sample.labels.items())))
        groups.setdefault(key, []).append((tuple(steps[axis] for axis in crossed), sample))
    for members in groups.values():
        structure = _build_structure(
            members, tuple(layout.varying[axis] for axis in crossed), layout, crossed
        )
        if structure is not None:
            yield structure


def _cross(layout: Layout, declared: Analysis) -> tuple[int, ...]:
    every = tuple(range(len(layout.varying)))
    if layout.kind in ("fraction", "plackett-burman"):
        return every
    if declared.effects is not None:
        return tuple(
            axis for axis in every if not set(declared.effects).isdisjoint(_list_names(layout.varying[axis]))
        )
    strata = set(declared.strata or ())
    rest = tuple(axis for axis in every if strata.isdisjoint(_list_names(layout.varying[axis])))
    return rest if len(rest) > 1 else every


def _list_names(axis: Axis) -> tuple[str, ...]:
    return (axis.name, *axis.factors)


def _build_structure(
    members: Sequence[tuple[tuple[int, ...], Sample]],
    axes: tuple[Axis, ...],
    layout: Layout,
    crossed: tuple[int, ...],
) -> Structure | Broken | None:
    used = [sorted({steps[j] for steps, _ in members}) for j in range(len(axes))]
    numbers = [j for j, steps in enumerate(used) if len(steps) > 1]
    if len(numbers) < 2:
        return None
    varied = tuple(Axis(axes[j].name, tuple(axes[j].steps[step] for step in used[j])) for j in numbers)
    ordered = sorted(
        ((tuple(used[j].index(steps[j]) for j in numbers), sample) for steps, sample in members),
        key=lambda group: group[0],
    )
    steps_of = [steps for steps, _ in ordered]
    samples = tuple(sample for _, sample in ordered)
    apart = {name for j, axis in enumerate(layout.varying) if j not in crossed for name in axis.factors}
    stratum = {name: level for name, level in samples[0].treatment.levels.items() if name in apart}
    table = np.array(steps_of)
    if layout.kind in ("fraction", "plackett-burman"):
        if len(set(steps_of)) == layout.count and len(numbers) == len(layout.varying):
            kind: Literal["fraction", "screening"] = "fraction" if layout.fraction else "screening"
            terms = (
                _describe_fraction(layout.fraction, table, layout.names)
                if layout.fraction
                else _compute_mains(table)
            )
            return Structure(kind, varied, samples, table, stratum, tuple(terms))
    elif len(set(steps_of)) == len(steps_of) == int(np.prod([len(axis.steps) for axis in varied])):
        terms = _list_all_terms([len(axis.steps) for axis in varied])
        return Structure("complete", varied, samples, table, stratum, tuple(terms))
    combinations = int(np.prod([len(axis.steps) for axis in varied]))
    return Broken(
        tuple(axis.name for axis in varied), len(steps_of), combinations, stratum, samples[0].labels
    )


def _list_all_terms(sizes: Sequence[int]) -> Iterator[EffectTerm]:
    """Every effect of all combinations, in the order of Yates; of very many, those that can be read."""
    every = 1 << len(sizes) <= MOST_EFFECTS + 1
    for word in range(1, 1 << len(sizes)):
        df = math.prod(sizes[axis] - 1 for axis in axes_of(word))
        if df > MOST_CONTRASTS or not (every or order(word) <= 2):
            continue
        rows: Floats = np.ones((1, 1))
        for axis, size in enumerate(sizes):
            factor = helmert(size) if word >> axis & 1 else np.full((1, size), size**-0.5)
            rows = np.asarray(np.kron(rows, factor), dtype=np.float64)
        yield EffectTerm(tuple(axes_of(word)), rows)


def helmert(size: int) -> Floats:
    """Helmert contrasts, ``(size - 1, size)``: each level against those before it, orthonormal."""
    rows = np.tril(np.full((size, size), -1.0), -1)[1:]
    later = np.arange(1, size)
    rows[later - 1, later] = later
    return np.asarray(rows / np.sqrt(later * (later + 1.0))[:, None], dtype=np.float64)


def _describe_fraction(fraction: Fraction, steps: Floats, names: Sequence[str]) -> Iterator[EffectTerm]:
    signs = 2 * steps - 1
    for aliases in fraction.contrasts():
        axes = tuple(axes_of(aliases[0].word))
        row = signs[:, axes].prod(axis=1) / len(steps) ** 0.5
        yield EffectTerm(axes, row[None, :], name_confounded(names, aliases))


def _compute_mains(steps: Floats) -> Iterator[EffectTerm]:
    for axis, column in enumerate((2 * steps - 1).T):
        yield EffectTerm((axis,), column[None, :] / len(steps) ** 0.5)


def contrast_row(structure: Structure, weights: Mapping[str, Sequence[float]]) -> Floats | None:
    """Return a declared contrast as weights of the treatments.

    It is of each axis named, over the mean of the others.

    The positive weights of an axis are scaled to a sum of 1, so that one axis gives the logarithm of a ratio
    of (geometric) means and two give that of a ratio of ratios. ``None`` where an axis is not crossed here.
    """
    rows: Floats = np.ones(1)
    names = [axis.name for axis in structure.axes]
    if structure.kind != "complete" or not set(weights) <= set(names):
        return None
    for axis in structure.axes:
        size = len(axis.steps)
        weights_of = np.asarray(weights.get(axis.name, [1.0] * size), dtype=np.float64)
        if weights_of.size != size:
            return None
        scale = float(weights_of[weights_of > 0].sum())
        rows = np.asarray(np.kron(rows, weights_of / scale), dtype=np.float64)
    return rows


def step_row(structure: Structure, axis: int, step: int, within: tuple[int, int] | None = None) -> Floats:
    """Return the mean at one step of an axis against that at its first, over all other axes.

    ``within`` keeps to one step of another axis.
    """
    is_member = np.ones(len(structure.samples), dtype=bool)
    if within is not None:
        is_member = structure.steps[:, within[0]] == within[1]
    high = is_member & (structure.steps[:, axis] == step)
    low = is_member & (structure.steps[:, axis] == 0)
    return np.asarray(high / high.sum() - low / low.sum(), dtype=np.float64)
