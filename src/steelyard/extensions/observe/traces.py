"""Traces as text: for each event a row of bars a level, from the start of the run to its end."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Final

from steelyard.core.units import format_quantity
from steelyard.extensions.observe.results import Observation, Trace
from steelyard.report.text.label import plural, printable, shorten
from steelyard.report.text.line import Line, Span, render_paragraph
from steelyard.report.text.table import Column, table

_BARS: Final = " ▁▂▃▄▅▆▇█"
_LONGEST: Final = 20
"""Columns of the name of a level."""


def render_traces(observation: Observation, width: int) -> list[Line]:
    """Return what was traced; nothing where nothing was."""
    if not observation.traces:
        return []
    parts, runs = len(observation.traces[0].rates), max(trace.runs for trace in observation.traces)
    caption = (
        "Counts per second of CPU time, from a run's start to its end in"
        f" {plural(parts, 'equal part')}: means over {plural(runs, 'run')} of their own, read every"
        f" {observation.trace_ms} ms by perf stat, whose cost is in all of them. Bars from 0 to the"
        " highest of"
        " the event; s: standard deviation over runs, as a fraction of the mean, in the median part; differ:"
        " parts in which the level differs from no probe (t tests paired by block, Holm over all of the"
        " event)"
    )
    lines: list[Line] = [(), (Span("In the course of a run", "heading"),)]
    lines += render_paragraph(caption, width, rest="  ", style="dim")
    for event in dict.fromkeys(trace.event for trace in observation.traces):
        traces = [trace for trace in observation.traces if trace.event == event]
        lines += [(), *_examine_event(event, traces, observation.alpha, width)]
    uncounted = sum(trace.uncounted for trace in observation.traces)
    if uncounted:
        text = f"{plural(uncounted, 'trace')} left out: perf did not count the event all the time."
        lines += [(), *render_paragraph(text, width, rest="  ", style="dim")]
    return lines


def bars(rates: Sequence[float], highest: float) -> str:
    """One character a part; what is above 0 is seen to be."""
    steps = len(_BARS) - 1
    return "".join(
        _BARS[0 if rate <= 0 or highest <= 0 else max(1, min(steps, round(steps * rate / highest)))]
        for rate in rates
    )


def _examine_event(event: str, traces: Sequence[Trace], alpha: float, width: int) -> list[Line]:
    highest = max(max(trace.rates) for trace in traces)
    drawn = [Span(bars(trace.rates, highest) + "|") for trace in traces]
    columns = [
        Column.words("level", (shorten(printable(trace.level), _LONGEST) for trace in traces)),
        Column("start to end", drawn, right=False),
        Column.numbers("highest", (format_quantity(max(trace.rates), "1/s") for trace in traces)),
        Column.numbers("s", (_format_spread(trace) for trace in traces), give_way=1),
        Column.words("differ", (_format_differing(trace, alpha) for trace in traces)),
    ]
    return [(Span(event, "heading"),), *table(columns, width)]


def _format_spread(trace: Trace) -> str:
    if trace.s is None:
        return "–"
    shares = [s / rate for s, rate in zip(trace.s, trace.rates, strict=True) if rate > 0]
    return f"{100 * median(shares):.2g} %" if shares else "–"


def _format_differing(trace: Trace, alpha: float) -> str:
    if not trace.differences:
        return "–"
    numbers = trace.differing(alpha)
    return f"{len(numbers)} of {len(trace.rates)}" if numbers else "not resolved"
