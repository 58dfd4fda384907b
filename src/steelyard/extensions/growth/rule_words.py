"""``rule`` in words: points at which the left side takes more, by what factor, and growth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from steelyard.claims.verdict import Instance, Verdict
from steelyard.core.units import is_number
from steelyard.extensions.growth.evidence import RuleEvidence, RulePointEvidence
from steelyard.extensions.growth.rule_claim import TOLERANCE, Rule
from steelyard.extensions.growth.scaling.rules import RuleAnswer
from steelyard.report.claims.claim import format_claim_text
from steelyard.report.claims.phrases import WORST, ci, format_reason, format_where
from steelyard.report.claims.text import STYLES, WORDS
from steelyard.report.text.digits import factor, percent, ratio, scale_text, share
from steelyard.report.text.label import join_names, named_levels, plural, printable, wrap
from steelyard.report.text.line import Line, Span
from steelyard.stats.compare.judgement import Outcome

NO_FASTER: Final = "the left side grows no faster"
MOST_POINTS: Final = 6
"""Points that are named one by one."""
_UNITS: Final = {"launch": "run"}
_OPEN: Final = ("not_resolved", "not_judged")


def text(claim: Rule, _unit: str) -> str:
    """``allreduce <= reduce + bcast``, with its tolerance where that is not the usual one."""
    within = "" if claim.tolerance == TOLERANCE else f" within {percent(claim.tolerance)}"
    return f"{printable(claim.rule)}{within}{format_where(claim.metric, claim.where)}"


def evidence(_claim: Rule, _outcome: Outcome, value: RuleEvidence | RulePointEvidence) -> str:
    """Both sides at one point, or their growth."""
    if isinstance(value, RulePointEvidence):
        return _format_point(value)
    return _format_growth(value)


def summary(verdict: Verdict) -> str:
    """Return the outcome over all points, the worst of them, where the rule is broken, and growth."""
    points = [instance for instance in verdict.instances if isinstance(instance.evidence, RulePointEvidence)]
    grown = [instance for instance in verdict.instances if isinstance(instance.evidence, RuleEvidence)]
    parts = [_measure(verdict, points), *_extrapolate(grown)]
    return "; ".join(filter(None, parts))


def broken_points(verdict: Verdict) -> list[Instance]:
    """Return the points at which the left side takes more, the worst first."""
    broken = [
        instance
        for instance in verdict.instances
        if isinstance(instance.evidence, RulePointEvidence) and instance.outcome == "fails"
    ]
    return sorted(broken, key=_compute_ratio_of, reverse=True)


def format_crossing(answer: RuleAnswer) -> str:
    """Where the models of both sides cross."""
    if answer.breaks_at is None:
        return "the fitted models never cross"
    if answer.measured:
        return f"the fitted left side is larger already at {scale_text(answer.breaks_at)}"
    return f"the fitted models cross at {scale_text(answer.breaks_at)}"


def _measure(verdict: Verdict, points: Sequence[Instance]) -> str:
    if not points:
        return ""
    broken = broken_points(verdict)
    if broken:
        worst = broken[0]
        count = sum(point.outcome in _OPEN for point in points)
        rest = f", {count} open" if count else ""
        return (
            "broken"
            f" {_format_share(len(broken), len(points))}{_format_places(verdict, broken, points)}{rest}:"
            f" at worst {_format_point(_make_evidence(worst))}{_format_place(worst, points)};"
            f" {printable(_make_evidence(worst).right)} is faster there"
        )
    held = [point for point in points if point.outcome == "holds"]
    closest = max(held, key=_compute_ratio_of, default=None)
    if len(held) == len(points) and closest is not None:
        return (
            f"kept {_format_share(len(held), len(points))}: at most"
            f" {_format_point(_make_evidence(closest))}{_format_place(closest, points)}"
        )
    open_ = [point for point in points if point.outcome in _OPEN]
    worst = max(open_, key=_compute_ratio_of)
    return (
        f"{len(open_)} of {plural(len(points), 'point')} {'is' if len(open_) == 1 else 'are'} open:"
        f" {_format_point(_make_evidence(worst))}{_format_place(worst, points)}"
    )


def _format_share(count: int, total: int) -> str:
    if count < total:
        return f"at {count} of {total} points"
    return f"at all {total} points" if total > 1 else "at the only point"


def _extrapolate(grown: Sequence[Instance]) -> list[str]:
    """Return the growth that is worst, with its outcome, where something is said of growth at all."""
    if not grown:
        return []
    worst = min(grown, key=lambda instance: WORST[instance.outcome])
    words = {
        "fails": "grows faster",
        "not_judged": "growth not judged",
        "not_resolved": "growth not resolved",
        "holds": "grows no faster",
    }
    place = f" at {named_levels(worst.stratum)}" if len(grown) > 1 and worst.stratum else ""
    return [f"{words[worst.outcome]}{place} ({_format_growth(worst.evidence)})"]  # type: ignore[arg-type]


def _format_growth(rule_evidence: RuleEvidence) -> str:
    answer = rule_evidence.answer
    if answer is None:
        return f"no verdict: {format_reason(rule_evidence.reason)}"
    sure = "" if answer.probability is None else f"{share(answer.probability)} sure that {NO_FASTER}; "
    return sure + format_crossing(answer)


def _format_point(rule_point_evidence: RulePointEvidence) -> str:
    """``24.9 × gather + bcast (95 % CI 22.1 to 27.9, 30 blocks)``."""
    if rule_point_evidence.ratio is None:
        return f"no ratio: {format_reason(rule_point_evidence.reason)}"
    right = printable(rule_point_evidence.right)
    if rule_point_evidence.method == "exact":
        return f"{_format_three_digits(rule_point_evidence.ratio)} × {right} (exact)"
    if rule_point_evidence.reason:
        return (
            f"{_format_three_digits(rule_point_evidence.ratio)} × {right}, but"
            f" {format_reason(rule_point_evidence.reason)}"
        )
    units = plural(rule_point_evidence.n, _UNITS.get(rule_point_evidence.by, rule_point_evidence.by))
    if rule_point_evidence.n == 1:
        units = "one value, noise from neighbouring points"
    return (
        f"{ratio(rule_point_evidence.ratio, rule_point_evidence.interval)} × {right}"
        f" ({ci(rule_point_evidence.ratio, rule_point_evidence.interval, rule_point_evidence.level)},"
        f" {units})"
    )


def _format_three_digits(value: float) -> str:
    """``1.00``, ``24.9``, ``1234``."""
    if value >= 1000:
        return f"{value:.0f}"
    text = f"{value:#.3g}".rstrip(".")
    return text if float(text) != 1 else factor(value)


def _format_places(verdict: Verdict, broken: Sequence[Instance], points: Sequence[Instance]) -> str:
    """``, from p = 32 on`` where every point from there on is broken and none before; else the points."""
    parameter = _format_parameter(verdict, points)
    if len(points) < 2:
        return ""
    if len(broken) == len(points):
        return ""
    if parameter is not None:
        first = min(float(instance.stratum[parameter]) for instance in broken)
        after = [point for point in points if float(point.stratum[parameter]) >= first]
        if all(instance.outcome == "fails" for instance in after) and len(broken) > 1:
            return f", from {parameter} = {first:g} on"
    if len(broken) == 1:
        return ""  # the worst, which is named
    return f" ({join_names([_name(instance, points) for instance in broken], MOST_POINTS)})"


def _format_parameter(verdict: Verdict, points: Sequence[Instance]) -> str | None:
    """Return the number that points are ordered by: that of the claim, or the only one."""
    numbers = [
        name
        for name in points[0].stratum
        if all(is_number(point.stratum.get(name, "")) for point in points)
        and len({point.stratum[name] for point in points}) > 1
    ]
    named = getattr(verdict.claim, "parameter", None)
    if named in numbers:
        return str(named)
    return numbers[0] if len(numbers) == 1 else None


def _format_place(point: Instance, points: Sequence[Instance]) -> str:
    return f" at {name}" if (name := _name(point, points)) else ""


def _name(point: Instance, points: Sequence[Instance]) -> str:
    """Return the levels of a point that tell it from the others; of an only point, all."""
    return named_levels(
        {
            name: level
            for name, level in point.stratum.items()
            if len(points) == 1 or any(instance.stratum.get(name) != level for instance in points)
        }
    )


def _make_evidence(point: Instance) -> RulePointEvidence:
    assert isinstance(point.evidence, RulePointEvidence)  # noqa: S101 -- chosen by that
    return point.evidence


def _compute_ratio_of(point: Instance) -> float:
    return _make_evidence(point).ratio or 0.0


def render_rules(rules: Sequence[Verdict], width: int) -> list[Line]:
    """Render verdicts on rules by themselves, each below an empty line."""
    return [line for rule in rules for line in ((), *_render_rule(rule, width))]


def _render_rule(rule: Verdict, width: int) -> list[Line]:
    outcome, style = WORDS[rule.outcome], STYLES[rule.outcome]
    head = f"rule {format_claim_text(rule.claim)}: "
    text = wrap(f"{head}{outcome}; {summary(rule)}", width, rest="  ")
    first = text[0]
    at = first.find(outcome, len(head) - 1)
    if at < 0:
        return [(Span(line),) for line in text]
    split = (Span(first[:at]), Span(outcome, style), Span(first[at + len(outcome) :]))
    return [split, *((Span(line),) for line in text[1:])]
