"""A bisection as text: the commits that may have made the change, and what was measured."""

from __future__ import annotations

from typing import Final

from steelyard.extensions.bisect.results import Bisection, Likeness
from steelyard.extensions.repository.layouts import LAYOUT
from steelyard.report.text.change import SIGNS, relative, short_hash
from steelyard.report.text.digits import bounds, factor, percent, probability, ratio, share
from steelyard.report.text.label import plural, printable
from steelyard.report.text.line import Line, Span, render_paragraph
from steelyard.report.text.table import MOST_ROWS, Column, table

_LIKE: Final[dict[Likeness, str]] = {
    "good": "like good",
    "bad": "like bad",
    "between": "like neither",
    "open": "open",
}


def lines(bisection: Bisection, width: int = 80) -> list[Line]:
    """Return the answer, the candidates, what was measured, and what could not be."""
    if bisection.resolvable is not None:
        return _render_equal(bisection, width)
    sign, style = SIGNS[bisection.direction] if bisection.is_named else ("?", "open")
    out = render_paragraph(_answer(bisection, sign), width, style=style, rest="  ", only_first=True)
    for candidate in bisection.candidates[:MOST_ROWS]:
        text = (
            f"{short_hash(candidate.commit)}  {share(candidate.probability):>5}"
            f"  {printable(candidate.subject)}"
        )
        out += render_paragraph(text, width, first="  ", rest=" " * 21)
    if len(bisection.candidates) > MOST_ROWS:
        out.append((Span(f"  … and {len(bisection.candidates) - MOST_ROWS} more; --json has all."),))
    return [*out, (), *_test(bisection, width), *_render_notes(bisection, width)]


def _render_equal(bisection: Bisection, width: int) -> list[Line]:
    size = f"{ratio(bisection.ratio, bisection.ci95)} × (95 % CI {bounds(bisection.ratio, bisection.ci95)})"
    if bisection.refused:
        text = (
            f"? {bisection.metric.name} of {printable(bisection.program)}: {short_hash(bisection.good)} and"
            f" {short_hash(bisection.bad)} are not judged, {size}, {plural(bisection.end_blocks, 'block')}:"
            " slow or failed runs of one, whose share is not known, decide. No search was made."
        )
        return render_paragraph(text, width, style="open", rest="  ", only_first=True)
    text = (
        f"? {bisection.metric.name} of {printable(bisection.program)}: {short_hash(bisection.bad)} is not"
        " seen to differ from"
        f" {short_hash(bisection.good)}, {size}, {plural(bisection.end_blocks, 'block')}, p ="
        f" {probability(bisection.p)};"
        f" {percent(bisection.resolvable or 0.0)} would probably have been detected"
        f" {_name_builds(bisection)}. No search was made."
    )
    return render_paragraph(text, width, style="open", rest="  ", only_first=True)


def _answer(bisection: Bisection, sign: str) -> str:
    change = (
        f"{bisection.metric.name} of {printable(bisection.program)}:"
        f" {relative(bisection.ratio, bisection.ci95)} from"
        f" {short_hash(bisection.good)} to {short_hash(bisection.bad)},"
        f" {plural(bisection.commits, 'commit')}, {_name_builds(bisection)}"
    )
    if not bisection.is_named:
        return f"? {change}; {_format_doubt(bisection)}"
    sure = (
        f"({share(bisection.probability)} sure, {'over layouts' if bisection.layouts else 'one build each'})"
    )
    text = (
        f"{short_hash(bisection.candidates[0].commit)} made it {sure}:"
        if len(bisection.candidates) == 1
        else f"one of these {len(bisection.candidates)} commits made it {sure}:"
    )
    return f"{sign} {change}; {text}"


def _name_builds(bisection: Bisection) -> str:
    """Whose the interval of both ends is."""
    return f"over {plural(bisection.layouts, 'layout')}" if bisection.layouts else "of these two builds"


def _format_doubt(bisection: Bisection) -> str:
    """Why no commit is named."""
    if bisection.layouts:
        builds = "blocks with drawn layouts do not tell the commits apart"
        return _suspect(bisection, builds)
    builds = f"builds of one source differ by about {percent(bisection.between_builds or 0.0)} here"
    if not bisection.tested:
        builds = "no build between them shows how much builds of one source differ"
    return _suspect(bisection, builds)


def _suspect(bisection: Bisection, builds: str) -> str:
    if not bisection.candidates:
        return f"no commit is named: {builds}."
    text = (
        "this commit is"
        if len(bisection.candidates) == 1
        else f"these {len(bisection.candidates)} commits are"
    )
    return (
        f"not resolved: {builds}, so that no commit may have made it"
        f" ({share(bisection.no_change or 0.0)} probable). If one did, {text} suspected:"
    )


def _test(bisection: Bisection, width: int) -> list[Line]:
    tested = bisection.tested
    columns = [
        Column.words("commit", (short_hash(commit.commit) for commit in tested)),
        Column.numbers("blocks", (str(commit.blocks) for commit in tested)),
        Column.numbers("× good", (factor(test.ratio, 4) for test in tested)),
        Column.words("behaves", (_LIKE[commit.like] for commit in tested)),
    ]
    ends = f"{plural(bisection.end_blocks, 'block')} of both ends, each commit in blocks with both"
    return [*table(columns, width), *render_paragraph(ends, width, style="dim")] if tested else []


def _render_notes(bisection: Bisection, width: int) -> list[Line]:
    texts = [
        f"{short_hash(commit.commit)} is skipped: {printable(commit.why)}" for commit in bisection.skipped
    ]
    between = [short_hash(commit.commit) for commit in bisection.tested if commit.like == "between"]
    if between:
        texts.append(
            f"{', '.join(between)}: differs from both ends: more than one commit changed the program;"
            " search both sides again."
        )
    if bisection.is_named and bisection.between_builds is not None and bisection.tested:
        texts.append(
            f"Builds of one source differ by about {percent(bisection.between_builds)}; that is allowed for,"
            " if they differ as normal values do. If layout makes some fast and some slow: --build with"
            f" {LAYOUT} links each block anew."
        )
    if bisection.ended_early:
        texts.append("The search ended before the answer was as small as it can get.")
    return (
        [(), *(line for text in texts for line in render_paragraph(text, width, first="- ", rest="  "))]
        if texts
        else []
    )
