"""The document ``steelyard/verdicts``: what ``check`` says.

History: version 1, the first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

from steelyard.answers.document import written
from steelyard.answers.interval import Interval
from steelyard.claims.evidence import (
    BestEvidence,
    BreaksEvidence,
    ForetoldEvidence,
    MeanEvidence,
    RatioEvidence,
    RuleEvidence,
    ScalesEvidence,
)
from steelyard.claims.verdict import Instance, Verdict
from steelyard.report.claims.evidence import evidence_words
from steelyard.report.claims.text import claim_of, words
from steelyard.report.models.document import entry
from steelyard.stats.compare.judgement import Outcome
from steelyard.units import Scalar

FORMAT: Final = "steelyard/verdicts"
VERSION: Final = 1


class StratumEntry(msgspec.Struct, frozen=True):
    """A claim in one stratum, or for one function; ``evidence`` has the fields of its kind."""

    stratum: Mapping[str, Scalar]
    verdict: Outcome
    words: str
    evidence: Mapping[str, Any]


class EvidenceEntry(msgspec.Struct, frozen=True):
    """What a verdict rests on.

    ``p`` is the smallest level at which the claim would be decided alone, ``p_holm`` the same among the
    ``family_size`` claims that are tested, ``level`` the one at which it was; null where a model decides.
    """

    strata: tuple[StratumEntry, ...]
    p: float | None
    p_holm: float | None
    level: float | None
    family_size: int | None
    breaks: tuple[Mapping[str, Any], ...] = ()


class VerdictEntry(msgspec.Struct, frozen=True):
    """One claim, judged."""

    claim: str
    kind: str
    name: str | None
    declared: Mapping[str, Any]
    verdict: Outcome
    words: str
    evidence: EvidenceEntry
    experiment: str
    record: str | None
    alpha: float
    finished: bool
    precision_reached: bool
    declared_afterwards: bool


class Document(msgspec.Struct, frozen=True):
    """All verdicts, and the exit code that they mean."""

    format: Literal["steelyard/verdicts"]
    version: Literal[1]
    verdicts: tuple[VerdictEntry, ...]
    exit: int


class Source(msgspec.Struct, frozen=True):
    """Where verdicts come from; the fields of ``VerdictEntry``."""

    experiment: str
    record: str | None
    alpha: float
    finished: bool = True
    precision_reached: bool = True
    declared_afterwards: bool = False


def render(parts: Sequence[tuple[Source, Sequence[Verdict]]], exit_code: int) -> str:
    """The document as text."""
    entries = tuple(verdict_entry(source, verdict) for source, verdicts in parts for verdict in verdicts)
    return written(Document(FORMAT, VERSION, entries, exit_code))


def schema() -> dict[str, Any]:
    """The JSON Schema of the document."""
    return msgspec.json.schema(Document)


def verdict_entry(source: Source, verdict: Verdict) -> VerdictEntry:
    """One verdict as it stands in the document."""
    family = verdict.family
    declared = msgspec.to_builtins(verdict.claim)
    return VerdictEntry(
        claim=claim_of(verdict),
        kind=declared.pop("kind"),
        name=verdict.claim.name,
        declared={key: value for key, value in declared.items() if value not in (None, {})},
        verdict=verdict.outcome,
        words=words(verdict),
        evidence=EvidenceEntry(
            strata=tuple(_stratum(verdict, each) for each in verdict.instances),
            p=family.p if family else None,
            p_holm=family.p_holm if family else None,
            level=family.level if family else None,
            family_size=family.size if family else None,
            breaks=tuple(map(_breaks, verdict.breaks)),
        ),
        experiment=source.experiment,
        record=source.record,
        alpha=source.alpha,
        finished=source.finished,
        precision_reached=source.precision_reached,
        declared_afterwards=source.declared_afterwards,
    )


def _stratum(verdict: Verdict, each: Instance) -> StratumEntry:
    fields = FIELDS[type(each.evidence)](each.evidence)
    return StratumEntry(each.stratum, each.outcome, evidence_words(verdict.claim, each), fields)


def _ends(interval: Interval | None) -> tuple[float, float] | None:
    return None if interval is None else (interval.low, interval.high)


def _ratio(found: RatioEvidence) -> dict[str, Any]:
    return {
        "metric": found.metric.name,
        "treatment": found.treatment,
        "baseline": found.baseline,
        "estimand": found.estimand,
        "ratio": found.ratio,
        "interval": _ends(found.interval),
        "level": found.level,
        "p": found.p,
        "method": found.method,
        "n": found.n,
        "unit_of_inference": found.by,
        "resolvable": found.resolvable,
        "reason": found.reason,
    }


def _mean(found: MeanEvidence) -> dict[str, Any]:
    return {
        "metric": found.metric.name,
        "unit": found.metric.unit,
        "treatment": found.treatment,
        "mean": found.mean,
        "s": found.s,
        "u": found.u,
        "interval": _ends(found.interval),
        "level": found.level,
        "p": found.p,
        "n": found.n,
        "unit_of_inference": found.by,
        "reason": found.reason,
    }


def _foretold(found: ForetoldEvidence) -> dict[str, Any]:
    return {
        "metric": found.metric,
        "unit": found.unit,
        "at": found.at,
        "value": found.value,
        "interval95": _ends(found.interval),
        "model": entry(found.model) if found.model else None,
        "reason": found.reason,
    }


def _best(found: BestEvidence) -> dict[str, Any]:
    return {
        "metric": found.metric.name,
        "chosen": found.chosen,
        "possible": found.possible,
        "candidates": [
            {
                "level": each.level,
                "ratio": each.ratio,
                "interval": _ends(each.interval),
                "possible": each.possible,
            }
            for each in found.candidates
        ],
        "selection_n": found.selection,
        "n": found.n,
        "unit_of_inference": found.by,
        "level": found.level,
        "reason": found.reason,
    }


def _scales(found: ScalesEvidence) -> dict[str, Any]:
    model = entry(found.model, found.cause) if found.model else None
    return {"name": found.name, "metric": found.metric, "model": model, "reason": found.reason}


def _rule(found: RuleEvidence) -> dict[str, Any]:
    answer = found.answer
    if answer is None:
        return {"metric": found.metric, "reason": found.reason}
    return {
        "metric": found.metric,
        "probability": answer.probability,
        "breaks_at": answer.breaks_at,
        "measured": answer.measured,
    }


def _breaks(found: BreaksEvidence) -> dict[str, Any]:
    return {
        "name": found.name,
        "parameter": found.parameter,
        "breaks_at": found.at,
        "interval95": [found.earliest, found.latest],
        "measured_up_to": found.measured,
        "warnings": [{"kind": each.kind, "words": each.words} for each in found.warnings],
    }


FIELDS: Final[dict[type, Callable[[Any], dict[str, Any]]]] = {
    RatioEvidence: _ratio,
    MeanEvidence: _mean,
    ForetoldEvidence: _foretold,
    BestEvidence: _best,
    ScalesEvidence: _scales,
    RuleEvidence: _rule,
}
