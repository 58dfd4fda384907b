"""Treatments: the cells of the experiment, numbered and labelled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from steelyard.core.sample import Treatment
from steelyard.core.units import Scalar
from steelyard.spec.cells import Cell
from steelyard.spec.check.factors import COMMAND
from steelyard.spec.experiment import Experiment
from steelyard.spec.layout import laid_out
from steelyard.spec.text.origin import visible
from steelyard.spec.text.placeholders import format_level


def treatments(experiment: Experiment) -> tuple[Treatment, ...]:
    """Every combination of levels that the design runs, the last factor fastest; ids from 1 without gaps."""
    rows = list(laid_out(experiment))
    labels = _list_labels(rows, experiment.name)
    return tuple(
        Treatment(number, label, cell)
        for number, (label, cell) in enumerate(zip(labels, rows, strict=True), 1)
    )


def _list_labels(cells: Sequence[Cell], name: str) -> list[str]:
    """Labels that tell the treatments apart; of one treatment: its command, its benchmark or the experiment.

    A word says what it is; a number alone does not, and is named. Where the command tells all of them apart,
    factors that are linked to it say nothing more.
    """
    varying = [factor for factor in cells[0] if len({cell[factor] for cell in cells}) > 1]
    if COMMAND in varying and len({cell[COMMAND] for cell in cells}) == len(cells):
        varying = [COMMAND]
    if not varying:
        return [
            _format_level_visibly(next((cells[0][factor] for factor in _NAMING if factor in cells[0]), name))
        ]
    if len(varying) == 1 and any(isinstance(cell[varying[0]], str) for cell in cells):
        labels = [_format_level_visibly(cell[varying[0]]) for cell in cells]
    else:
        labels = [
            ", ".join(f"{factor}={_format_level_visibly(cell[factor])}" for factor in varying)
            for cell in cells
        ]
    # Levels that hold commas or escapes can make two labels equal.
    counts = Counter(labels)
    return [label if counts[label] == 1 else f"{label} #{i}" for i, label in enumerate(labels, 1)]


_NAMING: Final = (COMMAND, "benchmark")
"""Factors of ``compare`` and of ``import`` whose level says what ran."""


def _format_level_visibly(level: Scalar) -> str:
    """Return the level on one line, control characters as Python writes them; quoted if empty or padded."""
    text = visible(format_level(level))
    return text if text and text == text.strip() else f"'{text}'"
