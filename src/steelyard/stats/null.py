"""``tally``: how often comparisons of a program with itself called it different."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.answers.comparison import Comparison, Speedup
from steelyard.answers.null import Tally, Way
from steelyard.stats.hypothesis.clopper_pearson import clopper_pearson


def tally(way: Way, found: Sequence[Comparison]) -> Tally:
    """Count the comparisons of one way that call the program different."""
    different = sum(each.difference != "not_resolved" for each in found)
    ratios = [each.speedup.value for each in found if isinstance(each.speedup, Speedup)]
    return Tally(
        way,
        comparisons=len(found),
        different=different,
        share=different / len(found) if found else None,
        ci95=clopper_pearson(different, len(found)) if found else None,
        largest_ratio=max((max(ratio, 1 / ratio) for ratio in ratios), default=None),
    )
