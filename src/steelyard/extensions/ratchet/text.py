"""A ledger as text: what became of the last change, what is the best, and by how much."""

from __future__ import annotations

from typing import Final

from steelyard.extensions.ratchet.builds import (
    count_missing,
    draws_layouts,
    estimate_spread,
    is_of_two_builds,
)
from steelyard.extensions.ratchet.results import Attempt, Ledger, Outcome
from steelyard.extensions.repository.layouts import LAYOUT
from steelyard.report.text.change import short_hash
from steelyard.report.text.digits import bounds, factor, percent, probability, ratio
from steelyard.report.text.label import plural, printable
from steelyard.report.text.line import Line, render_paragraph

_SIGNS: Final[dict[Outcome, str]] = {
    "faster": "✓",
    "not_confirmed": "?",
    "not_faster": "–",
    "unproven": "?",
    "failed": "✗",
    "abandoned": "–",
    "open": "…",
}


def list_attempt(ledger: Ledger, width: int = 80) -> list[Line]:
    """Return the last attempt, and the best so far."""
    return [*_format_attempt(ledger, ledger.attempts[-1], width), *_describe_standing(ledger, width)]


def list_ledger(ledger: Ledger, width: int = 80) -> list[Line]:
    """All attempts, and the best so far."""
    return [
        *(line for attempt in ledger.attempts for line in _format_attempt(ledger, attempt, width)),
        *_describe_standing(ledger, width),
    ]


def _format_attempt(ledger: Ledger, attempt: Attempt, width: int) -> list[Line]:
    note = f" ({printable(attempt.note)})" if attempt.note else ""
    change = f"{_SIGNS[attempt.outcome]} {attempt.number}  {short_hash(attempt.commit)}{note}"
    text = f"{change}: {_describe_attempt(ledger, attempt)}"
    return render_paragraph(text, width, rest="    ")


def _describe_attempt(ledger: Ledger, attempt: Attempt) -> str:
    match attempt.outcome:
        case "faster" | "not_confirmed":
            return _describe_confirmation(ledger, attempt)
        case "unproven":
            gain = _format_gain(attempt.gain)
            return f"{gain}, of these two builds: another build of one source may be as fast"
        case "not_faster":
            return f"not faster ({_format_gain(attempt.gain)})"
        case "failed":
            return f"failed: {printable(attempt.why)}"
        case "abandoned":
            return "given up before it was judged"
        case "open":
            return "not judged yet: the same command goes on"


def _describe_confirmation(ledger: Ledger, attempt: Attempt) -> str:
    gain = _format_gain(attempt.confirmed_gain)
    runs = "drawn layouts" if draws_layouts(ledger) else "runs"
    fresh = f"{gain} in fresh {runs}, {_test(attempt)}{_format_builds(attempt.build_sd)}"
    if attempt.outcome == "faster":
        return f"faster, {fresh}: the best from now on"
    why = f"; {attempt.why}" if attempt.why else ""
    return f"{_format_gain(attempt.gain)} at first, {fresh}{why}"


def _format_gain(gain: float | None) -> str:
    return "no gain measured" if gain is None else f"{factor(gain, 4)} × the speed"


def _format_builds(build_sd: float | None) -> str:
    """Say what a gain of two builds allows for."""
    return "" if build_sd is None else f"; of these two builds, which differ by {percent(build_sd)} (SD)"


def _test(attempt: Attempt) -> str:
    p, level = attempt.p or 0.0, attempt.level or 0.0
    return f"p = {probability(p)}, at most {level:.2g} wanted of test {attempt.test}"


def _describe_standing(ledger: Ledger, width: int) -> list[Line]:
    wins = len(ledger.discoveries)
    text = (
        f"{plural(len(ledger.attempts), 'change')} tried, {plural(wins, 'win')}; the best is"
        f" {short_hash(ledger.best)}. Of all wins, {percent(ledger.error)} at most are expected to be false"
        f" {_name_scope(ledger)}; a win is faster by more than {percent(ledger.margin)}."
    )
    lines = [(), *render_paragraph(text, width)]
    if is_of_two_builds(ledger):
        lines += render_paragraph(_describe_builds(ledger), width)
    for total in ledger.totals:
        interval = "no interval" if total.ci95 is None else f"95 % CI {bounds(total.gain, total.ci95)}"
        blocks = plural(total.blocks, "fresh layout" if draws_layouts(ledger) else "fresh block")
        words = (
            f"{short_hash(total.best)} has {ratio(total.gain, total.ci95)} × the speed of"
            f" {short_hash(ledger.start)} ({interval}, {blocks}{_format_builds(total.build_sd)})."
        )
        lines += render_paragraph(words, width)
    if wins and (not ledger.totals or ledger.totals[-1].best != ledger.best):
        lines += render_paragraph(
            "Gains of wins are too large on average: steelyard ratchet total measures the whole.", width
        )
    return lines


def _name_scope(ledger: Ledger) -> str:
    """Over what the error rate is."""
    if draws_layouts(ledger):
        return "over drawn layouts"
    return "over builds" if is_of_two_builds(ledger) else "over blocks"


def _describe_builds(ledger: Ledger) -> str:
    """Say what builds of one source add, where each change is one build."""
    cure = f"--build with {LAYOUT} draws one for each block"
    spread = estimate_spread(ledger.attempts)
    if spread is None:
        missing = plural(count_missing(ledger.attempts), "more change")
        return (
            f"Each change is one build, whose layout may be a lucky one: {missing} will show by how much"
            f" builds differ, and then changes can win; {cure}."
        )
    return (
        f"Each change is one build, whose layout may be a lucky one: {spread.builds} builds here differ by"
        f" {percent(spread.sd)} (SD), and a win has to be faster than that explains; {cure}."
    )
