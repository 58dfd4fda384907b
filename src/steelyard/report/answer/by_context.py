"""Contexts as figures of characters, and as data.

They are those of Mytkowicz et al. 2008 (DOI 10.1109/IPDPS.2008.4536408).

Figure 3: one treatment, its change from context to context with 95 % intervals. Figure 4: in how many
contexts which speedup was seen. Figure 5: the speedup of single contexts against that of all together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from steelyard.core.units import Scalar
from steelyard.report.text.digits import bounds, ratio
from steelyard.report.text.label import plural, printable, shorten
from steelyard.report.text.line import Line, Span
from steelyard.results.contexts import AcrossContexts, ByContext, ContextFinding, InContext, Profile
from steelyard.results.interval import Interval

_MOST: Final = 64
"""Contexts of a figure that has a row or a column for each."""
_BINS: Final = 12
_LABEL: Final = 26


def lines(result: ByContext, width: int = 80) -> list[Line]:
    """All three figures, as far as the record has them."""
    output: list[Line] = []
    for profile in result.profiles:
        output += [*([()] if output else []), *_render_changes(profile, width)]
    for finding in result.comparisons:
        output += [(), *_render_histogram(finding, width)]
    if result.comparisons:
        output += [(), *_render_streaks(result.comparisons, width)]
    return output


def _render_changes(profile: Profile, width: int) -> list[Line]:
    """Figure 3: a row for each context, in the order of its number where one varies."""
    varied = _list_varied([at.settings for at in profile.at])
    at = (
        sorted(profile.at, key=lambda context: context.settings[varied[0]])
        if len(varied) == 1
        else list(profile.at)
    )
    spans = [bound for at_context in at for bound in _compute_reach(at_context.ratio, at_context.interval)]
    room = width - _LABEL - 2
    chart = _Axis(min(spans), max(spans), room)
    name = f"{printable(profile.treatment.label)}: {profile.metric.name}"
    title = f"{name} by context, change against the mean of all"
    rows: list[Line] = [(Span(shorten(title, width), "heading"),)]
    for context in at[:_MOST]:
        text = (
            ", ".join(f"{name} {context.settings[name]}" for name in varied) or f"context {context.context}"
        )
        change = f"{100 * (context.ratio - 1):+.2f} %"
        label = f"{shorten(printable(text), _LABEL - 10):<{_LABEL - 10}} {change:>9}"
        rows.append((Span(label + " "), Span(chart.interval(context.ratio, context.interval))))
    if len(at) > _MOST:
        rows.append((Span(f"… and {plural(len(at) - _MOST, 'context')} more; --json has all.", "dim"),))
    return rows


def _render_histogram(finding: ContextFinding, width: int) -> list[Line]:
    """Figure 4: how many contexts saw which speedup; ``A`` is the one of all together."""
    across = finding.across
    speedups = [context.speedup for context in across.singles]
    if not speedups:  # too many to be told one by one
        return []
    low, high = min(speedups), max(speedups)
    step = (high - low) / _BINS if high > low else 1.0
    counts = [0] * _BINS
    for value in speedups:
        counts[min(_BINS - 1, int((value - low) / step))] += 1
    place = min(_BINS - 1, max(0, int((across.speedup - low) / step)))
    most = max(counts)
    rows: list[Line] = [(Span(shorten(f"{_pair_name(finding)}: contexts by speedup", width), "heading"),)]
    room = width - 24
    for i, count in enumerate(counts):
        mark = "A" if i == place else " "
        bar = "█" * math.ceil(room * count / most) if count else ""
        rows.append((Span(f"{low + i * step:8.4f} × {mark} {count:>4} "), Span(bar)))
    around = f" (95 % CI {bounds(across.speedup, across.interval)})" if across.interval else ""
    rows.append(
        (Span(f"A: all contexts together, {ratio(across.speedup, across.interval)} ×{around}", "dim"),)
    )
    return rows


def _render_streaks(result: Sequence[ContextFinding], width: int) -> list[Line]:
    """Figure 5: a streak for each comparison: single contexts along it, its interval and prediction below."""
    spans = [value for context_finding in result for value in _compute_extent(context_finding.across)]
    axis = _Axis(min(spans), max(spans), width - 16)
    rows: list[Line] = [(Span("Single contexts against all together", "heading"),)]
    for finding in result:
        rows.append((Span(shorten(_pair_name(finding), width)),))
        rows.append(
            (
                Span(f"{'single':<14}"),
                Span(axis.points([context.speedup for context in finding.across.singles])),
            )
        )
        for name, interval in (
            ("all, 95 % CI", finding.across.interval),
            ("the next one", finding.across.prediction),
        ):
            rows.append((Span(f"{name:<14}"), Span(axis.interval(finding.across.speedup, interval))))
        rows.append((Span(" " * 14 + _format_verdicts(finding.across.singles), "dim"),))
    rows.append((Span(f"{'':<14}{axis.low:.4g} ×{axis.high:.4g}".replace("×", "× … ") + " ×", "dim"),))
    return rows


def _format_verdicts(contexts: Sequence[InContext]) -> str:
    faster, slower = (
        sum(context.alone > 0 for context in contexts),
        sum(context.alone < 0 for context in contexts),
    )
    return f"{faster} of {len(contexts)} contexts alone would say faster, {slower} slower"


class _Axis:
    """Values to columns; ``|`` is where nothing changes."""

    def __init__(self, low: float, high: float, room: int) -> None:
        self.low, self.high, self._room = min(low, 1.0), max(high, 1.0), max(10, room)

    def _choose_column(self, value: float) -> int:
        span = self.high - self.low
        return round((value - self.low) / span * (self._room - 1)) if span else 0

    def interval(self, value: float, interval: Interval | None) -> str:
        """``----o----`` and the line of no change."""
        cells = [" "] * self._room
        if interval is not None:
            for column in range(self._choose_column(interval.low), self._choose_column(interval.high) + 1):
                cells[column] = "-"
        cells[self._choose_column(1.0)] = "|"
        cells[self._choose_column(value)] = "o"
        return "".join(cells).rstrip()

    def points(self, values: Sequence[float]) -> str:
        """One mark a value, ``#`` where several share a place."""
        cells = [" "] * self._room
        cells[self._choose_column(1.0)] = "|"
        for value in values:
            column = self._choose_column(value)
            cells[column] = "." if cells[column] in " |" else "#"
        return "".join(cells).rstrip()


def _list_varied(settings: Sequence[Mapping[str, Scalar]]) -> list[str]:
    return [name for name in settings[0] if len({setting.get(name) for setting in settings}) > 1]


def _compute_reach(value: float, interval: Interval | None) -> tuple[float, ...]:
    return (interval.low, interval.high) if interval else (value,)


def _compute_extent(across: AcrossContexts) -> tuple[float, ...]:
    return (
        *(context.speedup for context in across.singles),
        *_compute_reach(across.speedup, across.prediction),
    )


def _pair_name(finding: ContextFinding) -> str:
    return f"{printable(finding.treatment.label)} over {printable(finding.baseline.label)}"
