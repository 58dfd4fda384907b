"""Cells that are run, from the factors and the design of a spec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from steelyard.core.factorial import Axis, Generator, Layout
from steelyard.core.factorial.layout import TWO_STEPS
from steelyard.core.units import Scalar
from steelyard.spec.cells import Cell, axes, matches
from steelyard.spec.experiment import Design, Experiment, Factor, Zip


def layout_of(experiment: Experiment) -> Layout:
    """Which combinations the design of an experiment runs, before exclusions."""
    return lay_out(experiment.factors, experiment.zips, experiment.design, experiment.analysis.baseline)


def lay_out(
    factors: Sequence[Factor],
    zips: Sequence[Zip],
    design: Design,
    baseline: Mapping[str, Scalar] | None = None,
) -> Layout:
    """Lay out as ``layout_of``; ``baseline`` is where one factor at a time departs from."""
    varying = named_axes(factors, zips)
    if design.kind in TWO_STEPS:
        varying = tuple(_make_two_steps(axis, design.ends) for axis in varying)
    names = [axis.name for axis in varying if axis.varies]
    generators = tuple(read_generator(text, names) for text in design.generators)
    base: tuple[int, ...] = ()
    if design.kind == "one-at-a-time":
        base = tuple(base_step(axis, baseline or {}) or 0 for axis in varying)
    return Layout(design.kind, varying, generators, base)


def laid_out(experiment: Experiment) -> Iterator[Cell]:
    """Return the cells that are run; the keys are in the order of the factors."""
    return cells_of(layout_of(experiment), experiment.factors, experiment.design.exclude)


def cells_of(
    layout: Layout, factors: Sequence[Factor], exclude: Sequence[Mapping[str, Scalar]] = ()
) -> Iterator[Cell]:
    """Yield the cells of a layout without those excluded; the keys are in the order of the factors."""
    names = [factor.name for factor in factors]
    for levels in layout.cells():
        if not any(matches(levels, cell) for cell in exclude):
            yield {name: levels[name] for name in names}


def named_axes(factors: Sequence[Factor], zips: Sequence[Zip]) -> tuple[Axis, ...]:
    """Axes of factors that change together, named by the factor or the zip."""
    links = {link.names: link.name for link in zips}
    every = []
    for axis in axes(factors, zips):
        members = tuple(name for name, _ in axis[0])
        every.append(Axis(links.get(members, members[0]), tuple(dict(step) for step in axis)))
    return tuple(every)


def read_generator(text: str, names: Sequence[str]) -> Generator:
    """``"d = a b c"`` or ``"d = -a b"``, with names of axes.

    Raises
    ------
    ValueError
        Another form, an unknown axis, or one that is named twice; with a sentence.
    """
    target, equals, right = text.partition("=")
    right = right.strip()
    negative = right.startswith("-")
    words = right.removeprefix("-").replace("*", " ").replace("×", " ").split()
    if not equals or len(target.split()) != 1 or len(words) < 2:
        raise ValueError("is not of the form NAME = NAME NAME …")
    for name in (target.strip(), *words):
        if name not in names:
            raise ValueError(f"{name} does not vary here; factors that do: {', '.join(names)}")
    if len(set(words)) < len(words) or target.strip() in words:
        raise ValueError("names a factor twice")
    word = sum(1 << names.index(name) for name in words)
    return Generator(names.index(target.strip()), word, -1 if negative else 1)


def write_generator(generator: Generator, names: Sequence[str]) -> str:
    """Return the text that ``read_generator`` reads."""
    words = " ".join(name for j, name in enumerate(names) if generator.word >> j & 1)
    return f"{names[generator.axis]} = {'-' if generator.sign < 0 else ''}{words}"


def base_step(axis: Axis, baseline: Mapping[str, Scalar]) -> int | None:
    """Return the first step with every level that ``baseline`` gives; ``None`` where there is none."""
    levels_of = {name: level for name, level in baseline.items() if name in axis.factors}
    return next((i for i, step in enumerate(axis.steps) if matches(step, levels_of)), None)


def _make_two_steps(axis: Axis, ends: Mapping[str, tuple[Scalar, Scalar]]) -> Axis:
    if not axis.varies:
        return axis
    if axis.name in ends:
        return Axis(axis.name, tuple({axis.name: level} for level in ends[axis.name]))
    return Axis(axis.name, (axis.steps[0], axis.steps[-1]))
