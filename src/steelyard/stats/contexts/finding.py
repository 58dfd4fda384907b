"""What contexts do to each declared comparison, and the split of effort that it asks for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.core.sample import Sample
from steelyard.results.analysis import DesignFacts
from steelyard.results.contexts import AcrossContexts, ContextFinding, Split
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.pairing import pair_up
from steelyard.stats.contexts.across import compare_across_contexts
from steelyard.stats.contexts.allocation import allocate_like
from steelyard.stats.contexts.machines import compare_machines, find_paces
from steelyard.stats.contexts.visits import same_contexts
from steelyard.stats.distributions.student import t_quantile

SEEN: Final = 0.05
"""Level of the F test from which on contexts are said to move a ratio."""


def context_findings(
    samples: Sequence[Sample], declared: Analysis, facts: DesignFacts
) -> tuple[ContextFinding, ...]:
    """Return findings for every declared comparison that has a ratio in two contexts or more.

    Without contexts, there are none.

    Raises
    ------
    UsageError
        The declared strata or baseline are not in the samples, as ``pair_up`` says.
    """
    if not facts.contexts or facts.order == "sequential":
        return ()
    chosen = [sample for sample in samples if sample.metric.name == declared.metric]
    paced = find_paces(chosen, facts.machines) if facts.machines else ()
    findings = []
    for pair in pair_up(chosen, declared).pairs:
        old, new = (same_contexts(side, facts.drawn_before) for side in (pair.baseline, pair.treatment))
        across = compare_across_contexts(old, new, default=facts.default_context, seed=facts.seed)
        if isinstance(across, Undefined):
            continue
        split = None if facts.machines else _split(across, facts.target or _describe_reached(across), facts)
        by_machine = compare_machines(old, new, facts.machines) if facts.machines else None
        findings.append(
            ContextFinding(
                pair.baseline.treatment,
                pair.treatment.treatment,
                pair.treatment.labels,
                across,
                split,
                by_machine and replace(by_machine, pace=paced),
            )
        )
    return tuple(findings)


def _describe_reached(across: AcrossContexts) -> float | None:
    interval = across.interval
    return (interval.high - interval.low) / 2 / across.speedup if interval else None


def _split(across: AcrossContexts, halfwidth: float | None, facts: DesignFacts) -> Split | None:
    pace, components = facts.pace, across.components
    if pace is None or pace.run_s <= 0 or components is None or components.p is None or not halfwidth:
        return None
    if components.p >= SEEN:
        return None
    # The half-width of t with as many contexts as there are now: close to what the plan will have.
    target = math.asinh(halfwidth) / t_quantile(max(across.contexts - 1, 4), 0.05)
    best = allocate_like(components, target, context_cost=pace.context_s, run_cost=pace.run_s)
    return Split(halfwidth, best.contexts, best.runs, best.cost)
