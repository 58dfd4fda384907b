"""Whether any probe changes a metric: one test over all levels at once, none of them put in an order."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.core.sample import Sample
from steelyard.extensions.observe.results import AnyLevel
from steelyard.results.analysis import Order
from steelyard.results.undefined import Undefined
from steelyard.stats.effects.cells import cells_of
from steelyard.stats.effects.omnibus import box, welch_james
from steelyard.stats.effects.structure import helmert


def any_level(samples: Sequence[Sample], *, order: Order = "randomized-blocks") -> AnyLevel | None:
    """H0: the mean logarithm is the same with no probe and under each of them.

    Levels of a block share what the block is, so that a test of independent groups (Welch's among them) has
    the wrong error: their contrasts within blocks are tested by Box's corrected F. Where the order was
    sequential, Johansen's generalisation of Welch's test is used. Neither depends on which contrasts span the
    differences, so that no order of the levels is implied.

    Parameters
    ----------
    samples : sequence of Sample
        One metric, the baseline and every probe.

    Returns
    -------
    AnyLevel or None
        ``None`` with fewer than two probes (the test of the only one says it), values that have no
        logarithm, fewer than three blocks in common (two launches), or no spread.
    """
    if len(samples) < 3:
        return None
    cells = cells_of(samples, order=order)
    if isinstance(cells, Undefined):
        return None
    rows = helmert(len(samples))
    test = box(cells.table @ rows.T) if cells.paired else welch_james(cells.logs, rows)
    if test is None:
        return None
    return AnyLevel(
        metric=samples[0].metric,
        unit=cells.by,
        f=test.f,
        nu1=test.nu1,
        nu2=test.nu2,
        p=test.p,
        levels=len(samples),
        n=cells.units,
    )
