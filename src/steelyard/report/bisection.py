"""A bisection as text: the commits that may have made the change, and what was measured."""

from __future__ import annotations

from typing import Final

from steelyard.answers.bisection import Bisection, Likeness
from steelyard.report.history.words import SIGNS, relative, short
from steelyard.report.text.digits import percent, probability, ratio, share
from steelyard.report.text.label import counted, printable
from steelyard.report.text.line import Line, Span, paragraph
from steelyard.report.text.table import MOST_ROWS, Column, table

_LIKE: Final[dict[Likeness, str]] = {
    "good": "like good",
    "bad": "like bad",
    "between": "like neither",
    "open": "open",
}


def lines(found: Bisection, width: int = 80) -> list[Line]:
    """Return the answer, the candidates, what was measured, and what could not be."""
    if found.resolvable is not None:
        return _equal(found, width)
    sign, style = SIGNS[found.direction] if found.is_named else ("?", "open")
    out = paragraph(_answer(found, sign), width, style=style, rest="  ", only_first=True)
    for each in found.candidates[:MOST_ROWS]:
        said = f"{short(each.commit)}  {share(each.probability):>5}  {printable(each.subject)}"
        out += paragraph(said, width, first="  ", rest=" " * 21)
    if len(found.candidates) > MOST_ROWS:
        out.append((Span(f"  … and {len(found.candidates) - MOST_ROWS} more; --json has all."),))
    return [*out, (), *_tested(found, width), *_notes(found, width)]


def _equal(found: Bisection, width: int) -> list[Line]:
    bounds = f"{ratio(found.ratio, found.ci95)} × (95 % CI {found.ci95.low:.4g} to {found.ci95.high:.4g})"
    text = (
        f"? {found.metric.name} of {printable(found.program)}: {short(found.bad)} is not seen to differ from"
        f" {short(found.good)}, {bounds}, {counted(found.end_blocks, 'block')}, p = {probability(found.p)};"
        f" {percent(found.resolvable or 0.0)} would probably have been detected. Nothing was searched for."
    )
    return paragraph(text, width, style="open", rest="  ", only_first=True)


def _answer(found: Bisection, sign: str) -> str:
    change = (
        f"{found.metric.name} of {printable(found.program)}: {relative(found.ratio, found.ci95)} from"
        f" {short(found.good)} to {short(found.bad)}, {counted(found.commits, 'commit')}"
    )
    if not found.is_named:
        return f"? {change}; {_doubt(found)}"
    sure = f"({share(found.probability)} sure)"
    which = (
        f"{short(found.candidates[0].commit)} made it {sure}:"
        if len(found.candidates) == 1
        else f"one of these {len(found.candidates)} commits made it {sure}:"
    )
    return f"{sign} {change}; {which}"


def _doubt(found: Bisection) -> str:
    """Why no commit is named."""
    builds = f"builds of one source differ by about {percent(found.between_builds or 0.0)} here"
    if not found.tested:
        builds = "no build between them shows how much builds of one source differ"
    if not found.candidates:
        return f"no commit is named: {builds}."
    which = "this commit is" if len(found.candidates) == 1 else f"these {len(found.candidates)} commits are"
    return (
        f"not resolved: {builds}, so that no commit may have made it"
        f" ({share(found.no_change or 0.0)} probable). If one did, {which} suspected:"
    )


def _tested(found: Bisection, width: int) -> list[Line]:
    shown = found.tested
    columns = [
        Column("commit", [Span(short(each.commit)) for each in shown], right=False),
        Column("blocks", [Span(str(each.blocks)) for each in shown]),
        Column("× good", [Span(f"{each.ratio:.4g}") for each in shown]),
        Column("behaves", [Span(_LIKE[each.like]) for each in shown], right=False),
    ]
    ends = f"{counted(found.end_blocks, 'block')} of both ends, each commit in blocks with both"
    return [*table(columns, width), *paragraph(ends, width, style="dim")] if shown else []


def _notes(found: Bisection, width: int) -> list[Line]:
    said = [f"{short(each.commit)} is skipped: {printable(each.why)}" for each in found.skipped]
    between = [short(each.commit) for each in found.tested if each.like == "between"]
    if between:
        said.append(
            f"{', '.join(between)}: differs from both ends: more than one commit changed the program;"
            " search both sides again."
        )
    if found.is_named and found.between_builds is not None and found.tested:
        said.append(
            f"Builds of one source differ by about {percent(found.between_builds)}; that is allowed for."
        )
    if found.ended_early:
        said.append("The search ended before the answer was as small as it can get.")
    return (
        [(), *(line for text in said for line in paragraph(text, width, first="- ", rest="  "))]
        if said
        else []
    )
