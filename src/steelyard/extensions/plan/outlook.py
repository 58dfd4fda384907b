"""Outlook of an experiment: what it could show, given its design and the spreads in its record, if any."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import Final

from steelyard.core.analysis import Analysis
from steelyard.core.errors import SteelyardError
from steelyard.core.estimand import choose_interval
from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import Metric
from steelyard.extensions.plan.looking_ahead import outlook
from steelyard.extensions.plan.results import Outlook, Pilot
from steelyard.interventions.node import Node
from steelyard.results.comparison import Speedup
from steelyard.results.unit import Judge, Unit
from steelyard.spec.experiment import Contexts, Experiment
from steelyard.stats.compare.comparison import intervals
from steelyard.stats.compare.families import families
from steelyard.stats.compare.pairing import pair_up
from steelyard.stats.describe.instances import pool
from steelyard.store import Record
from steelyard.store.facts import FILE

MOST_PILOTS: Final = 5
"""The widest spreads of a record; others need less."""
MOST_TREATMENTS: Final = 2000
"""All pairs of more are not counted."""


def outlook_of(
    experiment: Experiment, treatments: Sequence[Treatment], blocks: int, directory: Path
) -> Outlook | None:
    """Estimate what so many complete blocks could show; ``None`` where nothing is compared."""
    design, analysis = experiment.design, experiment.analysis
    passes = _count_visits(experiment.contexts, blocks)
    instances = _count_instances(analysis.instances, treatments)
    unit: Unit = (
        "instance" if instances else "run" if design.in_rows else "context" if passes > 1 else "block"
    )
    # No block of these orders has one run of each treatment, so each treatment's own runs are what there is.
    units = instances or (design.blocks * design.replicates if unit == "run" else blocks // passes)
    return outlook(
        unit=unit,
        units=units,
        comparisons=_compute_largest_family(experiment, treatments),
        alpha=analysis.alpha,
        target=design.stop.rel_halfwidth if design.stop else None,
        margin=analysis.margin,
        pilots=() if unit == "run" else _get_pilots(experiment, directory, unit),
        judge=_judge(experiment, unit),
        passes=passes if unit == "context" else 1,
        decided=bool(design.stop and design.stop.decided) and unit in ("block", "context"),
    )


def _count_visits(contexts: Contexts | None, blocks: int) -> int:
    """Visits of each context, or blocks on each node where nodes are drawn and come again."""
    if contexts is None:
        return 1
    nodes = contexts.settings.get(Node.name)
    if isinstance(nodes, tuple) and len(nodes) < blocks:
        return blocks // len(nodes)
    return contexts.passes


def _count_instances(factor: str | None, treatments: Sequence[Treatment]) -> int:
    """Return the number of problem instances, where a factor names them.

    It is 0 where labels do, which no plan knows.
    """
    return (
        len({treatment.levels[factor] for treatment in treatments if factor in treatment.levels})
        if factor
        else 0
    )


def _judge(experiment: Experiment, unit: Unit) -> Judge:
    """Test that will judge; t where the units do not suit the declared one."""
    analysis = experiment.analysis
    kind = choose_interval(analysis.estimand, analysis.interval)
    if kind == "sign" and unit != "run":
        return "sign"
    return "sign-flip" if kind == "sign-flip" and unit == "block" else "t"


def _get_declared(experiment: Experiment) -> Analysis:
    analysis = experiment.analysis
    # Strata may be labels, which no plan knows.
    factors = {factor.name for factor in experiment.factors}
    return Analysis(
        metric=analysis.metric,
        baseline=analysis.baseline,
        family=analysis.family,
        strata=tuple(name for name in analysis.strata or () if name in factors),
    )


def _compute_largest_family(experiment: Experiment, treatments: Sequence[Treatment]) -> int:
    if not 2 <= len(treatments) <= MOST_TREATMENTS:
        return 0
    empty: array[float] = array("d")
    none = array("q")
    metric = Metric("planned", "")
    samples = [Sample(metric, treatment, empty, none, none, none, none) for treatment in treatments]
    if _count_instances(factor := experiment.analysis.instances, treatments) and factor:
        samples = pool(samples, factor)
    pairs = pair_up(samples, _get_declared(experiment)).pairs
    return max(map(len, families([pair.stratum for pair in pairs], experiment.analysis)), default=0)


def _get_pilots(experiment: Experiment, directory: Path, unit: Unit) -> list[Pilot]:
    """Return the widest spreads of the comparisons in the record; none where it has no such comparisons."""
    if not (directory / FILE).exists():
        return []
    declared = _get_declared(experiment)
    try:
        with Record.open(directory) as record, record.snapshot():
            samples = record.samples(declared.metric)
            if (factor := experiment.analysis.instances) is not None:
                samples = pool(samples, factor)
            comparisons = intervals(samples, declared, metric=declared.metric)
    except SteelyardError:
        # A record of another experiment tells nothing about this one; the plan stands without.
        return []
    by_treatment: dict[str, float] = {}
    for comparison in comparisons:
        ratio = comparison.speedup
        if isinstance(ratio, Speedup) and ratio.nu and ratio.unit == unit:
            s = ratio.se * sqrt(ratio.n)
            by_treatment[comparison.treatment.label] = max(
                s, by_treatment.get(comparison.treatment.label, 0.0)
            )
    widest = sorted(by_treatment.items(), key=lambda pilot: -pilot[1])[:MOST_PILOTS]
    return [Pilot(label, s) for label, s in widest]
