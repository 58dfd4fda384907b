"""What observing costs, as one JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from steelyard.answers.document import written
from steelyard.report.ends import ends
from steelyard.stats.perturbation.finding import Method, Observation, Perturbation, Probed
from steelyard.stats.perturbation.tracing import Trace

FORMAT: Final = "steelyard/observation"
VERSION: Final = 1


class ChangeEntry(msgspec.Struct, frozen=True):
    """One metric under a probe: probed over unprobed. ``p_holm`` is of no difference, ``p_within`` of one
    beyond the margin.
    """

    metric: str
    unit: str
    ratio: float
    ci95: tuple[float, float] | None
    p_holm: float
    p_within: float
    perturbation: Perturbation
    blocks: int


class ProbeEntry(msgspec.Struct, frozen=True):
    """One probe. ``added``: instructions that it adds, as a share; ``null`` where not counted. ``differs``:
    how the program behaves differently; then there are no changes.
    """

    probe: str
    added: float | None
    differs: str | None
    changes: tuple[ChangeEntry, ...]


class CorrelationEntry(msgspec.Struct, frozen=True):
    """Spearman's rank correlation of the changes of two metrics, over probes."""

    metrics: tuple[str, str]
    rho: float
    ci95: tuple[float, float] | None
    probes: int


class AnyLevelEntry(msgspec.Struct, frozen=True):
    """Whether any probe changes a metric: F on ``nu1`` and ``nu2`` degrees of freedom, over ``levels`` levels
    (no probe among them) and ``n`` blocks; ``p`` is not adjusted over metrics.
    """

    metric: str
    method: Method
    f: float
    nu1: float
    nu2: float
    p: float
    levels: int
    n: int


class PartEntry(msgspec.Struct, frozen=True):
    """An equal part of the CPU time of a run: events per second of it, mean and standard deviation over runs;
    ``difference`` from no probe, paired by block, ``p_holm`` over all parts and probes of the event.
    """

    rate: float
    s: float | None
    difference: float | None
    ci95: tuple[float, float] | None
    p_holm: float | None


class TraceEntry(msgspec.Struct, frozen=True):
    """One event under one level (``none``: no probe); ``uncounted`` runs are left out, ``blocks`` are those
    that it has in common with no probe.
    """

    event: str
    level: str
    runs: int
    uncounted: int
    blocks: int
    parts: tuple[PartEntry, ...]


class ObservationDocument(msgspec.Struct, frozen=True):
    """The document ``steelyard/observation``. History: version 1, the first; ``any_level``, ``trace_ms`` and
    ``traces`` came later.
    """

    format: str
    version: int
    command: str
    within: float
    alpha: float
    blocks: int
    seed: int
    contexts: bool
    outputs_compared: bool
    unprobed: Mapping[str, float]
    probes: tuple[ProbeEntry, ...]
    correlations: tuple[CorrelationEntry, ...]
    any_level: tuple[AnyLevelEntry, ...] = ()
    trace_ms: int | None = None
    traces: tuple[TraceEntry, ...] = ()


def render(found: Observation) -> str:
    """The observation as one JSON document."""
    document = ObservationDocument(
        format=FORMAT,
        version=VERSION,
        command=found.command,
        within=found.within,
        alpha=found.alpha,
        blocks=found.blocks,
        seed=found.seed,
        contexts=found.contexts,
        outputs_compared=found.outputs_compared,
        unprobed=found.typical,
        probes=tuple(_probe(each) for each in found.probes),
        correlations=tuple(
            CorrelationEntry(each.metrics, each.rho, ends(each.ci95), each.probes)
            for each in found.correlations
        ),
        any_level=tuple(
            AnyLevelEntry(t.metric.name, t.method, t.f, t.nu1, t.nu2, t.p, t.levels, t.n)
            for t in found.any_level
        ),
        trace_ms=found.trace_ms,
        traces=tuple(_trace(each) for each in found.traces),
    )
    return written(document)


def _probe(probe: Probed) -> ProbeEntry:
    changes = tuple(
        ChangeEntry(
            metric=change.metric.name,
            unit=change.metric.unit,
            ratio=change.ratio,
            ci95=ends(change.ci95),
            p_holm=change.p_holm,
            p_within=change.p_within,
            perturbation=change.perturbation,
            blocks=change.blocks,
        )
        for change in probe.changes
    )
    return ProbeEntry(probe.name, probe.added, probe.differs, changes)


def _trace(trace: Trace) -> TraceEntry:
    parts = []
    for i, rate in enumerate(trace.rates):
        its = trace.differences[i] if trace.differences else None
        parts.append(
            PartEntry(
                rate=rate,
                s=None if trace.s is None else trace.s[i],
                difference=None if its is None else its.difference,
                ci95=None if its is None else ends(its.ci95),
                p_holm=None if its is None else its.p_holm,
            )
        )
    return TraceEntry(trace.event, trace.level, trace.runs, trace.uncounted, trace.blocks, tuple(parts))
