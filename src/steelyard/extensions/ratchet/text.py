"""A ledger as text: what became of the last change, what is the best, and by how much."""

from __future__ import annotations

from typing import Final

from steelyard.extensions.ratchet.results import Attempt, Ledger, Outcome
from steelyard.report.text.change import short_hash
from steelyard.report.text.digits import bounds, factor, percent, probability, ratio
from steelyard.report.text.label import plural, printable
from steelyard.report.text.line import Line, render_paragraph

_SIGNS: Final[dict[Outcome, str]] = {
    "faster": "✓",
    "not_confirmed": "?",
    "not_faster": "–",
    "failed": "✗",
    "abandoned": "–",
    "open": "…",
}


def list_attempt(ledger: Ledger, width: int = 80) -> list[Line]:
    """Return the last attempt, and the best so far."""
    return [*_format_attempt(ledger.attempts[-1], width), *_describe_standing(ledger, width)]


def list_ledger(ledger: Ledger, width: int = 80) -> list[Line]:
    """All attempts, and the best so far."""
    return [
        *(line for attempt in ledger.attempts for line in _format_attempt(attempt, width)),
        *_describe_standing(ledger, width),
    ]


def _format_attempt(attempt: Attempt, width: int) -> list[Line]:
    note = f" ({printable(attempt.note)})" if attempt.note else ""
    change = f"{_SIGNS[attempt.outcome]} {attempt.number}  {short_hash(attempt.commit)}{note}"
    text = f"{change}: {_describe_attempt(attempt)}"
    return render_paragraph(text, width, rest="    ")


def _describe_attempt(attempt: Attempt) -> str:
    match attempt.outcome:
        case "faster":
            gain = _format_gain(attempt.confirmed_gain)
            return f"faster, {gain} in fresh runs, {_test(attempt)}: the best from now on"
        case "not_confirmed":
            first, fresh = _format_gain(attempt.gain), _format_gain(attempt.confirmed_gain)
            return f"{first} at first, {fresh} in fresh runs, {_test(attempt)}"
        case "not_faster":
            return f"not faster ({_format_gain(attempt.gain)})"
        case "failed":
            return f"failed: {printable(attempt.why)}"
        case "abandoned":
            return "given up before it was judged"
        case "open":
            return "not judged yet: the same command goes on"


def _format_gain(gain: float | None) -> str:
    return "no gain measured" if gain is None else f"{factor(gain, 4)} × the speed"


def _test(attempt: Attempt) -> str:
    p, level = attempt.p or 0.0, attempt.level or 0.0
    return f"p = {probability(p)}, at most {level:.2g} wanted of test {attempt.test}"


def _describe_standing(ledger: Ledger, width: int) -> list[Line]:
    wins = len(ledger.discoveries)
    text = (
        f"{plural(len(ledger.attempts), 'change')} tried, {plural(wins, 'win')}; the best is"
        f" {short_hash(ledger.best)}. Of all wins, {percent(ledger.error)} at most are expected to be false;"
        f" a win is faster by more than {percent(ledger.margin)}."
    )
    lines = [(), *render_paragraph(text, width)]
    for total in ledger.totals:
        words = (
            f"{short_hash(total.best)} has {ratio(total.gain, total.ci95)} × the speed of"
            f" {short_hash(ledger.start)} (95 % CI {bounds(total.gain, total.ci95)},"
            f" {plural(total.blocks, 'fresh block')})."
        )
        lines += render_paragraph(words, width)
    if wins and (not ledger.totals or ledger.totals[-1].best != ledger.best):
        lines += render_paragraph(
            "Gains of wins are too large on average: steelyard ratchet total measures the whole.", width
        )
    return lines
