"""``best`` in words."""

from __future__ import annotations

from steelyard.claims.evidence import BestEvidence, Candidate
from steelyard.report.claims.phrases import ci, levels_text, units_text, where_text, why
from steelyard.report.text.digits import ratio
from steelyard.report.text.label import listed
from steelyard.spec.claims.claim import Best
from steelyard.stats.compare.judgement import Outcome


def text(claim: Best, _unit: str) -> str:
    """``O3 is the best opt``."""
    where = where_text(claim.metric, claim.where)
    if claim.level is None:
        return f"one best {claim.best}{where}"
    return f"{levels_text({claim.best: claim.level})} is the best {claim.best}{where}"


def evidence(claim: Best, _outcome: Outcome, found: BestEvidence) -> str:
    """Return the chosen level, against the next or the one that is claimed."""
    if found.chosen is None:
        return why(found.reason) or "nothing could be chosen"
    name = levels_text({claim.best: found.chosen})
    rest = f"chosen on {found.selection}, confirmed on {units_text(found)}"
    claimed = next((each for each in found.candidates if each.level == claim.level), None)
    if claimed is not None and not claimed.possible:
        return f"{name} is {_times(claim, found, claimed)}, {rest})"
    if found.possible != (found.chosen,):
        may = listed([levels_text({claim.best: level}) for level in found.possible])
        return f"{may or 'none'} may be the best; {name} looked best ({rest})"
    next_best = min(found.candidates, key=lambda each: each.ratio or 0.0)
    return f"{name}, {_times(claim, found, next_best, 'the next, ')}, {rest})"


def _times(claim: Best, found: BestEvidence, other: Candidate, place: str = "") -> str:
    value = other.ratio or 0.0
    than = f"{place}{levels_text({claim.best: other.level})}"
    by = f"{ratio(value, other.interval)} × better than {than}"
    return f"{by} ({ci(value, other.interval, found.level)}"
