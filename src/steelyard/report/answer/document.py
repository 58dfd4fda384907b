"""The document ``steelyard/comparison``: one typed definition that encodes it and gives its schema.

History: version 1, the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final, Literal

import msgspec

from steelyard.answers.document import written
from steelyard.answers.notice import Notice
from steelyard.answers.undefined import REASONS
from steelyard.estimand import Estimand, IntervalKind, Uncertainty
from steelyard.report.answer.assumptions import assumptions
from steelyard.report.answer.budget import BudgetEntry
from steelyard.report.answer.budget import entry as budget_entry
from steelyard.report.answer.contexts_document import ContextsEntry
from steelyard.report.answer.contexts_document import entry as contexts_entry
from steelyard.report.answer.effects_document import FactorialEntry
from steelyard.report.answer.effects_document import entry as effects_entry
from steelyard.report.answer.fresh_run_document import FreshRunEntry
from steelyard.report.answer.fresh_run_document import entry as fresh_run_entry
from steelyard.report.answer.interactions import SpeedupRatioEntry
from steelyard.report.answer.interactions import entry as ratio_entry
from steelyard.report.answer.protocol_document import ProtocolEntry
from steelyard.report.answer.protocol_document import entry as protocol_entry
from steelyard.report.answer.sentences import notice
from steelyard.report.answer.typical_document import TypicalEntry
from steelyard.report.answer.typical_document import entry as typical_entry
from steelyard.report.answer.words import names
from steelyard.report.ends import Ends, ends
from steelyard.stats.answer import Answer
from steelyard.stats.compare.adjusted_speedup import AdjustedSpeedup
from steelyard.stats.compare.comparison import Comparison
from steelyard.stats.compare.instances import Drill
from steelyard.stats.compare.speedup import Speedup
from steelyard.stats.compare.typical import Typical
from steelyard.stats.describe.described import Described
from steelyard.units import Scalar

FORMAT: Final = "steelyard/comparison"
VERSION: Final = 1


class Design(msgspec.Struct, frozen=True):
    """How values came about."""

    order: Literal["randomized-blocks", "sequential"]
    blocks: int
    contexts: int
    passes: int
    seed: int
    state: Literal["complete", "running", "interrupted", "precision_not_reached"]
    looks: tuple[int, ...]
    target: float | None
    reached: float | None
    cap: Literal["max_blocks", "max_time"] | None
    strict: bool = False
    extended_from: tuple[int, ...] = ()


class TreatmentEntry(msgspec.Struct, frozen=True):
    """One combination of levels."""

    id: int
    label: str
    levels: Mapping[str, Scalar]


class SampleEntry(msgspec.Struct, frozen=True):
    """One metric's values for one treatment, summarised; null is "does not exist", with its reason."""

    treatment: TreatmentEntry
    metric: str
    unit: str
    better: Literal["lower", "higher", "neither"]
    labels: Mapping[str, Scalar]
    n: int
    attempted: int
    failed: int
    timed_out: int
    mean: float | None
    median: float | None
    s: float | None
    u: float | None
    cv: float | None
    rsu: float | None
    quartiles: Ends | None
    min: float | None
    max: float | None
    r1: float | None
    n_eff: float | None
    trend_p: float | None
    reason: str | None
    flags: tuple[str, ...]
    instances: InstancesEntry | None


class InstanceEntry(msgspec.Struct, frozen=True):
    """One problem instance: its mean, and what it carries of the sum of squares."""

    level: Scalar
    mean: float
    share: float


class InstancesEntry(msgspec.Struct, frozen=True):
    """The sum of squares of a sample by instance, by run, and what is left."""

    factor: str
    shares: tuple[InstanceEntry, ...]
    between: float
    runs: float
    rest: float


class SpeedupEntry(msgspec.Struct, frozen=True):
    """The ratio that was declared, above 1 where the treatment is better."""

    value: float | None
    ci95: Ends | None
    ci_family: Ends | None
    ci_relevance: Ends | None
    method: str | None
    nu: float | int | None
    n: int
    se_log: float | None
    assumptions: tuple[str, ...]
    undefined: str | None


