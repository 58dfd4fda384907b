"""Outlook of an experiment: what it could show, given its design and the spreads in its record, if any."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import Final

from steelyard.analysis import Analysis
from steelyard.answers.comparison import Speedup
from steelyard.answers.plan import Judge, Outlook, Pilot, Unit
from steelyard.errors import SteelyardError
from steelyard.estimand import meant
from steelyard.sample import Sample, Treatment
from steelyard.spec.experiment import Experiment
from steelyard.stats.compare.comparison import intervals
from steelyard.stats.compare.pairing import pair_up
from steelyard.stats.planning.looking_ahead import outlook
from steelyard.store import Record
from steelyard.store.facts import FILE
from steelyard.units import Metric

MOST_PILOTS: Final = 5
"""The widest spreads of a record; others need less."""
MOST_TREATMENTS: Final = 2000
"""All pairs of more are not counted."""


def outlook_of(
    experiment: Experiment, treatments: Sequence[Treatment], blocks: int, directory: Path
) -> Outlook | None:
    """Estimate what so many complete blocks could show; ``None`` where nothing is compared."""
    design, analysis = experiment.design, experiment.analysis
    passes = experiment.contexts.passes if experiment.contexts else 1
    unit: Unit = "run" if design.in_rows else "context" if passes > 1 else "block"
    # No block of these orders has one run of each treatment, so each treatment's own runs are what there is.
    units = design.blocks * design.replicates if unit == "run" else blocks // passes
    return outlook(
        unit=unit,
        units=units,
        comparisons=_largest_family(experiment, treatments),
        alpha=analysis.alpha,
        target=design.stop.rel_halfwidth if design.stop else None,
        margin=analysis.margin,
        pilots=() if unit == "run" else _pilots(experiment, directory, unit),
        judge=_judge(experiment, unit),
    )


def _judge(experiment: Experiment, unit: Unit) -> Judge:
    """Test that will judge; t where the units do not suit the declared one."""
    analysis = experiment.analysis
    kind = meant(analysis.estimand, analysis.interval)
    if kind == "sign" and unit != "run":
        return "sign"
    blocks = unit == "block" and analysis.instances is None
    return "sign-flip" if kind == "sign-flip" and blocks else "t"


def _declared(experiment: Experiment) -> Analysis:
    analysis = experiment.analysis
    # Strata may be labels, which no plan knows.
    factors = {factor.name for factor in experiment.factors}
    return Analysis(
        metric=analysis.metric,
        baseline=analysis.baseline,
        family=analysis.family,
        strata=tuple(name for name in analysis.strata or () if name in factors),
    )


def _largest_family(experiment: Experiment, treatments: Sequence[Treatment]) -> int:
    if not 2 <= len(treatments) <= MOST_TREATMENTS:
        return 0
    empty: array[float] = array("d")
    none = array("q")
    metric = Metric("planned", "")
    samples = [Sample(metric, treatment, empty, none, none, none, none) for treatment in treatments]
    pairs = pair_up(samples, _declared(experiment)).pairs
    families = Counter(tuple(pair.stratum.items()) for pair in pairs)
    return max(families.values(), default=0)


def _pilots(experiment: Experiment, directory: Path, unit: Unit) -> list[Pilot]:
    """The widest spreads of the comparisons in the record; none where it has no such comparisons."""
    if not (directory / FILE).exists():
        return []
    declared = _declared(experiment)
    try:
        with Record.open(directory) as record, record.snapshot():
            found = intervals(record.samples(declared.metric), declared, metric=declared.metric)
    except SteelyardError:
        # A record of another experiment tells nothing about this one; the plan stands without.
        return []
    by_treatment: dict[str, float] = {}
    for each in found:
        ratio = each.speedup
        same_unit = (each.contexts is not None) == (unit == "context")
        if isinstance(ratio, Speedup) and ratio.nu and same_unit:
            s = ratio.se * sqrt(ratio.n)
            by_treatment[each.treatment.label] = max(s, by_treatment.get(each.treatment.label, 0.0))
    widest = sorted(by_treatment.items(), key=lambda pilot: -pilot[1])[:MOST_PILOTS]
    return [Pilot(label, s) for label, s in widest]
