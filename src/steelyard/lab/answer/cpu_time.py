"""CPU time, compared beside elapsed time where others used the CPUs."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.core.units import Scalar
from steelyard.results.analysis import DesignFacts
from steelyard.results.comparison import Comparison
from steelyard.results.notice import Notice
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.comparison import compare
from steelyard.stats.sequential.over_looks import looks_of
from steelyard.store import Reading

LEVEL: Final = 0.01
"""Of all second verdicts of an answer together (Holm), beside the level of the first."""
MOST: Final = 3
"""Second verdicts that are said."""


def note_cpu_time(record: Reading, declared: Analysis, facts: DesignFacts) -> list[Notice]:
    """Compare CPU times of runs whose elapsed times contain waits for a CPU; none of another metric.

    Looks are those of the run, so that the level holds wherever elapsed time has ended it.
    """
    if declared.metric != "wall_s" or declared.failures == "as-limit" or declared.instances:
        return []
    second = replace(declared, metric="cpu_s", alpha=LEVEL, margin=None, type_b=())
    compared = compare(record.samples("cpu_s"), second, order=facts.order, looks=looks_of(facts))
    decided = [comparison for comparison in compared if comparison.difference in ("faster", "slower")]
    surest = sorted(decided, key=lambda comparison: comparison.p_holm or 0.0)[:MOST]
    if not surest and len(compared) == 1:
        surest = list(compared)
    return [notice for comparison in surest if (notice := _make_notice(comparison)) is not None]


def _make_notice(comparison: Comparison) -> Notice | None:
    ratio = comparison.speedup
    if isinstance(ratio, Undefined) or (interval := ratio.interval(LEVEL)) is None:
        return None
    fields: dict[str, Scalar] = {"speedup": ratio.value, "lowest": interval.low, "highest": interval.high}
    fields |= {"level": 1 - LEVEL, "verdict": comparison.difference or "not_resolved"}
    return Notice("by_cpu_time", (comparison.treatment.label, comparison.baseline.label), fields)
