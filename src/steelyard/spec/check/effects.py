"""``[analysis]``: which effects are estimated, and which contrasts besides."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from steelyard.spec.experiment import Design, Factor, Zip
from steelyard.spec.layout import lay_out
from steelyard.spec.names import check_text
from steelyard.spec.text.origin import Origin, Path, suggest

_PATH: Final[Path] = ("analysis",)
_CROSSED: Final = ("full", "two-level")
_ROUNDING: Final = 1e-9


def read_effects(
    names: Sequence[str] | None,
    factors: Sequence[Factor],
    zips: Sequence[Zip],
    design: Design,
    origin: Origin,
) -> tuple[str, ...] | None:
    """Return the factors to cross.

    Raises
    ------
    SpecError
    """
    if names is None:
        return None
    path: Path = (*_PATH, "effects")
    if not names:
        return ()
    texts = [axis.name for axis in lay_out(factors, zips, design).varying]
    for i, name in enumerate(names):
        if name not in texts:
            text = f"{name} does not vary here"
            raise origin.error((*path, i), text, suggest(name, texts, "factors"))
        if name in names[:i]:
            raise origin.error((*path, i), f"{name} is named twice", "leave one out")
    if len(names) < 2:
        text = "effects of one factor are its comparisons"
        raise origin.error(path, text, "name two factors or more, or none: effects = []")
    if design.kind not in _CROSSED and set(names) < set(texts):
        text = f'kind = "{design.kind}" crosses all of its factors or none'
        raise origin.error(path, text, "name all of them, none (effects = []), or leave effects out")
    return tuple(names)


def read_contrasts(
    tables: Mapping[str, Mapping[str, Sequence[float]]],
    factors: Sequence[Factor],
    zips: Sequence[Zip],
    design: Design,
    origin: Origin,
) -> dict[str, dict[str, tuple[float, ...]]]:
    """Return the declared contrasts.

    Raises
    ------
    SpecError
    """
    steps = {axis.name: len(axis.steps) for axis in lay_out(factors, zips, design).varying}
    if tables and design.kind not in _CROSSED:
        text = f'kind = "{design.kind}" does not run all combinations, over which a contrast is the mean'
        raise origin.error((*_PATH, "contrasts"), text, 'write kind = "full" or kind = "two-level"')
    contrasts: dict[str, dict[str, tuple[float, ...]]] = {}
    for name, table in tables.items():
        path: Path = (*_PATH, "contrasts", name)
        check_text(name, "the name of a contrast", origin, path)
        if not table:
            raise origin.error(path, "names no factor", "give weights: { opt = [-1, 1] }")
        for factor, weights in table.items():
            _check_weights(factor, weights, steps, origin, (*path, factor))
        contrasts[name] = {factor: tuple(map(float, weights)) for factor, weights in table.items()}
    return contrasts


def _check_weights(
    factor: str, weights: Sequence[float], steps: Mapping[str, int], origin: Origin, path: Path
) -> None:
    if factor not in steps:
        text = f"{factor} does not vary here"
        raise origin.error(path, text, suggest(factor, steps, "factors"))
    if len(weights) != steps[factor]:
        text = f"{len(weights)} weights for the {steps[factor]} levels of {factor}"
        raise origin.error(path, text, "give one weight for each level, 0 for those that do not matter")
    total, size = sum(weights), sum(map(abs, weights))
    if not math.isfinite(size) or size == 0:
        raise origin.error(path, "weights must be finite and not all 0", "compare levels: [-1, 0, 1]")
    if abs(total) > _ROUNDING * size:
        text = f"the weights have the sum {total:g}, so they would compare unequal amounts"
        raise origin.error(path, text, "let those above 0 balance those below: [-1, 0.5, 0.5]")
