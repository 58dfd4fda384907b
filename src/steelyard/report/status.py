"""The status of an experiment as text: progress, failures, time left, and the process that runs it."""

from __future__ import annotations

from steelyard.core.units import format_duration
from steelyard.report.text.digits import percent
from steelyard.report.text.label import join_names, plural, printable
from steelyard.report.text.line import Line, plain, render_paragraph
from steelyard.results.status import State, Status, Statuses

_WORDS: dict[State, str] = {
    "planned": "nothing has run yet",
    "running": "running",
    "interrupted": "interrupted; `steelyard run` continues it",
    "complete": "complete",
    "precision_not_reached": "ended before the requested precision was reached",
    "failed": "stopped by an error; `steelyard run` continues it once that is cured",
}


def render(status: Status, width: int = 80) -> str:
    """Render as plain text."""
    return plain(lines(status, width))


def lines(status: Status, width: int = 80) -> list[Line]:
    """Line by line."""
    facts = {
        "blocks": _format_blocks(status),
        "runs": f"{status.trials_done:,}, {_describe_failures(status)}",
        "precision": _format_precision(status),
        "time": _format_time(status),
        "locked by": _format_holder(status),
        "measured": f"by Steelyard {printable(', then '.join(status.versions))}" if status.versions else "",
        "record": printable(status.record),
    }
    head = f"{printable(status.experiment)}: {_WORDS[status.state]}"
    output: list[Line] = []
    if status.edited:
        text = f"The record was {printable(status.edited)}: nothing is judged by it."
        output += render_paragraph(text, width, style="bad")
    output += render_paragraph(head, width, rest="  ", style="heading")
    for title, fact in facts.items():
        if fact:
            output += render_paragraph(fact, width, first=f"  {title:<11}", rest=" " * 13)
    return output


def format_together(several: Statuses, width: int = 80) -> list[Line]:
    """Several records, one below the other, and the sums."""
    blocks, trials = plural(several.blocks_done, "complete block"), plural(several.trials_done, "run")
    repeated = f" ({several.repeated:,} more are in two of them)" if several.repeated else ""
    sums = f"together: {blocks} and {trials} in {plural(len(several.records), 'record')}{repeated}"
    text: list[Line] = []
    for status in several.records:
        text += [*lines(status, width), *render_paragraph("", width)]
    return [*text, *render_paragraph(sums, width, rest="  ")]


def _format_blocks(status: Status) -> str:
    text = f"{plural(status.treatments, 'treatment')} in each"
    if status.blocks_planned is None:
        return f"{status.blocks_done}, until precise enough; {text}"
    most = "at most " if status.stops_at_precision else ""
    return f"{status.blocks_done} of {most}{status.blocks_planned}; {text}"


def _describe_failures(status: Status) -> str:
    failed = [
        f"{printable(label)} {it.failed} of {it.attempted}"
        for label, it in status.failures.items()
        if it.failed
    ]
    return f"failed: {join_names(failed)}" if failed else "none failed"


def _format_precision(status: Status) -> str:
    if status.target is None:
        return ""
    reached = "not known yet" if status.reached is None else f"{percent(status.reached)} reached"
    return f"{reached}, {percent(status.target)} requested (half-width of the widest interval)"


def _format_time(status: Status) -> str:
    text = "" if status.left_s is None else f", about {format_duration(status.left_s)} left"
    return f"{format_duration(status.spent_s)} spent{text}"


def _format_holder(status: Status) -> str:
    holder = status.holder
    return (
        f"process {holder.pid} on {printable(holder.host)} since {printable(holder.since)}" if holder else ""
    )
