"""``best`` in words."""

from __future__ import annotations

from steelyard.claims.evidence import BestCandidate, BestEvidence
from steelyard.report.claims.phrases import (
    ci,
    format_levels_text,
    format_reason,
    format_units_text,
    format_where,
)
from steelyard.report.text.digits import ratio
from steelyard.report.text.label import join_names
from steelyard.spec.claims.best import Best
from steelyard.stats.compare.judgement import Outcome


def text(claim: Best, _unit: str) -> str:
    """``O3 is the best opt``."""
    place = format_where(claim.metric, claim.where)
    if claim.level is None:
        return f"one best {claim.best}{place}"
    return f"{format_levels_text({claim.best: claim.level})} is the best {claim.best}{place}"


def evidence(claim: Best, _outcome: Outcome, best_evidence: BestEvidence) -> str:
    """Return the chosen level, against the next or the one that is claimed."""
    if best_evidence.chosen is None:
        return format_reason(best_evidence.reason) or "nothing could be chosen"
    name = format_levels_text({claim.best: best_evidence.chosen})
    rest = f"chosen on {best_evidence.selection}, confirmed on {format_units_text(best_evidence)}"
    claimed = next(
        (candidate for candidate in best_evidence.candidates if candidate.level == claim.level), None
    )
    if claimed is not None and not claimed.possible:
        return f"{name} is {_format_times(claim, best_evidence, claimed)}, {rest})"
    if best_evidence.possible != (best_evidence.chosen,):
        may = join_names([format_levels_text({claim.best: level}) for level in best_evidence.possible])
        return f"{may or 'none'} may be the best; {name} looked best ({rest})"
    next_best = min(best_evidence.candidates, key=lambda candidate: candidate.ratio or 0.0)
    return f"{name}, {_format_times(claim, best_evidence, next_best, 'the next, ')}, {rest})"


def _format_times(claim: Best, best_evidence: BestEvidence, candidate: BestCandidate, place: str = "") -> str:
    value = candidate.ratio or 0.0
    than = f"{place}{format_levels_text({claim.best: candidate.level})}"
    by = f"{ratio(value, candidate.interval)} × better than {than}"
    return f"{by} ({ci(value, candidate.interval, best_evidence.level)}"
