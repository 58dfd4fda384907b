"""Answers from records that are not as they were measured: said first, and nothing judged."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from steelyard.results.analysis import Answer
from steelyard.results.comparison import Comparison
from steelyard.results.notice import Notice
from steelyard.results.proof import Proof
from steelyard.store import Reading


def note_edited(record: Reading, proof: Proof) -> list[Notice]:
    """Return the notice that a record is not as it was measured; none where that is not known of it."""
    if not proof.refuted:
        return []
    return [Notice("edited", fields={"record": record.directory.name, "words": proof.words})]


def withhold_verdicts(answer: Answer, notices: Sequence[Notice]) -> Answer:
    """Return an answer that begins with these notices, and judges nothing where there are any."""
    if not notices:
        return answer
    return replace(
        answer,
        comparisons=tuple(_refuse(comparison) for comparison in answer.comparisons),
        warnings=(*notices, *answer.warnings),
    )


def _refuse(comparison: Comparison) -> Comparison:
    flags = (*comparison.flags, "edited") if "edited" not in comparison.flags else comparison.flags
    if comparison.verdict is None:
        return replace(comparison, flags=flags)
    return replace(
        comparison, verdict="not_resolved", difference="not_resolved", refused=True, beside=None, flags=flags
    )
