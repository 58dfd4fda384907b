"""The outcome of ``compare --null`` as text."""

from __future__ import annotations

import math
from typing import Final

from steelyard.extensions.null.results import NullResult, Tally, Way
from steelyard.report.text.digits import factor, percent
from steelyard.report.text.label import printable, shorten
from steelyard.report.text.line import Line, Span, Style, render_paragraph
from steelyard.report.text.table import Column, table
from steelyard.results.interval import Interval
from steelyard.stats.compare.slow_mode import runs_to_trust

WAYS: Final[dict[Way, str]] = {
    "blocks": "randomised blocks",
    "sequential": "one command after the other",
    "contexts": "equal contexts",
    "one_context": "one context",
}

_VAGUE: Final = 3
"""An interval that reaches so many times what was promised tells nothing of the promise."""

_BOTH_ARMS: Final = {"itself": "against itself", "layout": "under two paths drawn at random"}


def lines(result: NullResult, width: int = 80) -> list[Line]:
    """Return the finding in words, the table, and what the second row is for."""
    ours, tally = result.tallies
    output: list[Line] = [
        line
        for text, style in (_get_finding(ours, result), _place_beside(tally, result))
        for line in render_paragraph(text, width, style=style, rest="  ", only_first=True)
    ]
    if ours.margin is not None:
        summary = (
            f"This machine resolves {percent(ours.margin)}: with that margin (under [analysis]), 9 of 10"
            f" intervals of this size lie inside of it{_format_wait(ours.margin, result.blocks)}."
        )
        output += render_paragraph(summary, width, rest="  ")
    noun = (
        f"{shorten(printable(result.command), 40)} {_BOTH_ARMS[result.kind]}; {result.blocks} runs of each"
        f" a comparison, level {percent(result.alpha)}, seed {result.seed}"
    )
    caption: list[Line] = render_paragraph(noun, width, style="dim")
    ending: list[Line] = []
    if result.interrupted:
        ending.append((Span(f"interrupted; {result.target} comparisons were wanted", "open"),))
    if result.out_of_time:
        ending.append((Span(f"out of time; {result.target} comparisons were wanted", "open"),))
    if result.kind == "layout":
        remark = 'Link orders are not varied here: code = "random" in the [contexts] of a spec draws them.'
        ending += render_paragraph(remark, width, style="dim")
    return [*output, (), *caption, *_render_table(result, width), *([(), *ending] if ending else [])]


def _format_wait(margin: float, blocks: int) -> str:
    """Say from which number of blocks on equal programs are called equivalent, where it is larger."""
    needed = runs_to_trust(math.log1p(margin))
    text = f"; from about {needed} blocks on, which would show slow runs, equal programs are equivalent"
    return text if needed > blocks else ", and equal programs are found equivalent"


def _get_finding(tally: Tally, result: NullResult) -> tuple[str, Style]:
    interval = tally.ci95
    if interval is None:
        return "Steelyard's way: no comparison ended", "open"
    text = (
        f"Steelyard's way called the program different from itself in {tally.different} of"
        f" {tally.comparisons} comparisons, {_format_share(tally)} (exact 95 % interval"
        f" {_format_bounds(interval)})"
    )
    promise = f"promised ({percent(result.alpha)})"
    if interval.low > result.alpha:
        return f"{text}, more often than {promise}: a difference found here may not exist.", "bad"
    if interval.high < result.alpha:
        return (
            f"{text}, less often than {promise}: it misses some differences and reports no false ones.",
            "good",
        )
    if interval.high > _VAGUE * result.alpha:
        return f"{text}: too few to tell whether that is what was {promise}.", "open"
    return f"{text}, as {promise}.", "good"


def _place_beside(tally: Tally, result: NullResult) -> tuple[str, Style]:
    interval = tally.ci95
    if interval is None:
        return f"{WAYS[tally.way].capitalize()}: no comparison ended", "open"
    ratio = tally.largest_ratio
    largest = f", once by {factor(ratio)} ×" if ratio is not None and tally.different else ""
    how = (
        "one after the other, as usual"
        if result.kind == "itself"
        else "in one context, with two paths of different length"
    )
    return (
        f"Run {how}, it was called different in {_format_share(tally)} of {tally.comparisons}{largest}.",
        "bad" if interval.low > result.alpha else "",
    )


def _render_table(result: NullResult, width: int) -> list[Line]:
    tallies = result.tallies
    return table(
        [
            Column.words("comparison", (WAYS[tally.way] for tally in tallies), is_name=True),
            Column.numbers("different", (f"{tally.different} of {tally.comparisons}" for tally in tallies)),
            Column.numbers("fraction", (_format_share(tally) for tally in tallies)),
            Column.numbers(
                "exact 95 % CI", (_format_bounds(tally.ci95) if tally.ci95 else "–" for tally in tallies)
            ),
            Column.numbers(
                "largest ratio",
                (f"{factor(tally.largest_ratio, 4)} ×" if tally.largest_ratio else "–" for tally in tallies),
                give_way=1,
            ),
        ],
        width,
    )


def _format_share(tally: Tally) -> str:
    return "–" if tally.share is None else f"{100 * tally.share:.1f} %"


def _format_bounds(interval: Interval) -> str:
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f} %"
