"""An audit as one JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from steelyard.report.document import written
from steelyard.report.ends import ends
from steelyard.stats.audit.finding import Audit, Finding, Replicated, Verdict
from steelyard.units import Scalar

FORMAT: Final = "steelyard/audit"
VERSION: Final = 1


class ScreenedEntry(msgspec.Struct, frozen=True):
    """A level in the screening: its time over the typical one; it picks, and judges nothing."""

    level: Scalar
    ratio: float


class ReplicatedEntry(msgspec.Struct, frozen=True):
    """A level in the replication: its time over that of the typical levels. ``p`` is of the hypothesis that
    this lies within the least effect of 1; ``null`` where an interval has no bounds.
    """

    level: Scalar
    ratio: float
    ci95: tuple[float, float] | None
    ci_family: tuple[float, float] | None
    p: float
    p_holm: float
    moves: bool


class FindingEntry(msgspec.Struct, frozen=True):
    """One kind of context."""

    context: str
    verdict: Verdict
    effect: ReplicatedEntry
    typical: tuple[Scalar, ...]
    population: int
    visited: int
    unseen: float
    spread: float | None
    replicated: tuple[ReplicatedEntry, ...]
    screened: tuple[ScreenedEntry, ...]


class AuditDocument(msgspec.Struct, frozen=True):
    """The document ``steelyard/audit``. History: version 1, the first."""

    format: str
    version: int
    command: str
    metric: str
    unit: str
    typical: float
    alpha: float
    least: float
    thorough: bool
    passes: int
    blocks: int
    runs: int
    seed: int
    findings: tuple[FindingEntry, ...]
    left_out: Mapping[str, str]


def render(audit: Audit) -> str:
    """The audit as one JSON document."""
    document = AuditDocument(
        format=FORMAT,
        version=VERSION,
        command=audit.command,
        metric=audit.metric,
        unit=audit.unit,
        typical=audit.typical,
        alpha=audit.alpha,
        least=audit.least,
        thorough=audit.thorough,
        passes=audit.passes,
        blocks=audit.blocks,
        runs=audit.runs,
        seed=audit.seed,
        findings=tuple(_finding(each) for each in audit.findings),
        left_out=audit.left_out,
    )
    return written(document)


def _finding(finding: Finding) -> FindingEntry:
    return FindingEntry(
        context=finding.name,
        verdict=finding.verdict,
        effect=_replicated(finding.extreme),
        typical=finding.typical,
        population=finding.population,
        visited=len(finding.screened) or finding.population,
        unseen=finding.unseen,
        spread=finding.spread,
        replicated=tuple(_replicated(each) for each in finding.replicated),
        screened=tuple(ScreenedEntry(each.level, each.ratio) for each in finding.screened),
    )


def _replicated(found: Replicated) -> ReplicatedEntry:
    return ReplicatedEntry(
        level=found.level,
        ratio=found.ratio,
        ci95=ends(found.ci95),
        ci_family=ends(found.interval),
        p=found.p,
        p_holm=found.p_holm,
        moves=found.moves,
    )
