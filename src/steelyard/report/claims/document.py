"""The document ``steelyard/verdicts``: what ``check`` says.

History: version 1, the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from steelyard.claims.verdict import Checked, Verdict
from steelyard.core.errors import SteelyardError
from steelyard.core.units import Scalar
from steelyard.report.claims.claim import format_evidence_words
from steelyard.report.claims.text import format_claim, words
from steelyard.results.document import Format, plain
from steelyard.stats.compare.judgement import Outcome


class StratumEntry(msgspec.Struct, frozen=True):
    """A claim in one stratum, or for one function; ``evidence`` has the fields of its kind."""

    stratum: Mapping[str, Scalar]
    verdict: Outcome
    words: str
    evidence: Any


class EvidenceEntry(msgspec.Struct, frozen=True):
    """Evidence of a verdict.

    ``p`` is the smallest level at which the claim would be decided alone, ``p_holm`` the same among the
    ``family_size`` claims that are tested, ``level`` the one at which it was; null where a model decides.
    """

    strata: tuple[StratumEntry, ...]
    p: float | None
    p_holm: float | None
    level: float | None
    family_size: int | None
    breaks: tuple[Any, ...] = ()


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
    departures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class ErrorEntry(msgspec.Struct, frozen=True):
    """An argument of ``check``, or a part of a gate over reports, that could not be judged, and why."""

    argument: str
    message: str
    hint: str | None


class Verdicts(msgspec.Struct, frozen=True):
    """All verdicts, what could not be judged, and the exit code that they mean."""

    verdicts: tuple[VerdictEntry, ...]
    errors: tuple[ErrorEntry, ...]
    exit: int


VERDICTS: Final = Format("steelyard/verdicts", 1, Verdicts)


def render(
    checked: Sequence[Checked], exit_code: int, broken: Mapping[Path | str, SteelyardError] | None = None
) -> str:
    """Return the document as text; ``broken`` has what could not be judged."""
    errors = tuple(ErrorEntry(str(name), error.message, error.hint) for name, error in (broken or {}).items())
    entries = tuple(_make_entry(verdicts, verdict) for verdicts in checked for verdict in verdicts.verdicts)
    return VERDICTS.text(Verdicts(entries, errors, exit_code))


def entries_of(checked: Checked) -> list[dict[str, Any]]:
    """Return the verdicts of one experiment as they stand in documents."""
    return [plain(_make_entry(checked, verdict)) for verdict in checked.verdicts]


def _make_entry(checked: Checked, verdict: Verdict) -> VerdictEntry:
    family = verdict.family
    declared = msgspec.to_builtins(verdict.claim)
    return VerdictEntry(
        claim=format_claim(verdict),
        kind=declared.pop("kind"),
        name=verdict.claim.name,
        declared={key: value for key, value in declared.items() if value not in (None, {})},
        verdict=verdict.outcome,
        words=words(verdict),
        evidence=EvidenceEntry(
            strata=tuple(
                StratumEntry(
                    instance.stratum,
                    instance.outcome,
                    format_evidence_words(verdict.claim, instance),
                    instance.evidence,
                )
                for instance in verdict.instances
            ),
            p=family.p if family else None,
            p_holm=family.p_holm if family else None,
            level=family.level if family else None,
            family_size=family.size if family else None,
            breaks=verdict.breaks,
        ),
        experiment=checked.experiment,
        record=str(checked.record) if checked.record else None,
        alpha=checked.alpha,
        finished=checked.finished,
        precision_reached=checked.precise,
        declared_afterwards=checked.afterwards,
        departures=checked.departures,
        notes=checked.notes,
    )
