"""What the answer of a gate says of one benchmark."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from steelyard.extensions.gate.benchmark import BenchmarkOfSuite
from steelyard.extensions.gate.counts import count_change
from steelyard.extensions.gate.results import GatedBenchmark, TypicalChange, Verdict
from steelyard.extensions.gate.sides import SIDES
from steelyard.extensions.gate.suite import (
    BenchmarkJudgement,
    SideValues,
    change_interval,
    compare_sides,
    count_blocks_to_show,
)
from steelyard.results.comparison import TypicalRatio
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.slow_mode import find_slow_runs
from steelyard.stats.sequential.looks import Looks


def describe_benchmark(benchmark: BenchmarkOfSuite, judged: BenchmarkJudgement | None) -> GatedBenchmark:
    """Return what the answer says of one benchmark.

    Parameters
    ----------
    judged : BenchmarkJudgement or None
        ``None`` of a metric that is only shown.
    """
    verdict: Verdict = judged.decision if judged else "reported"
    described = GatedBenchmark(
        benchmark.title, verdict, metric=benchmark.metric.name, margin=benchmark.margin
    )
    if benchmark.trouble is not None:
        return replace(described, verdict="open" if judged else "reported", trouble=benchmark.trouble)
    if judged is not None:
        described = replace(
            described,
            decided_by=None if benchmark.is_exact else judged.by,
            p_worse=judged.adjusted.worse,
            p_better=judged.adjusted.better,
            p_equivalent=judged.adjusted.equivalent,
        )
    if benchmark.is_exact:
        return _describe_exact(described, benchmark)
    if not benchmark.base:
        return GatedBenchmark(benchmark.title, verdict, metric=benchmark.metric.name, margin=benchmark.margin)
    if not benchmark.has_ratio:
        return _describe_means(described, benchmark.base, benchmark.head)
    return _describe_ratio(described, benchmark)


def _describe_exact(described: GatedBenchmark, benchmark: BenchmarkOfSuite) -> GatedBenchmark:
    base, head = benchmark.processes
    return replace(
        _describe_means(described, base[:1], head[:1]),
        blocks=len(benchmark.base),
        is_exact=True,
        processes=min(len(base), len(head)),
    )


def _describe_means(
    described: GatedBenchmark, base: Sequence[float], head: Sequence[float]
) -> GatedBenchmark:
    old, new = (math.fsum(side) / len(side) for side in (base, head))
    change = count_change(old, new)
    return replace(
        described, blocks=len(base), base=old, head=new, change=change if math.isfinite(change) else None
    )


def _describe_ratio(described: GatedBenchmark, benchmark: BenchmarkOfSuite) -> GatedBenchmark:
    values, margin = benchmark.values, benchmark.margin
    compared = compare_sides(values, margin, _choose_looks(benchmark))
    ratio, mean, blocks = compared.speedup, float(values.differences.mean()), values.base.size
    is_rate = benchmark.metric.better == "higher"
    described = replace(
        described,
        blocks=blocks,
        base=float(np.exp(np.log(benchmark.base).mean())),
        head=float(np.exp(np.log(benchmark.head).mean())),
        change=math.expm1(-mean if is_rate else mean),
        ci95=None if isinstance(ratio, Undefined) else change_interval(ratio, is_rate=is_rate),
        typical=describe_typical(values, compared.beside, is_rate=is_rate),
    )
    if described.verdict != "open":
        return described
    slow = compared.slow if "slow_mode" in compared.flags else None
    return replace(
        described,
        blocks_to_show=count_blocks_to_show(mean, margin, blocks),
        slow_side=None if slow is None else str(slow.treatment.levels["side"]),
        slow_runs=0 if slow is None else slow.runs,
    )


def _choose_looks(benchmark: BenchmarkOfSuite) -> Looks | None:
    """Return the looks at a benchmark, today's included: others of its program may have kept it running."""
    blocks = len(benchmark.base)
    if not benchmark.looks:
        return None
    closed = benchmark.closed if benchmark.closed == blocks else None
    return Looks(tuple(sorted({*benchmark.looks, blocks})), closed)


def describe_typical(
    values: SideValues, beside: TypicalRatio | None, *, is_rate: bool
) -> TypicalChange | None:
    """Return what the answer says of a typical run."""
    if beside is None:
        return None
    slow = find_slow_runs(values.base, values.head)
    counts = [int(is_slow.sum()) for is_slow in slow or ()]
    logs = values.differences
    return TypicalChange(
        change=beside.ratio.value - 1 if is_rate else 1 / beside.ratio.value - 1,
        ci95=change_interval(beside.ratio, is_rate=is_rate),
        slower=int((logs > 0).sum()),
        faster=int((logs < 0).sum()),
        slow_side=SIDES[counts.index(max(counts))] if counts else None,
        slow_runs=max(counts, default=0),
    )
