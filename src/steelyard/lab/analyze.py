"""From a record to its answer."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final, Literal

from steelyard.errors import RecordError
from steelyard.lab.status import extent, most_blocks
from steelyard.spec.experiment import Experiment
from steelyard.stats.answer import Answer, answer
from steelyard.stats.contrast import Order
from steelyard.stats.declared import Declared
from steelyard.stats.facts import DesignFacts
from steelyard.stats.notice import Notice
from steelyard.stats.precision import Precision, precision
from steelyard.store import Record
from steelyard.units import BUILTIN

DISTURBED_SHARE: Final = 0.01
"""Of the elapsed time; below it, other load explains little of what is compared."""

BESIDE: Final = ("cpu_s", "rss_bytes")
"""Built-in metrics that are shown beside the primary one, without verdicts."""


def analyze(record: Record, *, metric: str | None = None) -> Answer:
    """What the record says so far.

    Parameters
    ----------
    metric : str, optional
        Primary metric; by default the one that the spec names.

    Raises
    ------
    UsageError
        The record has no such metric.
    RecordError
        No complete block yet.
    """
    experiment = record.experiment
    primary = metric or experiment.analysis.metric
    with record.snapshot():
        # In one pass over the trials: of a million, each further one would take half a second.
        others = dict.fromkeys(name for name in _others(experiment, primary) if name != primary)
        samples = record.samples(primary, *others)
        observed = {sample.metric.name for sample in samples if len(sample)}
        if primary not in observed:
            raise RecordError(
                f"{record.directory} has no complete block yet, so there is nothing to analyze",
                hint=f"steelyard status {record.directory}",
            )
        return answer(
            experiment.name,
            samples,
            _facts(record, experiment),
            replace(_declared(experiment), metric=primary),
            warnings=_warnings(record),
            unobserved=_unobserved(experiment, observed),
        )


def primary_precision(record: Record) -> Precision:
    """How precise the declared contrasts of the primary metric are by now."""
    experiment = record.experiment
    return precision(
        record.samples(experiment.analysis.metric), _declared(experiment), order=_order(experiment)
    )


def _declared(experiment: Experiment) -> Declared:
    analysis = experiment.analysis
    return Declared(
        metric=analysis.metric,
        baseline=analysis.baseline or {},
        family=analysis.family,
        strata=analysis.strata,
        alpha=analysis.alpha,
        margin=analysis.margin,
    )


def _order(experiment: Experiment) -> Order:
    return "sequential" if experiment.design.order == "sequential" else "randomized-blocks"


def _facts(record: Record, experiment: Experiment) -> DesignFacts:
    runs, looks, progress = record.runs(), record.looks(), record.progress()
    complete = progress.blocks.get("complete", 0)
    stop = experiment.design.stop
    last = runs[-1].state if runs else "interrupted"
    capped = last == "precision_not_reached"
    return DesignFacts(
        order=_order(experiment),
        blocks=complete,
        seed=experiment.design.seed,
        contexts=_contexts(record) if experiment.contexts else 0,
        passes=experiment.contexts.passes if experiment.contexts else 1,
        state="complete" if last == "complete" else "precision_not_reached" if capped else "interrupted",
        looks=tuple(look.blocks for look in looks),
        target=stop.rel_halfwidth if stop else None,
        reached=looks[-1].rel_halfwidth if looks else None,
        cap=_cap(experiment, complete) if capped else None,
    )


def _contexts(record: Record) -> int:
    """Different ones visited; 0 where none is, since settings that are not drawn are the same for all."""
    visited = {
        outcome.block.context.id: outcome.block.context.settings
        for outcome in record.stream_outcomes()
        if outcome.state == "complete" and outcome.block.context is not None
    }
    settings = list(visited.values())
    return len(visited) if any(each != settings[0] for each in settings) else 0


def _cap(experiment: Experiment, complete: int) -> Literal["max_blocks", "max_time"]:
    stop = experiment.design.stop
    most = most_blocks(experiment)
    timed = stop is not None and stop.max_time_s is not None
    return "max_time" if timed and (most is None or complete < most) else "max_blocks"


def _others(experiment: Experiment, primary: str) -> Sequence[str]:
    declared = (*experiment.program.counters, *(metric.name for metric in experiment.metrics))
    return (
        *declared,
        *(name for name in BESIDE if primary in BUILTIN),
        *([] if primary == "wall_s" else ["wall_s"]),
    )


def _warnings(record: Record) -> list[Notice]:
    """What was noted while it ran, and whether other programs or other machines used the CPUs meanwhile."""
    notices = [Notice("note", fields={"text": warning.text}) for warning in record.warnings()]
    labels = {treatment.id: treatment.label for treatment in record.treatments}
    disturbed = [each for each in record.disturbances().values() if each.queue_wait_share > DISTURBED_SHARE]
    if disturbed:
        worst = max(each.queue_wait_share for each in disturbed)
        names = tuple(labels[each.treatment] for each in disturbed)
        notices.append(Notice("disturbed", names, {"share": worst}))
    if (stolen := _stolen_share(record)) > DISTURBED_SHARE:
        notices.append(Notice("stolen", fields={"share": stolen}))
    return notices


def _stolen_share(record: Record) -> float:
    """Steal over the time of all CPUs while the record was run."""
    stolen_s = sum(batch.steal_s or 0.0 for batch in record.batches())
    cpus = max((int(run.host.get("cpus_online", 1)) for run in record.runs()), default=1)
    spent_s = extent(record).spent_s
    return stolen_s / (spent_s * cpus) if spent_s else 0.0


def _unobserved(experiment: Experiment, observed: AbstractSet[str]) -> list[Notice]:
    """What this machine did not show, as far as the record knows."""
    notices = []
    missing = [name for name in experiment.program.counters if name not in observed]
    if missing:
        notices.append(Notice("counters", fields={"names": ", ".join(missing)}))
    return notices
