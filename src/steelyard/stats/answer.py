"""Make the ``Answer`` of an experiment from its samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.core.extension import find_protocol, load
from steelyard.core.factorial import Layout
from steelyard.core.sample import Sample, Treatment
from steelyard.results.analysis import Answer, DesignFacts
from steelyard.results.notice import Notice
from steelyard.stats.compare.pairing import pair_up
from steelyard.stats.describe.described import describe
from steelyard.stats.describe.instances import pool
from steelyard.stats.notices import doubtful_units, limits_of, warnings_of

if TYPE_CHECKING:
    from steelyard.results.protocol import ProtocolResult


def answer(
    experiment: str,
    samples: Sequence[Sample],
    facts: DesignFacts,
    declared: Analysis,
    *,
    to_limit: Sequence[Sample] | None = None,
    warnings: Sequence[Notice] = (),
    unobserved: Sequence[Notice] = (),
    layout: Layout | None = None,
) -> Answer:
    """Summarise, compare and judge the samples of an experiment.

    Parameters
    ----------
    samples : sequence of Sample
        Of the primary metric and of any others; others get intervals without verdicts.
    to_limit : sequence of Sample, optional
        Of the primary metric, with runs that timed out: what is compared instead, where that is declared.
    warnings, unobserved : sequence of Notice
        What other rooms know (a changed host, missing counters); what the samples show themselves is added.
    layout : Layout, optional
        How factors are crossed; without it, no effects are estimated.

    Raises
    ------
    UsageError
        The declared strata or baseline are not in the samples, as ``pair_up`` says.
    ValueError
        No sample of the primary metric.
    """
    crossed = samples
    if declared.instances is not None:
        samples = pool(samples, declared.instances)
        to_limit = None if to_limit is None else pool(to_limit, declared.instances)
    described = [describe(sample) for sample in samples]
    primary = [description for description in described if description.metric.name == declared.metric]
    descriptions = [description for description in described if description.metric.name != declared.metric]
    if not primary:
        raise ValueError(f"no sample of the primary metric {declared.metric!r}")
    result = Answer(
        experiment=experiment,
        design=facts,
        declared=declared,
        metric=primary[0].metric,
        samples=(*primary, *descriptions),
        comparisons=(),
        protocol=_make_protocol(samples, declared),
    )
    if (layout is not None and layout.varying) or len({sample.treatment.id for sample in samples}) > 1:
        from steelyard.stats.compared import compare_samples

        result = compare_samples(result, samples, to_limit=to_limit, crossed=crossed, layout=layout)
    return replace(
        result,
        warnings=(
            *_note_carry_over([s for s in crossed if s.metric.name == declared.metric], facts),
            *warnings_of(facts, primary, result.judged, _compute_lonely(samples, declared), declared),
            *_note_protocol(declared, facts),
            *doubtful_units(result.samples),
            *warnings,
        ),
        unobserved=(*limits_of(facts, primary, descriptions), *unobserved),
    )


def _note_carry_over(samples: Sequence[Sample], facts: DesignFacts) -> list[Notice]:
    """Warn of values that depend on the treatment before, where its order was drawn and ran here."""
    is_drawn = facts.order == "randomized-blocks" and not facts.machines
    if not is_drawn or any(sample.provenance not in ("measured", "crowded") for sample in samples):
        return []
    if len(samples) < 2:
        return []
    # Imported where runs of several treatments took turns: an answer about one does without.
    from steelyard.stats.compare.carry_over import carry_over

    carried = carry_over(samples)
    if carried is None:
        return []
    return [Notice("carry_over", (carried.treatment.label, carried.predecessor.label), carried.fields)]


def _make_protocol(samples: Sequence[Sample], declared: Analysis) -> ProtocolResult | None:
    if declared.protocol == "default":
        return None
    result: ProtocolResult = load(find_protocol(declared.protocol).judge)(samples, declared)
    return result


def _note_protocol(declared: Analysis, facts: DesignFacts) -> list[Notice]:
    """Assumptions of the protocol that this design does not meet."""
    if declared.protocol == "default":
        return []
    if facts.order == "sequential":
        return [Notice("pseudo_replication", (), {"cause": "order"})]
    returning = [Notice("pseudo_replication", (), {"cause": "contexts"})] if facts.passes > 1 else []
    return [Notice("pairing_given_up"), *returning]


def _compute_lonely(samples: Sequence[Sample], declared: Analysis) -> tuple[Treatment, ...]:
    return pair_up([s for s in samples if s.metric.name == declared.metric], declared).without_baseline
