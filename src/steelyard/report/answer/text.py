"""The answer as text: the finding in words, the table, warnings and limitations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Final

from steelyard.core.analysis import Analysis
from steelyard.core.extension import find_protocol
from steelyard.report.answer import adjusted_speedup, contexts, effects, notices, typical
from steelyard.report.answer import interactions as speedup_ratios
from steelyard.report.answer.effect_words import findings
from steelyard.report.answer.presentation import Presentation
from steelyard.report.answer.tables import (
    other_metrics,
    primary,
    render_overview,
    render_pairwise,
    render_samples,
)
from steelyard.report.answer.words import (
    ESTIMANDS,
    INTERVAL_NAMES,
    Finding,
    Names,
    name_unit,
    render_finding,
    render_single,
    verdict,
)
from steelyard.report.text.digits import percent
from steelyard.report.text.label import columns, join_names, named_levels, plural, printable
from steelyard.report.text.line import Line, Span, plain, render_paragraph
from steelyard.results.analysis import DesignFacts
from steelyard.results.undefined import Undefined

if TYPE_CHECKING:
    from steelyard.results.analysis import Answer
    from steelyard.results.comparison import Comparison

MOST_FINDINGS: Final = 12


def render(answer: Answer, width: int = 80, *, details: bool = False) -> str:
    """Return the answer as plain text, within ``width`` columns."""
    return plain(lines(answer, width, details=details))


def lines(
    answer: Answer,
    width: int = 80,
    *,
    details: bool = False,
    time_unit: str | None = None,
    beside: Collection[str] = (),
) -> list[Line]:
    """Return the answer, line by line.

    It has what was found, a row for each treatment, and cautions that would change what a reader does.
    ``details`` has all that is known in the place of the last two.

    Parameters
    ----------
    time_unit : {"microsecond", "millisecond", "second"}, optional
        Of the rows; by default what suits them.
    beside : collection of str
        Metrics without a verdict whose means and ratios are shown all the same.
    """
    view = Presentation(answer, width)
    called = view.names
    if details:
        return _render_details(view)
    parts = [
        _render_edited(view),
        render_headline(answer, width) or _render_findings(view),
        [*_render_chosen(answer, width), *_find_shared(view), *render_overview(view, time_unit)],
        *_get_pairs(view),
        other_metrics(view, beside) if beside else [],
        adjusted_speedup.lines(answer, width),
        speedup_ratios.lines(answer, called, width),
        contexts.lines(answer, called, width),
        effects.lines(answer, width),
        notices.brief([notice for notice in answer.warnings if notice.kind != "edited"], called, width),
    ]
    return [line for part in _separate(parts) for line in part]


def _render_chosen(answer: Answer, width: int) -> list[Line]:
    """Return the definition of a speedup where it is not the usual one."""
    declared = answer.declared
    if not answer.judged or (declared.estimand == Analysis().estimand and declared.interval is None):
        return []
    return render_paragraph(f"speedup: {_format_estimand(answer)}", width, style="dim")


def _find_shared(view: Presentation) -> list[Line]:
    """Return the labels that all rows have, which neither the sentences nor the table repeat."""
    labels = view.shared_labels
    text = f"in all rows: {named_levels(labels)}"
    return render_paragraph(text, view.width, rest="  ", style="dim") if labels else []


def _render_details(view: Presentation) -> list[Line]:
    answer, width, called = view.answer, view.width, view.names
    parts = [
        _render_edited(view),
        render_headline(answer, width) or _render_findings(view),
        [*render_paragraph(caption(answer), width, style="dim"), *render_samples(view)],
        *_get_pairs(view),
        typical.details(answer, width),
        adjusted_speedup.lines(answer, width, details=True),
        speedup_ratios.lines(answer, called, width),
        contexts.lines(answer, called, width),
        effects.lines(answer, width),
        other_metrics(view),
        notices.lines("Warnings", answer.warnings, called, width),
        notices.lines("Limitations", answer.unobserved, called, width),
    ]
    return [line for part in _separate(parts) for line in part]


def _render_edited(view: Presentation) -> list[Line]:
    """Return what comes before any number of a record that is not as it was measured."""
    edited = [notice for notice in view.answer.warnings if notice.kind == "edited"]
    return [
        line
        for sentence in notices.sentences(edited, view.names)
        for line in render_paragraph(sentence, view.width, rest="  ", style="bad")
    ]


def render_headline(answer: Answer, width: int) -> list[Line]:
    """Return the headline of the protocol; empty where none was asked for."""
    if answer.protocol is None:
        return []
    texts: list[Line] = _import_words(answer).headline(answer, width)
    return texts


def _get_pairs(view: Presentation) -> list[list[Line]]:
    if view.answer.protocol is None:
        return [render_pairwise(view)]
    texts: list[list[Line]] = _import_words(view.answer).lines(view.answer, view.width)
    return texts


def _import_words(answer: Answer) -> ModuleType:
    """Import the words of the protocol that an answer has."""
    return import_module(find_protocol(answer.declared.protocol).words)


def _separate(parts: Iterable[list[Line]]) -> list[list[Line]]:
    present = [part for part in parts if part]
    return [part if i == 0 else [(), *part] for i, part in enumerate(present)]


def collect_findings(view: Presentation, called: Names) -> tuple[list[Finding], str]:
    """Return the findings, and what is said of those that are too many to be listed."""
    answer, judged = view.answer, view.answer.judged
    if view.leads_with_effects:
        return list(findings(answer)), ""
    if not judged:
        samples = primary(answer)
        sentences = [render_single(sample, called) for sample in samples[:MOST_FINDINGS]]
        return sentences, f"… and {len(samples) - MOST_FINDINGS} more" if len(samples) > MOST_FINDINGS else ""
    listed_comparisons = judged if len(judged) <= MOST_FINDINGS else _get_largest(judged)
    sentences = [
        render_finding(comparison, answer, called, view.shared_labels) for comparison in listed_comparisons
    ]
    return sentences, tally(judged) if len(listed_comparisons) < len(judged) else ""


def _render_findings(view: Presentation) -> list[Line]:
    sentences, omitted = collect_findings(view, view.names)
    width = view.width
    result: list[Line] = []
    for sentence in sentences:
        text = f"{sentence.claim}  ({sentence.evidence})" if sentence.evidence else sentence.claim
        if columns(text) <= width:
            result.append((Span(text, sentence.style),))
            continue
        # The evidence then has a line of its own.
        result += render_paragraph(sentence.claim, width, style=sentence.style, rest="  ", only_first=True)
        if sentence.evidence:
            result += render_paragraph(f"({sentence.evidence})", width, first="  ", rest="   ")
    return result + (render_paragraph(omitted, width, rest="  ") if omitted else [])


def _get_largest(judged: Sequence[Comparison]) -> list[Comparison]:
    """Return the resolved comparisons with the largest ratios, of many, in the order of the design."""
    sizes = {
        i: abs(comparison.speedup.log)
        for i, comparison in enumerate(judged)
        if not isinstance(comparison.speedup, Undefined) and comparison.verdict != "not_resolved"
    }
    chosen = sorted(sizes, key=lambda i: sizes[i], reverse=True)[:MOST_FINDINGS]
    return [judged[i] for i in sorted(chosen)]


def tally(judged: Sequence[Comparison]) -> str:
    """How many comparisons have which verdict, and what would have shown in any that is open."""
    counts = Counter(verdict(comparison)[0] for comparison in judged)
    text = ", ".join(f"{count} {word}" for word, count in counts.items())
    open_ = [
        comparison.resolvable
        for comparison in judged
        if comparison.verdict == "not_resolved" and comparison.resolvable is not None
    ]
    power = f"; every comparison could have detected {percent(max(open_))}" if open_ else ""
    return f"{len(judged)} comparisons: {text}{power}"


def caption(answer: Answer) -> str:
    """Return the metric, how it was measured, and what a speedup is."""
    design, metric = answer.design, answer.metric
    text = f"{printable(metric.name)} ({printable(metric.about)})" if metric.about else printable(metric.name)
    if design.order == "randomized-blocks":
        how = plural(design.blocks, "randomised block")
    else:
        runs = [sample.summary.n for sample in answer.samples if sample.metric.name == metric.name]
        from_to = f"{min(runs)} to " if min(runs) < max(runs) else ""
        how = f"{from_to}{plural(max(runs), 'run')} of each, one treatment after the other"
    ratio = f"; speedup: {_format_estimand(answer)}" if answer.judged and answer.protocol is None else ""
    suffix = f", {plural(design.contexts, name_unit(design))}" if design.contexts else ""
    again = f" in {design.passes} passes" if design.passes > 1 else ""
    text += ", simulated" if any(sample.provenance == "simulated" for sample in answer.samples) else ""
    stopped = f"; {sentence}" if (sentence := stopping(design)) else ""
    return f"{text}; {how}{suffix}{again}, seed {design.seed}{ratio}{stopped}"


def _format_estimand(answer: Answer) -> str:
    """Return the estimand, and the kind of interval if that was chosen."""
    declared, kind = answer.declared, answer.declared.interval
    if kind == "sign-flip" and not any(_by_signs(comparison) for comparison in answer.judged):
        kind = "log-delta"  # t stands in for signs that nobody drew, and where blocks are too few or many
    by = f", intervals by {INTERVAL_NAMES[kind]}" if kind else ""
    text = f" ({declared.quantile:g})" if declared.estimand == "quantile" else ""
    return ESTIMANDS[declared.estimand] + text + by


def _by_signs(comparison: Comparison) -> bool:
    ratio = comparison.speedup
    return not isinstance(ratio, Undefined) and ratio.kind.endswith("sign-flip")


MOST_LOOKS: Final = 6


def stopping(design: DesignFacts) -> str:
    """Empty where no stop rule looked, or the run goes on."""
    if design.target is None or design.reached is None or not design.looks:
        return ""
    if design.state not in ("complete", "precision_not_reached"):
        return ""
    texts = [str(blocks) for blocks in design.looks]
    if len(texts) > MOST_LOOKS:
        texts = [*texts[:2], "…", *texts[-2:]]
    at = join_names(texts, MOST_LOOKS)
    rule = " (strict)" if design.strict else ""
    over = ", over all of which p-values and intervals hold" if design.decided else ""
    if design.decided and design.until == "verdict":
        end = "ended at the verdict" if design.state == "complete" else "time was over before a verdict"
        wide = f"intervals reach at most {percent(design.reached)} to either side"
        return f"{end}, {wide}; looked at after {at} blocks{over}"
    return (
        f"intervals reach at most {percent(design.reached)} to either side, {percent(design.target)}"
        f" wanted{rule}; looked at after {at} blocks{over}"
    )
