"""The cells of an experiment: every combination of levels that is not excluded."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from steelyard.core.units import Scalar
from steelyard.spec.tables.factors import Factor, Zip

Cell = dict[str, Scalar]
Axis = tuple[tuple[tuple[str, Scalar], ...], ...]
"""What changes together, step by step: one factor, or the factors of one zip."""


def axes(factors: Sequence[Factor], zips: Sequence[Zip]) -> tuple[Axis, ...]:
    """Return the axes in the order of the factors; a zip stands where its first factor stands."""
    linked = {name: link for link in zips for name in link.names}
    result: list[Axis] = []
    done: set[str] = set()
    for factor in factors:
        if factor.name in done:
            continue
        link = linked.get(factor.name)
        if link is None:
            result.append(tuple(((factor.name, level),) for level in factor.levels))
        else:
            done.update(link.names)
            result.append(tuple(tuple(zip(link.names, row, strict=True)) for row in link.levels))
    return tuple(result)


def cells(
    factors: Sequence[Factor], zips: Sequence[Zip], exclude: Sequence[Mapping[str, Scalar]] = ()
) -> Iterator[Cell]:
    """Every cell in order, the last axis fastest; the keys are in the order of the factors."""
    names = [factor.name for factor in factors]
    for steps in itertools.product(*axes(factors, zips)):
        levels = {name: level for step in steps for name, level in step}
        if not any(matches(levels, cell) for cell in exclude):
            yield {name: levels[name] for name in names}


def matches(cell: Mapping[str, Scalar], partial: Mapping[str, Scalar]) -> bool:
    """Whether the cell has every level of ``partial``."""
    return all(cell[name] == level for name, level in partial.items())
