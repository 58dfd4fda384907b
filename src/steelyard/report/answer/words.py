"""Findings in words: one sentence for each comparison, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, Literal

import msgspec
from msgspec.structs import replace

from steelyard.core.units import Metric, format_quantity
from steelyard.report.text.digits import about, bounds, percent, probability, quantity, ratio
from steelyard.report.text.factor_columns import differing
from steelyard.report.text.label import format_level_text, named_levels, plural, printable, shorten_apart
from steelyard.report.text.line import Style
from steelyard.report.text.typical import format_typical, format_wait
from steelyard.results.flags import WITHHOLDING
from steelyard.results.undefined import REASONS, Undefined

if TYPE_CHECKING:
    from steelyard.core.estimand import Estimand, IntervalKind
    from steelyard.core.sample import Treatment
    from steelyard.core.units import Scalar
    from steelyard.results.analysis import Answer, DesignFacts
    from steelyard.results.comparison import Comparison, FreshRun, Speedup, TypicalRatio
    from steelyard.results.interval import Interval
    from steelyard.results.samples import Described

Names = Mapping[str, str]

NAME_WIDTH: Final = 32
"""Columns of a terminal that a name may take in a sentence."""
MOST_NAME_WIDTH: Final = 2 * NAME_WIDTH
"""Where fewer would make two names look alike."""

_NOTHING: Final = 10.0
"""A smallest resolvable difference above 1,000 % says that there was nothing to see it with."""

ESTIMANDS: Final[dict[Estimand, str]] = {
    "geomean_ratio": "ratio of geometric means",
    "ratio_of_means": "ratio of arithmetic means",
    "median_ratio": "median of ratios",
    "quantile": "ratio of quantiles",
}
INTERVAL_NAMES: Final[dict[IntervalKind, str]] = {
    "sign-flip": "flipped signs of blocks",
    "log-delta": "the delta method on logarithms",
    "fieller": "Fieller's theorem",
    "gum-s1": "Monte Carlo (GUM Supplement 1)",
    "bootstrap-t": "the studentised bootstrap",
    "sign": "the sign test",
    "mover": "order statistics",
}


class Finding(msgspec.Struct, frozen=True):
    """One result in words: what was found, what it rests on, and whether it is good news."""

    claim: str
    evidence: str
    style: Style


def names(labels: Iterable[str]) -> Names:
    """Names of treatments in sentences: safe, short, and distinct where possible."""
    safe = {label: printable(label) for label in labels}
    short = shorten_apart(list(safe.values()), NAME_WIDTH, MOST_NAME_WIDTH)
    return {label: short[text] for label, text in safe.items()}


def format_comparative(metric: Metric, *, better: bool) -> str:
    """``faster`` for times and rates; ``less`` and ``more`` for what is not a speed."""
    if is_speed(metric):
        return "faster" if better else "slower"
    return "less" if better == (metric.better != "higher") else "more"


def is_speed(metric: Metric) -> bool:
    """Whether the metric is a time, of which less is faster, or a rate, of which more is."""
    return (metric.unit == "s" and metric.better == "lower") or (
        metric.unit.endswith("/s") and metric.better == "higher"
    )


def verdict(comparison: Comparison) -> tuple[str, Style]:
    """Return the verdict as one cell of a table; in parentheses where it is exploratory."""
    word, style = _get_verdict(comparison)
    return (f"({word})", "") if comparison.exploratory and style != "open" else (word, style)


def _get_verdict(comparison: Comparison) -> tuple[str, Style]:
    if comparison.verdict in ("faster", "slower"):
        better = comparison.verdict == "faster"
        style: Style = "" if comparison.metric.better == "neither" else "good" if better else "bad"
        return format_comparative(comparison.metric, better=better), style
    return ("equivalent", "good") if comparison.verdict == "equivalent" else ("not resolved", "open")


def outcome(comparison: Comparison) -> tuple[str, Style]:
    """Return ratio and direction as one cell of a table, as the sentence says it: ``1.30 × slower``."""
    word, style = verdict(comparison)
    if isinstance(comparison.speedup, Undefined) or comparison.verdict not in ("faster", "slower"):
        return word, style
    value, interval = _choose_shown(comparison.speedup, comparison)
    return f"{ratio(value, interval)} × {word}", style


def render_finding(
    comparison: Comparison, answer: Answer, names: Names, shared: Mapping[str, Scalar]
) -> Finding:
    """One comparison of the primary metric in words, without the labels that all rows share."""
    place, beside = _format_place(comparison, shared), comparison.beside
    finding = _render_finding(comparison, answer, names, place)
    if beside is not None and comparison.decided_by == "typical" and comparison.verdict == "slower":
        finding = _render_typical(comparison, beside, finding, names, place)
    elif beside is not None and _is_contrary(comparison, beside):
        typical = _describe_typical(comparison, beside, names)
        finding = replace(finding, claim=f"{finding.claim}; but a typical run is {typical}")
    return replace(finding, claim=f"exploratory: {finding.claim}") if comparison.exploratory else finding


def _render_finding(comparison: Comparison, answer: Answer, names: Names, place: str) -> Finding:
    new, old = _pair(comparison, names)
    style = verdict(comparison)[1]
    margin = answer.declared.margin
    speedup = comparison.speedup
    if isinstance(speedup, Undefined):
        return Finding(f"{place}{new} against {old}: no ratio, since {speedup.words}", "", style)
    value, interval = _choose_shown(speedup, comparison)
    evidence, size = _format_evidence(value, interval, comparison, answer), f"{ratio(value, interval)} ×"
    against = f"{place}{new} against {old}: "
    if comparison.refused:
        return Finding(f"{against}not resolved, since {_format_withheld(comparison)}", evidence, style)
    if comparison.verdict == "equivalent" and margin is not None:
        claim = f"{place}{new} is equivalent to {old} within {percent(margin)}{_format_but_rare(answer)}"
        return Finding(claim, f"{size}, {evidence}", style)
    # Where slow runs alone leave it open, the number of blocks is known already.
    fresh = None if comparison.blocks_to_show else comparison.fresh
    advice = format_fresh_run(fresh, comparison.instances or comparison.blocks)
    if _make_direction(comparison) is not None:
        least = "at least " if speedup.one_sided else ""
        claim = f"{place}{new} {_check_is(comparison)} {least}{size} {_format_than(comparison)} {old}"
        if comparison.verdict == "not_resolved" and margin is not None:
            claim += f", but whether by more than {percent(margin)} is not resolved"
            claim += _format_wait(comparison, margin)
        return Finding(claim + advice, evidence, style)
    place_of_margin = None if margin is None else _describe_margin(comparison, margin)
    if place_of_margin is not None:
        return Finding(f"{against}{place_of_margin}{advice}", evidence, style)
    open_ = f"not resolved{_format_power(comparison.resolvable)}{advice}"
    return Finding(against + open_, evidence, style)


def _format_wait(comparison: Comparison, margin: float) -> str:
    """Say which number of blocks would decide, where only slow runs that did not show leave it open."""
    needed = comparison.blocks_to_show
    return "" if needed is None else f": {format_wait(needed, 'block', percent(margin))}"


def _is_contrary(comparison: Comparison, beside: TypicalRatio) -> bool:
    """Whether the typical run lies beyond the margin, or is contrary to the mean, without a verdict."""
    if comparison.decided_by == "typical":
        return True
    interval, mean = beside.ratio.interval(), comparison.speedup
    if interval is None or not interval.excludes(1) or isinstance(mean, Undefined):
        return False
    return (mean.log > 0) != (beside.ratio.log > 0)


def _render_typical(
    comparison: Comparison, beside: TypicalRatio, mean: Finding, names: Names, place: str
) -> Finding:
    """Return a verdict that the typical run made, and the finding of the mean behind it."""
    new, old = _pair(comparison, names)
    interval = beside.ratio.interval()
    times = ratio(1 / beside.ratio.value, interval and interval.reciprocal())
    claim = (
        f"{place}{new} {_check_is(comparison)} {times} × {_format_than(comparison)} {old} in a typical run"
    )
    average = ""
    if not isinstance(comparison.speedup, Undefined):
        average = f"on average {ratio(*_choose_shown(comparison.speedup, comparison))} ×, "
    evidence = f"{_describe_typical(comparison, beside, names)}; {average}{mean.evidence}"
    return Finding(claim, evidence, mean.style)


def _describe_typical(comparison: Comparison, beside: TypicalRatio, names: Names) -> str:
    """``slower in 19 of 20 blocks; one slow run of base``."""
    slow = beside.slow
    unit = "run pair" if beside.ratio.unit == "unpaired" else beside.ratio.unit
    return format_typical(
        format_comparative(comparison.metric, better=beside.better >= beside.worse),
        max(beside.better, beside.worse),
        plural(beside.n, unit),
        names.get(slow.treatment.label, slow.treatment.label) if slow else None,
        slow.runs if slow else 0,
    )


def _describe_margin(comparison: Comparison, margin: float) -> str | None:
    """Say why it is open whether treatments are equivalent; ``None`` where the interval does not tell."""
    if wait := _format_wait(comparison, margin):
        return f"not yet equivalent{wait}"
    ends = _format_ends(comparison, margin)
    return None if ends is None else f"neither within {percent(margin)} nor beyond: {ends}"


def _format_ends(comparison: Comparison, margin: float) -> str | None:
    """Say how far treatments can differ: ``between 5 % slower and 8 % faster``.

    That is by the interval that is shown, or by that of the family where that one alone would have decided
    about the margin.
    """
    alone = _open_margin(comparison, margin) is None
    interval = comparison.ci95 if alone else comparison.ci_relevance
    if interval is None or comparison.relevance != "straddles":
        return None
    low, high = (_end(comparison.metric, value) for value in (interval.low, interval.high))
    return f"between {low} and {high}"


def _end(metric: Metric, ratio: float) -> str:
    """``5 % slower``, by how much the larger exceeds the smaller."""
    word = format_comparative(metric, better=ratio > 1)
    return f"{percent(max(ratio, 1 / ratio) - 1)} {word}"


def _format_but_rare(answer: Answer) -> str:
    """Part of the contexts for which equivalence is not shown, since none of them was drawn."""
    kinds = {"contexts_unseen": "in contexts", "machines_unseen": "on machines"}
    rare = next((notice for notice in answer.unobserved if notice.kind in kinds), None)
    if rare is None:
        return ""
    return f", except possibly {kinds[rare.kind]} rarer than {percent(float(rare.fields['share']))}"


def _format_withheld(comparison: Comparison) -> str:
    """Why a verdict was not given."""
    reason = next((reason for reason in WITHHOLDING if reason in comparison.flags), None)
    return REASONS[reason] if reason else "runs failed or timed out"


def _pair(comparison: Comparison, names: Names) -> tuple[str, str]:
    """Names of the two treatments.

    Where labels of several factors were shortened, the first is said in full, and of the second what it has
    other: shortened, both may read the same.
    """
    new, old = comparison.treatment, comparison.baseline
    apart = differing(new.levels, old.levels, tuple(new.levels))
    shortened = names[new.label] != printable(new.label)
    spelled = all(f", {name}=" in f", {new.label}" for name in new.levels)
    if shortened and apart and spelled and len(new.levels) > 1:
        return printable(new.label), printable(apart)
    return names[new.label], names[old.label]


def pair_name(new: Treatment, old: Treatment, names: Names) -> str:
    """Return a comparison as the name of a row.

    Of labels of several factors it says what differs, and behind it what both share.
    """
    apart = [
        name
        for name in new.levels
        if format_level_text(new.levels[name]) != format_level_text(old.levels[name])
    ]
    spelled = all(f"{name}=" in label for name in apart for label in (new.label, old.label))
    shared = [name for name in new.levels if name not in apart and f"{name}=" in new.label]
    if not (apart and spelled and shared):
        return f"{names[new.label]}  against  {names[old.label]}"
    text = (
        format_level_text(old.levels[apart[0]])
        if len(apart) == 1
        else differing(new.levels, old.levels, apart)
    )
    both = ", ".join(f"{name}={format_level_text(new.levels[name])}" for name in shared)
    return printable(f"{differing(old.levels, new.levels, apart)}  against  {text}  ({both})")


MOST_TIMES: Final = 10
"""Size of a fresh run that is worth a word, in sizes of this one: where it takes more for a power of 80 %,
what was seen is below 0.9 standard errors, as most differences of equal programs are.
"""


def format_fresh_run(run: FreshRun | None, units: int) -> str:
    """Return the run that would resolve it, if the difference that was seen among so many units is real.

    It is empty where that would be to chase noise.
    """
    if run is None or (run.instances or run.blocks) > MOST_TIMES * units:
        return ""
    text = f"the {percent(run.difference)} seen"
    purpose = f"to confirm {text} here" if run.margin is None else f"to decide that, if {text} are real"
    size = f"{run.blocks:,} blocks" if run.instances is None else f"{run.instances:,} instances"
    if run.machines is not None:
        size = f"{run.machines:,} machines"
    return f"; {purpose}, run {size}{about(run.seconds)}"


def _format_power(resolvable: float | None) -> str:
    if resolvable is None:
        return ""
    if resolvable > _NOTHING:
        return "; too few runs to detect a difference of any size"
    return f"; these runs could have detected {percent(resolvable)}"


def render_single(sample: Described, names: Names) -> Finding:
    """Return a sample in words that is compared with nothing."""
    summary, metric = sample.summary, sample.metric
    label = names[sample.treatment.label]
    if summary.mean is None:
        reason = summary.why or REASONS["no_values"]
        return Finding(f"{label}: no mean of {metric.name}, since {reason}", "", "open")
    mean = quantity(summary.mean, metric.unit, summary.u)
    claim = f"{label} takes {mean}" if metric.name == "wall_s" else f"{label}: {metric.name} is {mean}"
    if summary.u is None or summary.s is None:
        return Finding(claim, plural(summary.n, "run"), "")
    u, s = format_quantity(summary.u, metric.unit, 2), format_quantity(summary.s, metric.unit, 2)
    return Finding(claim + " on average", f"standard error {u}, s = {s}, {plural(summary.n, 'run')}", "")


def _open_margin(comparison: Comparison, margin: float | None) -> str | None:
    """Say why an interval that lies wholly on one side of the margin does not decide.

    It is of this comparison alone, and the decision is one of several.
    """
    interval, p = comparison.ci95, comparison.p_relevance
    if margin is None or interval is None or p is None or comparison.relevance != "straddles":
        return None
    if comparison.blocks_to_show is not None:
        return None
    beyond = interval.low > 1 + margin or interval.high < 1 - margin
    inside = interval.low >= 1 - margin and interval.high <= 1 + margin
    if not (beyond or inside):
        return None
    among = plural(comparison.family_size or 1, "comparison")
    return f"but p = {probability(p)} about {percent(margin)} among {among}"


def shared_labels(answer: Answer) -> dict[str, Scalar]:
    """Return the labels that all values of the primary metric have alike: they tell no line from another."""
    rows = [sample.labels for sample in answer.samples if sample.metric.name == answer.metric.name]
    first = rows[0] if rows else {}
    return {
        name: level
        for name, level in first.items()
        if all(name in row and format_level_text(row[name]) == format_level_text(level) for row in rows)
    }


def _format_place(comparison: Comparison, shared: Mapping[str, Scalar]) -> str:
    # Levels of strata stand in the names of treatments already.
    labels = {name: level for name, level in comparison.labels.items() if name not in shared}
    return f"{named_levels(labels)}: " if labels else ""


def _make_direction(comparison: Comparison) -> Literal["faster", "slower"] | None:
    """Which way it was resolved: by the verdict, or by a difference that the margin leaves open."""
    for way in ("faster", "slower"):
        if way in (comparison.verdict, comparison.difference):
            return way
    return None


def _check_is(comparison: Comparison) -> str:
    return "is" if is_speed(comparison.metric) else "has"


def _format_than(comparison: Comparison) -> str:
    word = format_comparative(comparison.metric, better=_make_direction(comparison) == "faster")
    return f"{word} than" if is_speed(comparison.metric) else f"{word} {comparison.metric.name} than"


def format_times(metric: Metric, value: float, interval: Interval | None) -> str:
    """Return a ratio as sentences say it where its interval excludes 1: ``2.76 × slower``."""
    if interval is None or not interval.excludes(1) or interval.low <= 0:
        return f"{ratio(value, interval)} ×"
    size = ratio(value, interval) if value > 1 else ratio(1 / value, interval.reciprocal())
    return f"{size} × {format_comparative(metric, better=value > 1)}"


def format_size(comparison: Comparison) -> str:
    """Return ratio and verdict as the sentence says them: ``2.76 × slower``; empty without a ratio."""
    if isinstance(comparison.speedup, Undefined):
        return ""
    value, interval = _choose_shown(comparison.speedup, comparison)
    word, _ = verdict(comparison)
    if comparison.verdict in ("faster", "slower"):
        return f"{ratio(value, interval)} × {word}"
    direction = _make_direction(comparison)
    apart = (
        ","
        if direction is None
        else f" {format_comparative(comparison.metric, better=direction == 'faster')},"
    )
    return f"{ratio(value, interval)} ×{apart} {word}"


def is_inverted(comparison: Comparison) -> bool:
    """Whether a sentence says the inverse of the ratio, since the news is bad."""
    return _make_direction(comparison) == "slower"


def _choose_shown(speedup: Speedup, comparison: Comparison) -> tuple[float, Interval | None]:
    """Return the ratio and its interval, inverted where the news is bad: 1.30 × slower, not 0.77 × faster."""
    value, interval = speedup.value, comparison.ci95
    if not is_inverted(comparison):
        return value, interval
    return 1 / value, interval.reciprocal() if interval else None


def name_unit(design: DesignFacts) -> str:
    """Return what the contexts of a design are."""
    return "machine" if design.machines else "context"


def _count_runs(comparison: Comparison, answer: Answer) -> str:
    """How many runs each side has; a baseline with another number than the treatment is told apart."""
    text = "repetition" if "one_process" in comparison.flags else "run"
    text = "session" if "sessions" in comparison.flags else text
    counts = {
        sample.treatment.id: sample.summary.n
        for sample in answer.samples
        if sample.metric.name == comparison.metric.name
    }
    treated = counts.get(comparison.treatment.id, comparison.blocks)
    baseline = counts.get(comparison.baseline.id, comparison.blocks)
    if treated == baseline:
        return f"{plural(treated, text)} of each"
    return f"{plural(treated, text)} against {baseline}"


def _format_evidence(value: float, interval: Interval | None, comparison: Comparison, answer: Answer) -> str:
    parts = [f"95 % CI {bounds(value, interval)}" if interval else "no bounded interval"]
    p = comparison.p_holm
    if p is not None and p > answer.declared.alpha and interval is not None and interval.excludes(1):
        # The interval is of this comparison alone; the reader must see why it does not decide.
        parts.append(f"but p = {probability(p)} among {comparison.family_size} comparisons")
    elif (open_margin := _open_margin(comparison, answer.declared.margin)) is not None:
        parts.append(open_margin)
    if "sequential_order" in comparison.flags:
        parts.append(_count_runs(comparison, answer) + _format_order(comparison))
    elif comparison.instances is not None:
        blocks = f"{plural(comparison.blocks, 'block')}{_format_scope(comparison)}"
        parts.append(f"{plural(comparison.instances, 'instance')} in {blocks}")
    elif comparison.contexts is not None:
        units = plural(comparison.contexts, name_unit(answer.design))
        parts.append(f"{units} in {plural(comparison.blocks, 'block')}")
    elif answer.design.contexts >= comparison.blocks > 1:
        place = "on its own machine" if answer.design.machines else "in its own context"
        parts.append(f"{plural(comparison.blocks, 'block')}, each {place}")
    elif answer.design.contexts > 1:
        units = plural(answer.design.contexts, name_unit(answer.design))
        parts.append(f"{plural(comparison.blocks, 'block')} in {units}")
    else:
        parts.append(f"{plural(comparison.blocks, 'block')}{_format_scope(comparison)}")
    return ", ".join(parts)


def _format_scope(comparison: Comparison) -> str:
    """Say whose error rate it is where no context was drawn: that of one context, or of one process."""
    if "one_process" in comparison.flags:
        return " in one process"
    return " in one context" if comparison.in_one_context else ""


def _format_order(comparison: Comparison) -> str:
    """Say of runs that no block pairs what they share."""
    if "two_sessions" in comparison.flags:
        return " in these two sessions"
    scope = "" if "sessions" in comparison.flags else _format_scope(comparison)
    return f"{scope}, one after the other"
