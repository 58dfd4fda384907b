"""What is said of a history, in the terminal as on the page."""

from __future__ import annotations

import re
from typing import Final

from steelyard.answers.history import Change, Direction, History, Kind, SeriesHistory
from steelyard.answers.interval import Interval
from steelyard.report.text.digits import percent, probability, share
from steelyard.report.text.label import counted, listed, named_levels, printable
from steelyard.report.text.line import Style
from steelyard.units import format_quantity

SIGNS: Final[dict[Direction, tuple[str, Style]]] = {
    "worse": ("✗", "bad"),
    "better": ("✓", "good"),
    "neither": ("•", "open"),
}
_WHAT: Final[dict[Kind, str]] = {
    "level": "",
    "spread": "the scatter of its runs, ",
    "slow_runs": "the fraction of its slow runs, ",
}
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_SHORT: Final = 10
MOST_COMMITS: Final = 5


def head(found: History) -> str:
    """Experiment, number of records, and their order."""
    by = {"git": "by first parents", "time": "in the order of time"}[found.order]
    missing = f"; {counted(found.missing, 'commit')} without a record" if found.missing else ""
    over = f", over {printable(found.reference)}" if found.reference else ""
    return (
        f"{printable(found.experiment)}{over}: {counted(found.records, 'record')}, {short(found.first)} to"
        f" {short(found.last)} ({by}{missing})"
    )


def stable(found: History) -> str:
    """What can be said where nothing changed."""
    judged = [series for series in found.series if not series.refused]
    if not judged:
        return "Nothing can be said yet: every series has too few records."
    if all(series.drift for series in judged):
        return "No step stands out of the drift."
    return f"No lasting change in {len(judged)} series (false discovery rate at most {percent(found.alpha)})."


def change_words(found: History, series: SeriesHistory, change: Change) -> str:
    """What changed, by how much, from where on."""
    back = f"; {short(change.undone_by)} undoes it" if change.undone_by else ""
    return (
        f"{series.metric.name} of {series_name(series)}: {_WHAT[change.kind]}{size(found, series, change)}"
        f" from {short(change.first)} on (p {_p(change.p)}){back}"
    )


def size(found: History, series: SeriesHistory, change: Change) -> str:
    """Ratio and interval, and what it was before and after."""
    if change.ratio is None or change.ci95 is None:
        return f"{percent(change.before)} → {percent(change.after)}"
    values = (change.before, change.after)
    if change.kind == "spread":
        shown = [percent(value) for value in values]
    else:
        shown = [level_words(found, series, value) for value in values]
    return f"{relative(change.ratio, change.ci95)}: {shown[0]} → {shown[1]}"


def level_words(found: History, series: SeriesHistory, value: float) -> str:
    """A median, or its ratio to that of the reference program."""
    return f"{value:.4g}" if found.reference else format_quantity(value, series.metric.unit, 4)


def relative(value: float, interval: Interval) -> str:
    """``5.1 % more (95 % CI 4.6 to 5.6 %)``; as a factor where it is large."""
    if not 0.5 < value < 2:
        return f"{value:.3g} × (95 % CI {interval.low:.3g} to {interval.high:.3g})"
    sign = 1 if value > 1 else -1
    low, high = sorted((sign * (interval.low - 1), sign * (interval.high - 1)))
    word = "more" if value > 1 else "less"
    return f"{percent(abs(value - 1))} {word} (95 % CI {100 * low:.2g} to {100 * high:.2g} %)"


def _p(p: float) -> str:
    text = probability(p)
    return text if text.startswith("<") else f"= {text}"


def where(change: Change) -> str:
    """The commits of which one made the change."""
    names = listed([short(commit) for commit in change.commits], MOST_COMMITS)
    if len(change.commits) == 1:
        return f"{names} made it ({share(change.probability)} sure)"
    return f"one of {len(change.commits)} commits made it ({share(change.probability)} sure): {names}"


def bisection(found: History, change: Change) -> str | None:
    """The command that measures both sides of a change; ``None`` where the records are not named after
    commits, or the change is not one of level.
    """
    if found.order != "git" or change.kind != "level":
        return None
    return f"steelyard bisect {short(change.last_before)} {short(change.first)} --build CMD -- PROGRAM"


def drift_words(series: SeriesHistory, drift: float) -> str:
    """That a series goes up or down without a step."""
    return (
        f"{series.metric.name} of {series_name(series)} drifts by {percent(abs(drift - 1))} from the first"
        " record to the last, and no single commit stands out: the machine may have changed slowly. A"
        " reference program in each record tells (--reference LABEL)."
    )


def series_name(series: SeriesHistory) -> str:
    """Treatment and labels."""
    labels = named_levels(series.labels)
    return f"{printable(series.treatment) or 'the program'}{f' ({labels})' if labels else ''}"


def check_words(found: History, since: str | None, *, strict: bool) -> str:
    """What the exit code rests on."""
    from_on = f" from {short(since)} on" if since else ""
    worse = found.regressions(since)
    if worse:
        names = listed(
            list(dict.fromkeys(f"{series.metric.name} of {series_name(series)}" for series, _ in worse))
        )
        return f"fails: {counted(len(worse), 'change')} for the worse{from_on} that nothing undoes ({names})"
    unjudged = sum(bool(series.refused or series.drift) for series in found.series)
    if strict and unjudged:
        return f"not resolved: {unjudged} of {len(found.series)} series not judged, or drifting"
    return f"holds: no lasting change for the worse{from_on}"


def notes(found: History) -> list[str]:
    """Breaks of the machine, outlying records, and what is in no result."""
    said = [
        f"Between {short(each.last_before)} and {short(each.first)} the machine changed"
        f" ({listed([printable(text) for text in each.differs])}): nothing is compared across that."
        for each in found.breaks[:MOST_COMMITS]
    ]
    if len(found.breaks) > MOST_COMMITS:
        said.append(f"The machine changed {len(found.breaks) - MOST_COMMITS} times more; --json has all.")
    said += [
        f"{series_name(each)}: {counted(len(each.outliers), 'outlying record')},"
        f" {listed([short(commit) for commit in each.outliers])}; it moves nothing."
        for each in found.series
        if each.outliers
    ]
    refused = list(dict.fromkeys(each.refused for each in found.series if each.refused))
    said += [
        f"{counted(sum(each.refused == why for each in found.series), 'treatment')} not judged: {why}."
        for why in refused
    ]
    why_not = [f"{printable(each.record)} {printable(each.why)}" for each in found.left_out]
    said += [f"Left out: {each}" for each in why_not[:MOST_COMMITS]]
    if len(why_not) > MOST_COMMITS:
        said.append(f"Left out: {len(why_not) - MOST_COMMITS} more records; --json has all.")
    return said


def short(commit: str) -> str:
    """A commit as people write it; the name of a record as it is."""
    return commit[:_SHORT] if _COMMIT.fullmatch(commit) else printable(commit)
