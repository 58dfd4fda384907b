"""What a verdict rests on, in words: one phrase for one stratum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from steelyard.answers.interval import Interval
from steelyard.answers.undefined import REASONS
from steelyard.claims.evidence import (
    BestEvidence,
    BreaksEvidence,
    Candidate,
    ForetoldEvidence,
    MeanEvidence,
    RatioEvidence,
    RuleEvidence,
    ScalesEvidence,
)
from steelyard.claims.verdict import Instance
from steelyard.report.claims.claim import levels_text
from steelyard.report.text.digits import bounds, percent, ratio, scale_text, share
from steelyard.report.text.label import counted, listed, printable
from steelyard.spec.claims.claim import Best, Claim, Scales
from steelyard.stats.compare.judgement import Outcome
from steelyard.units import format_quantity

NOTHING: Final = 10.0
"""A smallest resolvable difference above 1,000 % says that there was nothing to see it with."""
_CAUSES: Final = {
    "machine": "the litmus test misses it too: the machine is the likely cause",
    "library": "the litmus test keeps it: the program is the likely cause",
    "unknown": "the litmus test itself is undecided",
}


def evidence_words(claim: Claim, instance: Instance) -> str:
    """``1.34 × (95 % CI 1.30 to 1.38, 30 blocks)``."""
    return WORDS[type(instance.evidence)](claim, instance.outcome, instance.evidence)


def coverage(level: float) -> str:
    """``95 % CI``; with as many digits as tell it from 100 %."""
    text = f"{100 * (1 - level):.3g}"
    return f"{text if float(text) < 100 else '>99.9'} % CI"


def breaks_words(found: BreaksEvidence, bound: str) -> str:
    """From where on a limit breaks."""
    name = f"{printable(found.name)}: " if found.name else ""
    if found.at is None:
        return f"{name}by its model it stays within {bound} as far as was looked"
    ends = [scale_text(end) if end is not None else "never" for end in (found.earliest, found.latest)]
    beyond = ", beyond what was measured" if found.at > found.measured else ""
    where = f"{found.parameter} = {scale_text(found.at)}"
    return f"{name}by its model it breaks {bound} from {where} on (95 %: {ends[0]} to {ends[1]}{beyond})"


def _why(reason: str | None) -> str | None:
    if reason == "failures":
        return "runs failed or timed out, so that what is left is not left by chance"
    return REASONS.get(reason, reason) if reason else None


def _ratio(_claim: Claim, outcome: Outcome, found: RatioEvidence) -> str:
    if found.ratio is None:
        return _why(found.reason) or "there is no ratio"
    between = _ci(found.ratio, found.interval, found.level)
    words = f"{ratio(found.ratio, found.interval)} × ({between}, {_n(found)})"
    if found.reason:
        return f"{words}, but {_why(found.reason)}"
    if outcome == "not_resolved" and found.resolvable is not None and found.resolvable <= NOTHING:
        words += f"; a difference of {percent(found.resolvable)} would have shown"
    return words


def _ci(value: float, interval: Interval | None, level: float) -> str:
    return f"{coverage(level)} {bounds(value, interval)}" if interval else f"no bounded {coverage(level)}"


def _n(found: RatioEvidence | MeanEvidence | BestEvidence) -> str:
    return counted(found.n, {"launch": "run"}.get(found.by, found.by))


def _mean(_claim: Claim, _outcome: Outcome, found: MeanEvidence) -> str:
    if found.mean is None:
        return _why(found.reason) or "there is no mean"
    unit = found.metric.unit
    between = _between(found.interval, unit, found.level)
    words = f"mean {format_quantity(found.mean, unit)} ({between}, {_n(found)})"
    return f"{words}, but {_why(found.reason)}" if found.reason else words


def _between(interval: Interval | None, unit: str, level: float) -> str:
    if interval is None:
        return f"no bounded {coverage(level)}"
    if interval.low == interval.high:
        return "all equal"
    return (
        f"{coverage(level)} {format_quantity(interval.low, unit)} to {format_quantity(interval.high, unit)}"
    )


def _foretold(_claim: Claim, _outcome: Outcome, found: ForetoldEvidence) -> str:
    if found.value is None or found.model is None:
        return f"not foretold: {found.reason or 'there is no model'}"
    at = ", ".join(f"{name} = {value:g}" for name, value in found.at.items())
    value = format_quantity(found.value, found.unit)
    between = _between(found.interval, found.unit, 0.05)
    words = f"{value} foretold at {at} ({between}, by {found.model.growth()} from {found.points} points)"
    return f"{words}, but {_why(found.reason)}" if found.reason else words


def _best(claim: Best, _outcome: Outcome, found: BestEvidence) -> str:
    if found.chosen is None:
        return _why(found.reason) or "nothing could be chosen"
    name = levels_text({claim.best: found.chosen})
    rest = f"chosen on {found.selection}, confirmed on {_n(found)}"
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
    return f"{by} ({_ci(value, other.interval, found.level)}"


def _scales(claim: Scales, _outcome: Outcome, found: ScalesEvidence) -> str:
    model = found.model
    if model is None or model.validation is None:
        return f"no verdict: {found.reason or 'nothing is expected of it'}"
    its = model.validation
    shares = {
        "match": its.probability.match,
        "approximate": its.probability.approximate,
        "none": its.probability.none,
    }
    rank = {"match": "matches", "approximate": "approximately", "none": "no match", "undecided": "undecided"}
    if found.reason:
        return f"{model.growth()} from {model.points} points, but {_why(found.reason)}"
    words = f"{model.growth()}, {rank[its.rank]}"
    if its.rank == "undecided":
        parts = (f"{name} {share(p)}" for name, p in shares.items() if p >= 0.01)
        words += f" ({', '.join(parts)}; {model.points} points)"
    else:
        words += f" ({share(shares[its.rank])} sure, divergence {its.divergence.big_o(its.parameter)}"
        if its.rank == "none" and claim.expect is not None and claim.deviation is None:
            words += f", D = {its.deviation} by default"
        words += f", {model.points} points)"
    return f"{words}; {_CAUSES[found.cause]}" if found.cause else words


def _rule(_claim: Claim, _outcome: Outcome, found: RuleEvidence) -> str:
    answer = found.answer
    if answer is None:
        return f"no verdict: {_why(found.reason)}"
    if answer.breaks_at is None:
        where = "the fitted models never cross"
    elif answer.measured:
        where = f"the left side is larger already at {answer.breaks_at:.3g}"
    else:
        where = f"the fitted models cross at {answer.breaks_at:.3g}"
    return f"{share(answer.probability)} sure that the left side grows no faster; {where}"


WORDS: Final[dict[type, Callable[[Any, Outcome, Any], str]]] = {
    RatioEvidence: _ratio,
    MeanEvidence: _mean,
    ForetoldEvidence: _foretold,
    BestEvidence: _best,
    ScalesEvidence: _scales,
    RuleEvidence: _rule,
}
