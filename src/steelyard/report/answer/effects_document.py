"""Effects of the factors in the document ``steelyard/comparison``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from steelyard.answers.undefined import REASONS
from steelyard.report.answer.fresh_run_document import FreshRunEntry
from steelyard.report.answer.fresh_run_document import entry as fresh_run_entry
from steelyard.report.ends import Ends, ends
from steelyard.stats.effects.effect import ConditionalEffect, ContrastEffect, Effect, Factorial, LevelEffect
from steelyard.stats.effects.estimate import Method
from steelyard.units import Scalar

ASSUMPTIONS: Final[dict[Method, tuple[str, ...]]] = {
    "block-contrast-t": ("blocks are independent", "contrasts of blocks are near normal"),
    "context-contrast-t": ("contexts are independent draws", "contrasts of contexts are near normal"),
    "unpaired-contrast-t": (
        "launches are independent: no drift, no autocorrelation",
        "mean logarithms are near normal",
    ),
    "block-contrast-sign": ("blocks are independent",),
    "context-contrast-sign": ("contexts are independent draws",),
    "block-contrast-box": ("blocks are independent", "contrasts of blocks are near normal"),
    "context-contrast-box": ("contexts are independent draws", "contrasts of contexts are near normal"),
    "unpaired-welch-james": (
        "launches are independent: no drift, no autocorrelation",
        "mean logarithms are near normal",
    ),
    "lenth-pseudo-se": ("most effects are nothing",),
    "no-error-term": (),
}


class AxisEntry(msgspec.Struct, frozen=True):
    """A factor, or linked ones, with the steps that are crossed here."""

    name: str
    steps: tuple[Mapping[str, Scalar], ...]


class EffectEntry(msgspec.Struct, frozen=True):
    """A main effect or an interaction; ``q`` is Jain's half effect on the natural logarithm of the metric,
    ``ratio`` is exp(±2q), above 1 where the second step is better.
    """

    factors: tuple[str, ...]
    confounded: tuple[str, ...]
    df: int
    q: float | None
    ratio: float | None
    ci95: Ends | None
    ci_family: Ends | None
    method: str
    se_log: float | None
    nu: float | None
    f: float | None
    nu1: float | None
    nu2: float | None
    p: float | None
    p_holm: float | None
    p_flips: float | None
    resolved: bool | None
    resolvable: float | None
    fresh_run: FreshRunEntry | None
    share: float
    omega2: float | None
    assumptions: tuple[str, ...]


class LevelEntry(msgspec.Struct, frozen=True):
    """A step of a factor with more than two, against its first; the interval is marginal."""

    factor: str
    step: int
    ratio: float | None
    ci95: Ends | None
    method: str


class ConditionalEntry(msgspec.Struct, frozen=True):
    """What a factor does at one step of another that it acts on; the interval is marginal."""

    factor: str
    at: str
    step: int
    ratio: float | None
    ci95: Ends | None
    method: str


class ContrastEntry(msgspec.Struct, frozen=True):
    """A contrast that the spec declares."""

    name: str
    ratio: float | None
    ci95: Ends | None
    ci_family: Ends | None
    method: str
    p: float | None
    p_holm: float | None
    resolved: bool | None
    resolvable: float | None


class FactorialEntry(msgspec.Struct, frozen=True):
    """The factorial analysis of one stratum; ``rest`` is the share of the variation that is chance."""

    metric: str
    stratum: Mapping[str, Scalar]
    labels: Mapping[str, Scalar]
    kind: Literal["complete", "fraction", "screening"]
    axes: tuple[AxisEntry, ...]
    treatments: int
    by: Literal["block", "context", "launch"]
    n: int
    blocks: int
    unmatched: int
    effects: tuple[EffectEntry, ...]
    levels: tuple[LevelEntry, ...]
    conditional: tuple[ConditionalEntry, ...]
    contrasts: tuple[ContrastEntry, ...]
    rest: float
    unassigned: float
    censored: bool
    undefined: str | None


def entry(found: Factorial) -> FactorialEntry:
    """The analysis as it stands in the document."""
    return FactorialEntry(
        metric=found.metric.name,
        stratum=found.stratum,
        labels=found.labels,
        kind=found.kind,
        axes=tuple(AxisEntry(axis.name, axis.steps) for axis in found.axes),
        treatments=found.treatments,
        by=found.by,
        n=found.units,
        blocks=found.blocks,
        unmatched=found.unmatched,
        effects=tuple(_effect(effect) for effect in found.effects),
        levels=tuple(_level(level) for level in found.levels),
        conditional=tuple(_conditional(each) for each in found.conditional),
        contrasts=tuple(_contrast(contrast) for contrast in found.contrasts),
        rest=found.rest,
        unassigned=found.unassigned,
        censored=found.censored,
        undefined=REASONS[found.undefined.reason] if found.undefined else None,
    )


def _effect(effect: Effect) -> EffectEntry:
    ratio = effect.ratio
    return EffectEntry(
        factors=effect.factors,
        confounded=effect.confounded,
        df=effect.df,
        q=effect.q,
        ratio=ratio.value if ratio else None,
        ci95=ends(effect.ci95),
        ci_family=ends(effect.ci_family),
        method=effect.method,
        se_log=ratio.se if ratio else None,
        nu=ratio.nu if ratio else None,
        f=effect.f,
        nu1=effect.nu1,
        nu2=effect.nu2,
        p=effect.p,
        p_holm=effect.p_holm,
        p_flips=effect.p_flips,
        resolved=effect.resolved,
        resolvable=effect.resolvable,
        fresh_run=fresh_run_entry(effect.fresh) if effect.fresh else None,
        share=effect.share,
        omega2=effect.omega2,
        assumptions=ASSUMPTIONS[effect.method],
    )


def _level(level: LevelEffect) -> LevelEntry:
    return LevelEntry(level.factor, level.step, level.ratio.value, ends(level.ci95), level.ratio.method)


def _conditional(each: ConditionalEffect) -> ConditionalEntry:
    ratio = each.ratio
    return ConditionalEntry(each.factor, each.at, each.step, ratio.value, ends(each.ci95), ratio.method)


def _contrast(contrast: ContrastEffect) -> ContrastEntry:
    return ContrastEntry(
        name=contrast.name,
        ratio=contrast.ratio.value,
        ci95=ends(contrast.ci95),
        ci_family=ends(contrast.ci_family),
        method=contrast.ratio.method,
        p=contrast.ratio.p,
        p_holm=contrast.p_holm,
        resolved=contrast.resolved,
        resolvable=contrast.resolvable,
    )
