"""Effects of the factors in words: what each is called, and the findings of a design that asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from steelyard.core.factorial.layout import TWO_STEPS
from steelyard.report.answer.words import Finding, format_comparative, format_fresh_run, is_speed
from steelyard.report.text.digits import bounds, percent, probability, ratio
from steelyard.report.text.label import format_level_text, named_levels, plural, printable

if TYPE_CHECKING:
    from steelyard.core.factorial import Axis
    from steelyard.core.units import Metric
    from steelyard.report.text.line import Style
    from steelyard.results.analysis import Answer
    from steelyard.results.effects import ConditionalEffect, Effect, Factorial
    from steelyard.results.interval import Interval

MOST_SENTENCES: Final = 3
MOST_FINDINGS: Final = 8


def leads(answer: Answer) -> bool:
    """Whether the design is about effects: two steps of each factor, and no baseline to compare with."""
    effects = answer.effects
    about_effects = not answer.declared.baseline and answer.declared.family != "all-pairs"
    return (
        about_effects
        and bool(effects)
        and all(factorial.effects and factorial.design in TWO_STEPS for factorial in effects)
    )


def findings(answer: Answer) -> Iterator[Finding]:
    """Yield a sentence for each main effect, the largest first, and for each interaction that is resolved."""
    for factorial in answer.effects:
        text = _format_place(factorial)
        mains = [effect for effect in factorial.effects if not effect.interaction]
        mains.sort(key=lambda effect: -effect.share)
        for effect in mains[:MOST_FINDINGS]:
            yield _main(effect, factorial, text, answer)
        if len(mains) > MOST_FINDINGS:
            yield Finding(f"{text}… and {len(mains) - MOST_FINDINGS} smaller ones", "", "")
        yield from (Finding(f"{text}{sentence}", "", "") for sentence in format_interactions(factorial))
        open_ = [effect for effect in factorial.effects if effect.interaction and effect.resolved is False]
        if open_:
            largest = max((e.resolvable for e in open_ if e.resolvable is not None), default=None)
            power = (
                f"; each could have been detected from {percent(largest)} on" if largest is not None else ""
            )
            yield Finding(f"{text}{plural(len(open_), 'interaction')}: not resolved{power}", "", "open")


def _main(effect: Effect, factorial: Factorial, place: str, answer: Answer) -> Finding:
    axes = {axis.name: axis for axis in factorial.axes}
    name = f"{place}{name_effect(effect, axes)}"
    estimate = effect.ratio
    if estimate is None or estimate.value is None:
        return Finding(f"{name}: no ratio", "", "open")
    value, interval = estimate.value, effect.ci95
    better = value >= 1
    if effect.resolved and not better:
        value, interval = 1 / value, interval.reciprocal() if interval else None
    evidence = _format_evidence(effect, factorial, value, interval, answer)
    word = format_comparative(factorial.metric, better=better)
    if effect.resolved:
        metric = "" if is_speed(factorial.metric) else f" {printable(factorial.metric.name)}"
        claim = f"{name} is {ratio(value, interval)} × {word}{metric}"
        style: Style = "" if factorial.metric.better == "neither" else "good" if better else "bad"
        return Finding(claim, evidence, style)
    if effect.resolved is None:
        return Finding(f"{name}: {ratio(value, interval)} ×, not tested", evidence, "open")
    power = ""
    if effect.resolvable is not None:
        power = f"; these runs could have detected {percent(effect.resolvable)}"
    return Finding(
        f"{name}: not resolved{power}{format_fresh_run(effect.fresh, answer.design.blocks)}", evidence, "open"
    )


def _format_evidence(
    effect: Effect, factorial: Factorial, value: float, interval: Interval | None, answer: Answer
) -> str:
    parts = [f"95 % CI {bounds(value, interval)}" if interval else "no bounded interval"]
    p = effect.p_holm
    if p is not None and p > answer.declared.alpha and interval is not None and interval.excludes(1):
        parts.append(f"but p = {probability(p)} among {len(factorial.effects)} effects")
    scope = " in one context" if effect.in_one_context else ""
    return ", ".join(
        [*parts, f"{plural(factorial.treatments, 'treatment')}", _format_units(factorial, scope)]
    )


def _format_units(factorial: Factorial, scope: str) -> str:
    if factorial.by == "launch":
        return f"{plural(factorial.units, 'run')} of each{scope}, one after the other"
    return f"{plural(factorial.units, factorial.by)}{scope}"


def _format_place(factorial: Factorial) -> str:
    text = named_levels({**factorial.stratum, **factorial.labels})
    return f"{text}: " if text else ""


def format_interactions(factorial: Factorial) -> Iterator[str]:
    """Meaning of the largest resolved interactions of two factors with two levels each, for the first."""
    axes = {axis.name: axis for axis in factorial.axes}
    shares = {effect.factors: effect.share for effect in factorial.effects}
    pairs = sorted(
        {(conditional_effect.factor, conditional_effect.at) for conditional_effect in factorial.conditional},
        key=lambda pair: -shares[pair],
    )
    for pair in pairs[:MOST_SENTENCES]:
        first, second = (axes[name] for name in pair)
        at = [
            f"{_format_conditional(conditional_effect, factorial.metric)} at {printable(second.name)} ="
            f" {format_step_text(second, conditional_effect.step)}"
            for conditional_effect in factorial.conditional
            if (conditional_effect.factor, conditional_effect.at) == pair
        ]
        yield (
            f"{printable(first.name)} and {printable(second.name)} interact:"
            f" {format_step_text(first, 0)} → {format_step_text(first, 1)} is {', '.join(at)}"
        )


def _format_conditional(effect: ConditionalEffect, metric: Metric) -> str:
    """``1.21 × faster (1.19 to 1.23)``."""
    value, interval = effect.ratio.value, effect.ci95
    if value is None:
        return "out of range"
    if interval is None or not interval.excludes(1):
        text = f" ({bounds(value, interval)})" if interval else ""
        return f"not resolved{text}"
    better = value >= 1
    if not better:
        value, interval = 1 / value, interval.reciprocal()
    word = format_comparative(metric, better=better)
    return f"{ratio(value, interval)} × {word} ({bounds(value, interval)})"


def name_effect(effect: Effect, axes: Mapping[str, Axis]) -> str:
    """``opt: O2 → O3``, ``opt × threads``; with all that it is confounded with."""
    name = " × ".join(printable(factor) for factor in effect.factors)
    if effect.confounded:
        return " or ".join([name, *(printable(text) for text in effect.confounded)])
    if effect.interaction:
        return name
    axis = axes[effect.factors[0]]
    if len(axis.steps) > 2:
        return f"{name} ({len(axis.steps)} levels)"
    return f"{name}: {format_step_text(axis, 0)} → {format_step_text(axis, 1)}"


def format_step_text(axis: Axis, step: int) -> str:
    """Return the levels at a step, one for each linked factor."""
    return " ".join(format_level_text(level) for level in axis.steps[step].values())