class AdjustedEntry(msgspec.Struct, frozen=True):
    """Ratio of means with Eq. 10 of DOI 10.1145/2851553.2851573 both ways."""

    value: float
    u: float
    spread: float
    nu: float | int
    paired: bool
    ci95: Ends | None


class ComparisonEntry(msgspec.Struct, frozen=True):
    """One treatment against its baseline; difference, relevance and verdict are null for metrics that are not
    judged.
    """

    baseline: int
    treatment: int
    metric: str
    stratum: Mapping[str, Scalar]
    labels: Mapping[str, Scalar]
    estimand: Estimand
    blocks: int
    contexts: int | None
    instances: int | None
    speedup: SpeedupEntry
    adjusted_speedup: AdjustedEntry | None
    p: float | None
    p_holm: float | None
    p_relevance: float | None
    family_size: int | None
    difference: Literal["faster", "slower", "not_resolved"] | None
    relevance: Literal["above", "inside", "straddles"] | None
    verdict: Literal["faster", "slower", "equivalent", "not_resolved"] | None
    resolvable: float | None
    budget: BudgetEntry | None
    flags: tuple[str, ...]
    typical: TypicalEntry | None = None
    fresh_run: FreshRunEntry | None = None
    r1: float | None = None
    n_eff: float | None = None


class NoticeEntry(msgspec.Struct, frozen=True):
    """A warning or a limit, as data and in words."""

    kind: str
    treatments: tuple[str, ...]
    fields: Mapping[str, Scalar]
    words: str


class Document(msgspec.Struct, frozen=True):
    """The whole answer; ``claims`` is there where the spec claims something."""

    format: Literal["steelyard/comparison"]
    version: Literal[1]
    experiment: str
    metric: str
    alpha: float
    margin: float | None
    family: Literal["baseline", "all-pairs"]
    interval: IntervalKind | None
    uncertainty: Uncertainty
    design: Design
    samples: tuple[SampleEntry, ...]
    comparisons: tuple[ComparisonEntry, ...]
    warnings: tuple[NoticeEntry, ...]
    unobserved: tuple[NoticeEntry, ...]
    contexts: tuple[ContextsEntry, ...] = ()
    protocol: ProtocolEntry | None = None
    claims: tuple[Mapping[str, Any], ...] | msgspec.UnsetType = msgspec.UNSET
    """Verdicts on the claims of the spec, as in ``steelyard/verdicts``."""
    effects: tuple[FactorialEntry, ...] = ()
    effects_beside: tuple[FactorialEntry, ...] = ()
    """Of the other metrics, without verdicts, where the design is about effects."""
    speedup_ratios: tuple[SpeedupRatioEntry, ...] = ()
    simulated: bool = False
    """Whether values are those of a simulated machine."""


def render(answer: Answer, claims: Sequence[Mapping[str, Any]] = ()) -> str:
    """The document as text; its numbers are plain floats, none of them NaN or infinite."""
    whole = document(answer)
    return written(msgspec.structs.replace(whole, claims=tuple(claims)) if claims else whole)


def schema() -> dict[str, Any]:
    """The JSON Schema of the document."""
    return msgspec.json.schema(Document)


def document(answer: Answer) -> Document:
    """The document as an object."""
    design, declared = answer.design, answer.declared
    return Document(
        format=FORMAT,
        simulated=any(each.provenance == "simulated" for each in answer.samples),
        version=VERSION,
        experiment=answer.experiment,
        metric=answer.metric.name,
        alpha=declared.alpha,
        margin=declared.margin,
        family=declared.family or "baseline",
        interval=declared.interval,
        uncertainty=declared.uncertainty,
        design=Design(
            order=design.order,
            blocks=design.blocks,
            contexts=design.contexts,
            passes=design.passes,
            seed=design.seed,
            state=design.state,
            looks=design.looks,
            target=design.target,
            reached=design.reached,
            cap=design.cap,
            strict=design.strict,
            extended_from=design.extended_from,
        ),
        samples=tuple(_sample(sample) for sample in answer.samples),
        comparisons=tuple(
            _comparison(comparison, found)
            for comparison, found in zip_longest(answer.comparisons, answer.typical)
        ),
        warnings=_notices(answer, answer.warnings),
        unobserved=_notices(answer, answer.unobserved),
        contexts=tuple(contexts_entry(each) for each in answer.contexts),
        protocol=protocol_entry(answer.protocol) if answer.protocol else None,
        effects=tuple(effects_entry(each) for each in answer.effects),
        effects_beside=tuple(effects_entry(each) for each in answer.effects_beside),
        speedup_ratios=tuple(ratio_entry(each) for each in answer.speedup_ratios),
    )


