"""Warnings and limitations in few lines: those that touch a verdict first, shared ones once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from steelyard.core.units import Scalar
from steelyard.report.answer.sentences import format_notice
from steelyard.report.answer.words import Names
from steelyard.report.text.label import plural, shorten
from steelyard.report.text.line import Line, Span, render_paragraph
from steelyard.results.notice import Kind, Notice

_DESCRIPTIVE: Final[tuple[Kind, ...]] = (
    "trend",
    "bimodal",
    "dominated",
    "instance_carries",
    "outliers",
    "resolution",
)
"""About values of one treatment, which comparisons and effects stand anyway: they come last."""
_HARMLESS: Final[frozenset[Kind]] = frozenset({"outliers", "resolution"})
"""Changes nothing that a reader of the answer does."""
MOST: Final = 3
"""Cautions of an answer that is not asked for details."""
_COMMON: Final[frozenset[Kind]] = frozenset({"outliers", "bimodal", "dominated", "slow_mode", "failures"})
"""Made for each treatment, and said once for all of them: with the range of their numbers."""
_BOUNDS: Final = frozenset({"low", "high"})
"""Of an interval, so that the lowest and the highest of several notices hold for all of them."""
_FIRST_REASON: Final = 50
"""Characters of the first of several reasons."""
_FEW: Final = 3
"""Treatments that failed and are still told one by one."""


def lines(title: str, notices: Sequence[Notice], called: Names, width: int) -> list[Line]:
    """Return a list under its title; empty without notices."""
    if not notices:
        return []
    output: list[Line] = [(Span(title, "heading"),)]
    for sentence in sentences(notices, called):
        output += render_paragraph(sentence, width, first="- ", rest="  ")
    return output


def brief(notices: Sequence[Notice], called: Names, width: int) -> list[Line]:
    """Return the gravest as a list without a title, and all failures; where there are more, how many."""
    telling = sentences([notice for notice in notices if notice.kind not in _HARMLESS], called)
    failures = sentences([notice for notice in notices if notice.kind == "failures"], called)
    most = max(MOST, max((telling.index(text) + 1 for text in failures), default=0))
    count = len(sentences(notices, called)) - len(telling[:most])
    output: list[Line] = []
    for sentence in telling[:most]:
        output += render_paragraph(sentence, width, first="- ", rest="  ")
    if count and output:
        output.append((Span(f"- … and {count} more: --details", "dim"),))
    return output


def sentences(notices: Sequence[Notice], called: Names) -> list[str]:
    """One for each kind of notice, or for each notice where they differ in more than numbers."""
    kinds = dict.fromkeys(notice.kind for notice in notices)
    by_kind = {kind: [notice for notice in notices if notice.kind == kind] for kind in kinds}
    ordered = sorted(kinds, key=lambda kind: _DESCRIPTIVE.index(kind) + 1 if kind in _DESCRIPTIVE else 0)
    return [sentence for kind in ordered for sentence in _format_kind(by_kind[kind], called)]


def _format_kind(alike: Sequence[Notice], called: Names) -> list[str]:
    kind = alike[0].kind
    apart = kind not in _COMMON or len(alike) == 1 or (kind == "failures" and len(alike) <= _FEW)
    if apart:
        return [format_notice(notice, called) for notice in alike]
    labels = tuple(label for notice in alike for label in notice.treatments)
    shared = [key for key in alike[0].fields if all(key in notice.fields for notice in alike)]
    values = {key: [notice.fields[key] for notice in alike] for key in shared}
    texts = {key: entries[0] for key, entries in values.items() if isinstance(entries[0], str)}
    if (surplus := len({*values.get("reason", ())}) - 1) > 0:
        texts["reason"] = f"{shorten(texts['reason'], _FIRST_REASON)} (and {plural(surplus, 'other reason')})"
    ends = {key: _compute_ends(entries) for key, entries in values.items() if key not in texts}
    numbers = {key: high if key == "high" else low for key, (low, high) in ends.items()}
    lowest = Notice(kind, labels, {**numbers, **texts})
    ranges = {key: high for key, (low, high) in ends.items() if high != low and key not in _BOUNDS}
    return [format_notice(lowest, called, up_to=ranges)]


def _compute_ends(values: Sequence[Scalar]) -> tuple[float, float]:
    numbers = [value if isinstance(value, int | float) else float(value) for value in values]
    return min(numbers), max(numbers)
