"""``ContextFinding``: what contexts do to one declared comparison, and the split of effort it asks for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from steelyard.analysis import Analysis
from steelyard.answers.undefined import Undefined
from steelyard.sample import Sample, Treatment
from steelyard.stats.compare.pairing import pair_up
from steelyard.stats.contexts.across import AcrossContexts, across_contexts
from steelyard.stats.contexts.allocation import Allocation, allocate_like
from steelyard.stats.contexts.visits import same_contexts
from steelyard.stats.design_facts import DesignFacts
from steelyard.stats.distributions.student import t_quantile
from steelyard.units import Scalar

SEEN: Final = 0.05
"""Level of the F test from which on contexts are said to move a ratio."""


class ContextFinding(msgspec.Struct, frozen=True):
    """One comparison of the primary metric, by contexts.

    Attributes
    ----------
    halfwidth : float or None
        Relative: the precision that ``split`` is for, that of the stop rule or else the one reached here.
    split : Allocation or None
        The cheapest contexts and runs for it; ``None`` where costs are not known, or contexts are not seen to
        move the ratio: an interaction around 0 would ask for runs without end in one context.
    """

    baseline: Treatment
    treatment: Treatment
    labels: Mapping[str, Scalar]
    across: AcrossContexts
    halfwidth: float | None = None
    split: Allocation | None = None


def context_findings(
    samples: Sequence[Sample], declared: Analysis, facts: DesignFacts
) -> tuple[ContextFinding, ...]:
    """Findings for every declared comparison that has a ratio in two contexts or more; none without contexts.

    Raises
    ------
    UsageError
        As ``pair_up``.
    """
    if not facts.contexts or facts.order == "sequential":
        return ()
    chosen = [sample for sample in samples if sample.metric.name == declared.metric]
    found = []
    for pair in pair_up(chosen, declared).pairs:
        old, new = (same_contexts(each, facts.drawn_before) for each in (pair.baseline, pair.treatment))
        across = across_contexts(old, new, default=facts.default_context, seed=facts.seed)
        if isinstance(across, Undefined):
            continue
        halfwidth = facts.target or _reached(across)
        split = _split(across, halfwidth, facts)
        found.append(
            ContextFinding(
                pair.baseline.treatment,
                pair.treatment.treatment,
                pair.treatment.labels,
                across,
                halfwidth if split else None,
                split,
            )
        )
    return tuple(found)


def _reached(across: AcrossContexts) -> float | None:
    interval = across.interval
    return (interval.high - interval.low) / 2 / across.speedup if interval else None


def _split(across: AcrossContexts, halfwidth: float | None, facts: DesignFacts) -> Allocation | None:
    pace, components = facts.pace, across.components
    if pace is None or pace.run_s <= 0 or components is None or components.p is None or not halfwidth:
        return None
    if components.p >= SEEN:
        return None
    # The half-width of t with as many contexts as there are now: close to what the plan will have.
    target = math.asinh(halfwidth) / t_quantile(max(across.contexts - 1, 4), 0.05)
    return allocate_like(components, target, context_cost=pace.context_s, run_cost=pace.run_s)