def _sample(sample: Described) -> SampleEntry:
    summary, failures, metric = sample.summary, sample.failures, sample.metric
    treatment = sample.treatment
    return SampleEntry(
        treatment=TreatmentEntry(treatment.id, treatment.label, treatment.levels),
        metric=metric.name,
        unit=metric.unit,
        better=metric.better,
        labels=sample.labels,
        n=summary.n,
        attempted=failures.attempted,
        failed=failures.failed,
        timed_out=failures.timed_out,
        mean=summary.mean,
        median=summary.median,
        s=summary.s,
        u=summary.u,
        cv=summary.cv,
        rsu=summary.rsu,
        quartiles=ends(summary.quartiles),
        min=summary.min,
        max=summary.max,
        r1=sample.autocorrelation.r1 if sample.autocorrelation else None,
        n_eff=sample.autocorrelation.n_eff if sample.autocorrelation else None,
        trend_p=sample.trend.p if sample.trend else None,
        reason=REASONS[summary.reason] if summary.reason else None,
        flags=sample.flags,
        instances=_instances(sample.drill) if sample.drill else None,
    )


def _instances(drill: Drill) -> InstancesEntry:
    shares = tuple(InstanceEntry(each.level, each.mean, each.share) for each in drill.shares)
    return InstancesEntry(drill.factor, shares, drill.between, drill.runs, drill.rest)


def _comparison(comparison: Comparison, typical: Typical | None) -> ComparisonEntry:
    return ComparisonEntry(
        baseline=comparison.baseline.id,
        treatment=comparison.treatment.id,
        metric=comparison.metric.name,
        stratum=comparison.stratum,
        labels=comparison.labels,
        estimand=comparison.estimand,
        blocks=comparison.blocks,
        contexts=comparison.contexts,
        instances=comparison.instances,
        speedup=_speedup(comparison),
        adjusted_speedup=_adjusted(comparison.adjusted) if comparison.adjusted else None,
        p=comparison.p,
        p_holm=comparison.p_holm,
        p_relevance=comparison.p_relevance,
        family_size=comparison.family_size,
        difference=comparison.difference,
        relevance=comparison.relevance,
        verdict=comparison.verdict,
        resolvable=comparison.resolvable,
        budget=budget_entry(comparison.budget) if comparison.budget else None,
        flags=comparison.flags,
        typical=typical_entry(typical) if typical else None,
        fresh_run=fresh_run_entry(comparison.fresh) if comparison.fresh else None,
        r1=comparison.autocorrelation.r1 if comparison.autocorrelation else None,
        n_eff=comparison.autocorrelation.n_eff if comparison.autocorrelation else None,
    )


def _speedup(comparison: Comparison) -> SpeedupEntry:
    speedup = comparison.speedup
    if not isinstance(speedup, Speedup):
        return SpeedupEntry(None, None, None, None, None, None, 0, None, (), REASONS[speedup.reason])
    return SpeedupEntry(
        value=speedup.value,
        ci95=ends(comparison.ci95),
        ci_family=ends(comparison.ci_family),
        ci_relevance=ends(comparison.ci_relevance),
        method=speedup.method,
        nu=speedup.nu,
        n=speedup.n,
        se_log=speedup.se,
        assumptions=assumptions(speedup.method),
        undefined=None,
    )


def _adjusted(adjusted: AdjustedSpeedup) -> AdjustedEntry:
    return AdjustedEntry(
        value=adjusted.value,
        u=adjusted.u,
        spread=adjusted.spread,
        nu=adjusted.nu,
        paired=adjusted.paired,
        ci95=ends(adjusted.interval()),
    )


def _notices(answer: Answer, notices: tuple[Notice, ...]) -> tuple[NoticeEntry, ...]:
    called = names(sample.treatment.label for sample in answer.samples)
    return tuple(
        NoticeEntry(each.kind, each.treatments, each.fields, notice(each, called)) for each in notices
    )
