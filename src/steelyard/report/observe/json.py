"""What observing costs, as one JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from steelyard.report.document import written
from steelyard.stats.interval import Interval
from steelyard.stats.observer.finding import Observation, Perturbation, Probed

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


class ObservationDocument(msgspec.Struct, frozen=True):
    """The document ``steelyard/observation``. History: version 1, the first."""

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
            CorrelationEntry(each.metrics, each.rho, _bounds(each.ci95), each.probes)
            for each in found.correlations
        ),
    )
    return written(document)


def _probe(probe: Probed) -> ProbeEntry:
    changes = tuple(
        ChangeEntry(
            metric=change.metric.name,
            unit=change.metric.unit,
            ratio=change.ratio,
            ci95=_bounds(change.ci95),
            p_holm=change.p_holm,
            p_within=change.p_within,
            perturbation=change.perturbation,
            blocks=change.blocks,
        )
        for change in probe.changes
    )
    return ProbeEntry(probe.name, probe.added, probe.differs, changes)


def _bounds(interval: Interval | None) -> tuple[float, float] | None:
    return None if interval is None else (interval.low, interval.high)
