"""The part ``contexts`` of the document ``steelyard/comparison``."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from steelyard.report.ends import Ends, ends
from steelyard.stats.contexts.across import AcrossContexts, InContext
from steelyard.stats.contexts.components import Components
from steelyard.stats.contexts.finding import ContextFinding
from steelyard.units import Scalar


class ComponentsEntry(msgspec.Struct, frozen=True):
    """Standard deviations of log ratios within blocks: of what contexts do, and of one visit."""

    between: float
    within: float
    f: float | None
    p: float | None
    nu_between: int
    nu_within: int


class RobustEntry(msgspec.Struct, frozen=True):
    """Of the contexts' speedups: median, and mean without the extreme fifths."""

    median: float
    median_ci95: Ends | None
    trimmed: float
    trimmed_ci95: Ends | None
    mean_differs: bool


class SplitEntry(msgspec.Struct, frozen=True):
    """Contexts, and runs of each treatment in one, that reach a half-width at the least cost."""

    rel_halfwidth: float
    contexts: int
    runs: int
    seconds: float


class InContextEntry(msgspec.Struct, frozen=True):
    """One context alone."""

    context: int
    visits: int
    speedup: float
    ci95: Ends | None


class ContextsEntry(msgspec.Struct, frozen=True):
    """What contexts do to one comparison. Speedups are ratios of geometric means; ``ci95`` has
    t(contexts - 1), ``prediction95`` is for one new context of the same kind.
    """

    baseline: int
    treatment: int
    labels: Mapping[str, Scalar]
    contexts: int
    passes: int
    speedup: float
    ci95: Ends | None
    prediction95: Ends | None
    faster: int
    slower: int
    faster_alone: int | None
    slower_alone: int | None
    components: ComponentsEntry | None
    common: float | None
    robust: RobustEntry | None
    bootstrap95: Ends | None
    default_rank: int | None
    unseen: float
    split: SplitEntry | None
    each: tuple[InContextEntry, ...]


def entry(finding: ContextFinding) -> ContextsEntry:
    """One comparison."""
    across, sides = finding.across, finding.across.sides
    return ContextsEntry(
        baseline=finding.baseline.id,
        treatment=finding.treatment.id,
        labels=finding.labels,
        contexts=across.contexts,
        passes=across.passes,
        speedup=across.speedup,
        ci95=ends(across.interval),
        prediction95=ends(across.prediction),
        faster=sides.faster,
        slower=sides.slower,
        faster_alone=sides.faster_alone,
        slower_alone=sides.slower_alone,
        components=_components(across.components) if across.components else None,
        common=across.common,
        robust=_robust(across),
        bootstrap95=ends(across.bootstrap),
        default_rank=across.default_rank,
        unseen=across.unseen,
        split=_split(finding),
        each=tuple(_in_context(one) for one in across.each),
    )


def _components(of: Components) -> ComponentsEntry:
    return ComponentsEntry(of.between, of.within, of.f, of.p, of.nu_between, of.nu_within)


def _robust(across: AcrossContexts) -> RobustEntry | None:
    middle = across.robust
    if middle is None:
        return None
    return RobustEntry(
        middle.median,
        ends(middle.median_interval),
        middle.trimmed,
        ends(middle.trimmed_interval),
        middle.mean_differs,
    )


def _split(finding: ContextFinding) -> SplitEntry | None:
    split = finding.split
    if split is None or finding.halfwidth is None:
        return None
    return SplitEntry(finding.halfwidth, split.contexts, split.runs, split.cost)


def _in_context(one: InContext) -> InContextEntry:
    return InContextEntry(one.context, one.visits, one.speedup, ends(one.interval))
