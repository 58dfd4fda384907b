"""Effects of contexts on each comparison: in the next one, between contexts, and within them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from steelyard.report.text.cells import note_omitted
from steelyard.report.text.digits import about, bounds, percent, probability, ratio
from steelyard.report.text.label import plural
from steelyard.report.text.line import Line, Span, render_paragraph
from steelyard.report.text.table import MOST_ROWS, Column, table

if TYPE_CHECKING:
    from steelyard.report.answer.words import Names
    from steelyard.results.analysis import Answer
    from steelyard.results.contexts import AcrossContexts, ContextFinding

MOST_SENTENCES: Final = 6


def lines(answer: Answer, called: Names, width: int) -> list[Line]:
    """Return a table of all comparisons, then what needs a sentence; nothing where there are no contexts."""
    findings = answer.contexts[:MOST_ROWS]
    if not findings:
        return []
    output = [
        *table(render_context_columns(findings, called), width),
        *note_omitted(len(answer.contexts) - MOST_ROWS),
    ]
    return [*output, *(line for text in sentences(findings, called) for line in _wrap(text, width))]


def render_context_columns(findings: Sequence[ContextFinding], called: Names) -> list[Column]:
    """Return the columns of these comparisons."""
    across = [finding.across for finding in findings]
    by, next_ = ("by machine", "next machine") if findings[0].machines else ("by context", "next context")
    columns = [
        Column.words(by, (called[finding.treatment.label] for finding in findings), is_name=True),
        *_render_against(findings, called),
        Column(f"{next_} (95 % PI)", [_render_prediction(contexts) for contexts in across], right=False),
        Column.numbers("faster", (_format_side(e.sides.faster, e.sides.faster_alone) for e in across)),
        Column.numbers("slower", (_format_side(e.sides.slower, e.sides.slower_alone) for e in across)),
    ]
    if any(contexts.components for contexts in across):
        columns += [
            Column.numbers(
                "SD between", (_format_share(contexts.interaction) for contexts in across), give_way=1
            ),
            Column.numbers("SD within", (_format_share(contexts.noise) for contexts in across), give_way=2),
        ]
    return columns


def _render_against(findings: Sequence[ContextFinding], called: Names) -> list[Column]:
    if len({finding.baseline.id for finding in findings}) == 1:
        return []
    return [Column.words("against", (called[finding.baseline.label] for finding in findings), is_name=True)]


def _render_prediction(across: AcrossContexts) -> Span:
    if across.prediction is None:
        return Span("–")
    return Span(bounds(across.speedup, across.prediction))


def _format_side(count: int, alone: int | None) -> str:
    return str(count) if alone is None else f"{count} ({alone})"


def _format_share(log_s: float | None) -> str:
    return "–" if log_s is None else percent(log_s)


def sentences(findings: Sequence[ContextFinding], called: Names) -> list[str]:
    """Return what needs a sentence."""
    if findings[0].machines is not None:
        from steelyard.report.answer import machines

        return machines.tell_machines(findings[:MOST_SENTENCES], called)
    texts = [
        text
        for finding in findings[:MOST_SENTENCES]
        for text in (
            _format_middle(finding, called),
            _format_bootstrap(finding, called),
            _format_interaction(finding, called),
            _split(finding, called),
            _rank(finding, called),
        )
        if text
    ]
    first = findings[0].across
    if first.components is None:
        texts.append(
            "Each context was visited only once, so its effect cannot be separated from noise;"
            " set passes = 3 in a spec's [contexts]."
        )
    else:
        texts.append("In parentheses: contexts whose own 95 % interval confirms it.")
    return texts


def _name_treatment(finding: ContextFinding, called: Names) -> str:
    return f"{called[finding.treatment.label]} against {called[finding.baseline.label]}"


def _format_middle(finding: ContextFinding, called: Names) -> str:
    middle, across = finding.across.robust, finding.across
    if middle is None or not middle.mean_differs:
        return ""
    trimmed = ratio(middle.trimmed, middle.trimmed_interval)
    interval = f" ({bounds(middle.trimmed, middle.trimmed_interval)})" if middle.trimmed_interval else ""
    return (
        f"{_name_treatment(finding, called)}: a few contexts dominate the mean of"
        f" {ratio(across.speedup, across.interval)};"
        f" without the extreme fifths the mean is {trimmed}{interval}, the median"
        f" {ratio(middle.median, middle.median_interval or middle.trimmed_interval)}."
    )


def _format_bootstrap(finding: ContextFinding, called: Names) -> str:
    t, drawn = finding.across.interval, finding.across.bootstrap
    if t is None or drawn is None or t.excludes(1) == drawn.excludes(1):
        return ""
    return (
        f"{_name_treatment(finding, called)}: the bootstrap over contexts gives"
        f" {bounds(finding.across.speedup, drawn)} and"
        " disagrees with t; the shape of the distribution decides."
    )


def _format_interaction(finding: ContextFinding, called: Names) -> str:
    components, common = finding.across.components, finding.across.common
    if components is None or components.p is None:
        return ""
    from steelyard.stats.contexts.finding import SEEN

    moves = "change" if components.p < SEEN else "show no effect on"
    both = f"; they change both commands alike by s = {percent(common)}" if common else ""
    return (
        f"{_name_treatment(finding, called)}: contexts {moves} the ratio ({_format_p(components.p)}){both}."
    )


def _format_p(p: float) -> str:
    text = probability(p)
    return f"p {text[0]} {text[1:]}" if text.startswith("<") else f"p = {text}"


def _split(finding: ContextFinding, called: Names) -> str:
    split = finding.split
    if split is None:
        return ""
    runs = f"{split.runs} runs of each" if split.runs > 1 else "one run of each"
    return (
        f"{_name_treatment(finding, called)}: a half-width of {percent(split.rel_halfwidth)} is cheapest"
        f" with {runs} in"
        f" {plural(split.contexts, 'context')}, each visited once{about(split.seconds)}."
    )


def _rank(finding: ContextFinding, called: Names) -> str:
    rank = finding.across.default_rank
    if rank is None:
        return ""
    return (
        f"{_name_treatment(finding, called)}: the default context ranks {rank} of"
        f" {finding.across.contexts} (1 = best)."
    )


def _wrap(text: str, width: int) -> list[Line]:
    return render_paragraph(text, width, first="- ", rest="  ")
