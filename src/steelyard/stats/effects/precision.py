"""Precision reached so far by the effects of a design, for stop rules that ask for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.core.factorial import Layout
from steelyard.core.factorial.layout import TWO_STEPS
from steelyard.core.sample import Sample
from steelyard.results.analysis import Order
from steelyard.stats.effects.cells import Cells, cells_of
from steelyard.stats.effects.structure import Structure, structures
from steelyard.stats.planning.precision import Precision, doubts_of, log_halfwidth


def asks_for_effects(layout: Layout, declared: Analysis) -> bool:
    """Whether a design is about effects: two steps of each factor, and no baseline to compare with."""
    return (
        layout.kind in TWO_STEPS
        and not declared.baseline
        and declared.family != "all-pairs"
        and declared.effects != ()
    )


def effects_precision(
    samples: Sequence[Sample], layout: Layout, declared: Analysis, *, order: Order
) -> Precision | None:
    """Relative half-widths of the ratio of every effect.

    ``None`` where the design asks for comparisons, or effects cannot be estimated in blocks.
    """
    if not asks_for_effects(layout, declared):
        return None
    primary = [sample for sample in samples if sample.metric.name == declared.metric and len(sample)]
    halfwidths: list[float | None] = []
    in_time: list[Floats] = []
    for structure in structures(primary, layout, declared):
        cells = cells_of(structure.samples, order=order) if isinstance(structure, Structure) else None
        if not isinstance(structure, Structure) or not isinstance(cells, Cells) or not cells.paired:
            return None
        blocks = cells.by == "block"
        for term in structure.terms:
            values = 2 * len(structure.samples) ** -0.5 * (cells.table @ term.rows[0])
            halfwidths.append(log_halfwidth(values, in_time=blocks))
            if blocks:
                in_time.append(values)
    if not halfwidths:
        return None
    raw = [np.asarray(sample.values, dtype=np.float64) for sample in primary]
    return Precision(tuple(halfwidths), doubts_of(raw, in_time))
