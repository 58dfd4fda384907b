"""The comparative part of an answer: treatments against each other, contexts, effects, interactions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from steelyard.analysis import Analysis
from steelyard.answers.analysis import Answer, DesignFacts
from steelyard.answers.comparison import Comparison
from steelyard.answers.samples import Described
from steelyard.answers.undefined import Undefined
from steelyard.factorial import Layout
from steelyard.sample import Sample
from steelyard.stats.compare.comparison import compare, intervals
from steelyard.stats.compare.typical import typical_runs
from steelyard.stats.planning.fresh_run import fresh_run

if TYPE_CHECKING:
    from steelyard.answers.comparison import SpeedupRatio
    from steelyard.answers.contexts import ContextFinding


def compared(
    found: Answer,
    samples: Sequence[Sample],
    *,
    to_limit: Sequence[Sample] | None,
    crossed: Sequence[Sample],
    layout: Layout | None,
) -> Answer:
    """The answer with what is estimated and judged between treatments.

    Parameters
    ----------
    found : Answer
        What each sample says alone.
    samples, to_limit, layout
        As of ``answer``, problems pooled where the experiment declares them.
    crossed : sequence of Sample
        Before that: effects are those of single samples.

    Raises
    ------
    UsageError
        As ``pair_up``.
    """
    declared, facts = found.declared, found.design
    others = [each for each in found.samples if each.metric.name != declared.metric]
    judged = [
        _with_fresh_run(each, declared, facts)
        for each in compare(samples if to_limit is None else to_limit, declared, order=facts.order)
    ]
    typical = typical_runs(samples, declared, facts.order)
    judged = [replace(each, typical=its) for each, its in zip(judged, typical, strict=True)]
    foreign = {
        name: _without_foreign_labels(declared, others, name)
        for name in dict.fromkeys(each.metric.name for each in others)
    }
    unjudged = [
        comparison
        for name, known in foreign.items()
        for comparison in intervals(samples, known, metric=name, order=facts.order)
    ]
    found = replace(
        found,
        comparisons=(*judged, *unjudged),
        contexts=_contexts(samples, declared, facts),
        speedup_ratios=_ratios(samples, declared, facts),
    )
    if layout is None or len(layout.varying) < 2:
        return found
    return _with_effects(found, crossed, layout, foreign)


# What few experiments have is imported where one has it: a comparison starts 10 ms earlier.


def _contexts(
    samples: Sequence[Sample], declared: Analysis, facts: DesignFacts
) -> tuple[ContextFinding, ...]:
    if declared.instances or not facts.contexts:
        return ()
    from steelyard.stats.contexts.finding import context_findings

    return context_findings(samples, declared, facts)


def _ratios(samples: Sequence[Sample], declared: Analysis, facts: DesignFacts) -> tuple[SpeedupRatio, ...]:
    if declared.ratio_across is None:
        return ()
    from steelyard.stats.compare.interaction import ratios_of_speedups

    return ratios_of_speedups(samples, declared, order=facts.order)


def _with_effects(
    found: Answer, samples: Sequence[Sample], layout: Layout, foreign: Mapping[str, Analysis]
) -> Answer:
    from steelyard.stats.effects.analysis import effects_beside, factorial
    from steelyard.stats.effects.fresh_run import with_fresh_runs

    declared, facts = found.declared, found.design
    effects = factorial(samples, layout, declared, order=facts.order)
    others = [replace(known, metric=name) for name, known in foreign.items()]
    return replace(
        found,
        effects=tuple(with_fresh_runs(each, declared, facts) for each in effects),
        effects_beside=effects_beside(samples, layout, others, order=facts.order),
    )


def _with_fresh_run(comparison: Comparison, declared: Analysis, facts: DesignFacts) -> Comparison:
    ratio, size = comparison.speedup, comparison.family_size
    if comparison.verdict != "not_resolved" or comparison.refused or not size or isinstance(ratio, Undefined):
        return comparison
    by_context = comparison.contexts is not None
    return replace(comparison, fresh=fresh_run(ratio, size, declared, facts, by_context=by_context))


def _without_foreign_labels(declared: Analysis, others: Sequence[Described], metric: str) -> Analysis:
    """Strata may name labels, which not every metric has."""
    of_metric = [each for each in others if each.metric.name == metric]
    strata = [
        name
        for name in declared.strata or ()
        if all(name in e.treatment.levels or name in e.labels for e in of_metric)
    ]
    return replace(declared, strata=tuple(strata))
