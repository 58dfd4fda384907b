"""The comparative part of an answer: treatments against each other, contexts, effects, interactions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.core.factorial import Layout
from steelyard.core.sample import Sample
from steelyard.results.analysis import Answer, DesignFacts
from steelyard.results.comparison import Comparison, QuantileSpeedup
from steelyard.results.samples import Described
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.comparison import compare, intervals
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.pairing import pair_up
from steelyard.stats.compare.quantile_ratio import quantile_speedups
from steelyard.stats.compare.typical import typical_runs
from steelyard.stats.planning.fresh_run import fresh_run
from steelyard.stats.sequential.over_looks import looks_of

if TYPE_CHECKING:
    from steelyard.results.comparison import SpeedupRatio
    from steelyard.results.contexts import ContextFinding
    from steelyard.results.effects import Factorial

MOST_SHIFTS: Final = 200


def compare_samples(
    answer: Answer,
    samples: Sequence[Sample],
    *,
    to_limit: Sequence[Sample] | None,
    crossed: Sequence[Sample],
    layout: Layout | None,
) -> Answer:
    """Return the answer with what is estimated and judged between treatments.

    Parameters
    ----------
    answer : Answer
        What each sample says alone.
    samples, to_limit, layout
        As of ``answer``, problems pooled where the experiment declares them.
    crossed : sequence of Sample
        Before that; effects are those of single samples, unless problems are pooled.

    Raises
    ------
    UsageError
        The declared strata or baseline are not in the samples, as ``pair_up`` says.
    """
    declared, facts = answer.declared, answer.design
    looks = looks_of(facts)
    descriptions = [sample for sample in answer.samples if sample.metric.name != declared.metric]
    judged = [
        _add_fresh_run(comparison, declared, facts)
        for comparison in compare(
            samples if to_limit is None else to_limit, declared, order=facts.order, looks=looks
        )
    ]
    typical = typical_runs(samples, declared, facts.order)
    quantiles = _compute_quantiles(samples, declared, facts)
    judged = [
        replace(comparison, typical=typical_of, quantiles=speedups)
        for comparison, typical_of, speedups in zip(judged, typical, quantiles, strict=True)
    ]
    foreign = {
        name: _drop_foreign_labels(declared, descriptions, name)
        for name in dict.fromkeys(description.metric.name for description in descriptions)
    }
    unjudged = [
        comparison
        for name, analysis in foreign.items()
        for comparison in intervals(samples, analysis, metric=name, order=facts.order, looks=looks)
    ]
    answer = replace(
        answer,
        comparisons=(*judged, *unjudged),
        contexts=_compute_contexts(samples, declared, facts),
        speedup_ratios=_compute_ratios(samples, declared, facts),
    )
    if declared.instances is not None and layout is not None and layout.kind in ("full", "two-level"):
        # Instances are what effects are averaged over, and draws of those that are meant.
        crossed, layout = (
            samples,
            replace(
                layout, axes=tuple(axis for axis in layout.axes if declared.instances not in axis.factors)
            ),
        )
    if layout is not None and len(layout.varying) >= 2:
        answer = _add_effects(answer, crossed, layout, declared, foreign)
    drawn = facts.contexts or facts.unknown_contexts or _is_simulated(samples)
    return answer if drawn else _tell_context(answer)


def _is_simulated(samples: Sequence[Sample]) -> bool:
    """Whether values come from a computed machine, which has no context."""
    return any(sample.provenance == "simulated" for sample in samples)


def _tell_context(answer: Answer) -> Answer:
    """Return the same answer, of which each estimate says that no context was drawn."""
    return replace(
        answer,
        comparisons=tuple(replace(comparison, in_one_context=True) for comparison in answer.comparisons),
        speedup_ratios=tuple(replace(ratio, in_one_context=True) for ratio in answer.speedup_ratios),
        effects=tuple(map(_tell_context_of_effects, answer.effects)),
        effects_beside=tuple(map(_tell_context_of_effects, answer.effects_beside)),
    )


def _tell_context_of_effects(factorial: Factorial) -> Factorial:
    return replace(
        factorial, effects=tuple(replace(effect, in_one_context=True) for effect in factorial.effects)
    )


# What few experiments have is imported where one has it: a comparison starts 10 ms earlier.


def _compute_contexts(
    samples: Sequence[Sample], declared: Analysis, facts: DesignFacts
) -> tuple[ContextFinding, ...]:
    if declared.instances or not facts.contexts:
        return ()
    from steelyard.stats.contexts.finding import context_findings

    return context_findings(samples, declared, facts)


def _compute_quantiles(
    samples: Sequence[Sample], declared: Analysis, facts: DesignFacts
) -> list[tuple[QuantileSpeedup, ...]]:
    """Return the shift function of each comparison; of very many, of none."""
    pairs = pair_up([s for s in samples if s.metric.name == declared.metric], declared).pairs
    if len(pairs) > MOST_SHIFTS:
        return [()] * len(pairs)
    between = (contrast(pair.baseline, pair.treatment, order=facts.order) for pair in pairs)
    return [() if isinstance(pair, Undefined) else quantile_speedups(pair) for pair in between]


def _compute_ratios(
    samples: Sequence[Sample], declared: Analysis, facts: DesignFacts
) -> tuple[SpeedupRatio, ...]:
    if declared.ratio_across is None:
        return ()
    from steelyard.stats.compare.interaction import ratios_of_speedups

    return ratios_of_speedups(samples, declared, order=facts.order, looks=looks_of(facts))


def _add_effects(
    answer: Answer,
    samples: Sequence[Sample],
    layout: Layout,
    declared: Analysis,
    foreign: Mapping[str, Analysis],
) -> Answer:
    from steelyard.stats.effects.analysis import effects_beside, factorial
    from steelyard.stats.effects.fresh_run import add_fresh_runs

    facts, looks = answer.design, looks_of(answer.design)
    effects = factorial(samples, layout, declared, order=facts.order, looks=looks)
    analyses = [replace(analysis, metric=name) for name, analysis in foreign.items()]
    return replace(
        answer,
        effects=tuple(add_fresh_runs(effect, answer.declared, facts) for effect in effects),
        effects_beside=effects_beside(samples, layout, analyses, order=facts.order, looks=looks),
    )


def _add_fresh_run(comparison: Comparison, declared: Analysis, facts: DesignFacts) -> Comparison:
    ratio, size = comparison.speedup, comparison.family_size
    if comparison.verdict != "not_resolved" or comparison.refused or not size or isinstance(ratio, Undefined):
        return comparison
    by_context = comparison.contexts is not None
    return replace(comparison, fresh=fresh_run(ratio, size, declared, facts, by_context=by_context))


def _drop_foreign_labels(declared: Analysis, describeds: Sequence[Described], metric: str) -> Analysis:
    """Strata may name labels, which not every metric has."""
    of_metric = [description for description in describeds if description.metric.name == metric]
    strata = [
        name
        for name in declared.strata or ()
        if all(name in e.treatment.levels or name in e.labels for e in of_metric)
    ]
    return replace(declared, strata=tuple(strata))
