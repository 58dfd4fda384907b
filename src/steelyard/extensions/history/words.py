"""What is said of a history, in the terminal as on the page."""

from __future__ import annotations

from typing import Final

from steelyard.core.units import format_quantity
from steelyard.extensions.history.results import (
    LARGEST_UNSEEN,
    LEAST_BEHIND,
    Change,
    Confirmation,
    History,
    Kind,
    OpenQuestion,
    Order,
    Pattern,
    SeriesHistory,
    Wander,
)
from steelyard.report.text.change import relative, short_hash
from steelyard.report.text.digits import percent, probability, share
from steelyard.report.text.label import join_names, named_levels, plural, printable
from steelyard.results.direction import Direction

_ORDERS: Final[dict[Order, str]] = {
    "git": "by first parents",
    "time": "in the order of time",
    "name": "in the order of their names",
}
_KINDS: Final[dict[Kind, str]] = {
    "level": "",
    "spread": "the scatter of its runs, ",
    "slow_runs": "the fraction of its slow runs, ",
}
_QUANTITIES: Final[dict[Kind, str]] = {
    "level": "",
    "spread": "the scatter of ",
    "slow_runs": "the fraction of slow runs in ",
}
_MOVES: Final[dict[Pattern, str]] = {
    "line": "drifts from the first record to the last",
    "walk": "wanders from record to record, as a random walk does",
    "cycle": "goes up and down in cycles",
    "regimes": "changes again and again between the same two levels",
}
_LARGE_STEP: Final = 10.0
MOST_COMMITS: Final = 5


def head(history: History) -> str:
    """Experiment, number of records, and their order."""
    by = _ORDERS[history.order]
    missing = f"; {plural(history.missing, 'commit')} without a record" if history.missing else ""
    over = f", over {printable(history.reference)}" if history.reference else ""
    return (
        f"{printable(history.experiment)}{over}: {plural(history.records, 'record')},"
        f" {short_hash(history.first)} to"
        f" {short_hash(history.last)} ({by}{missing})"
    )


def format_stable(history: History) -> str:
    """Return what can be said where no change is named."""
    completed = [series for series in history.series if not (series.refused or series.broken_off)]
    if not completed:
        return "Nothing can be said yet: no series is judged."
    steady = sum(series.is_judged for series in completed)
    if not steady:
        return "Levels wander; no single step stands out."
    rate = f"false discovery rate at most {percent(history.alpha)} {_name_machines(history)}"
    return f"No lasting change in {steady} series ({rate})."


def change_words(history: History, series: SeriesHistory, change: Change) -> str:
    """Return what changed, by how much, from where on."""
    back = f"; {short_hash(change.undone_by)} undoes it" if change.undone_by else ""
    if back and _name_condition(history):
        back += ", or the machine has two states"
    return (
        f"{series.metric.name} of {format_series_name(series)}:"
        f" {_KINDS[change.kind]}{size(history, series, change)} from {short_hash(change.first)} on"
        f" (p {_format_p(change.p)}){back}"
    )


def size(history: History, series: SeriesHistory, change: Change) -> str:
    """Ratio and interval, and what it was before and after."""
    if change.ratio is None or change.ci95 is None:
        return f"{percent(change.before)} → {percent(change.after)}"
    values = (change.before, change.after)
    if change.kind == "spread":
        texts = [percent(value) for value in values]
    else:
        texts = [format_level_words(history, series, value) for value in values]
    return f"{relative(change.ratio, change.ci95)}: {texts[0]} → {texts[1]}"


def format_level_words(history: History, series: SeriesHistory, value: float) -> str:
    """Return a median, or its ratio to that of the reference program."""
    return f"{value:.4g}" if history.reference else format_quantity(value, series.metric.unit, 4)


def _format_p(p: float) -> str:
    text = probability(p)
    return text if text.startswith("<") else f"= {text}"


def locate(history: History, change: Change) -> str:
    """Return the commits of which one made the change, if it was not the machine."""
    names = join_names([short_hash(commit) for commit in change.commits], MOST_COMMITS)
    sure = f"({share(change.probability)} sure{_name_condition(history)})"
    if len(change.commits) == 1:
        return f"{names} made it {sure}"
    return f"one of {len(change.commits)} commits made it {sure}: {names}"


def _name_condition(history: History) -> str:
    """Whose doubt is not in a probability: records alone do not tell a machine from a commit."""
    return ", if no machine changed" if history.order == "git" and not history.reference else ""


def _name_machines(history: History) -> str:
    """Whose records these are."""
    return "on this machine" if len(history.machines) <= 1 else "on each machine"


def format_confirmation_words(confirmation: Confirmation) -> str:
    """Return what came of measuring side by side."""
    size = f"{relative(confirmation.ratio, confirmation.ci95)}, {plural(confirmation.blocks, 'block')}"
    if confirmation.outcome != "confirmed":
        text = (
            "does not show" if confirmation.outcome == "refuted" else "not seen, and might have been missed"
        )
        return f"side by side: {text} ({size})"
    if not confirmation.commits:
        return f"confirmed side by side: {size}; no single commit is named"
    names = join_names([short_hash(commit) for commit in confirmation.commits], MOST_COMMITS)
    builds = "over layouts" if confirmation.layouts else "one build each"
    sure = f"{share(confirmation.probability)} sure, {builds}"
    return f"confirmed side by side: {size}; {names} made it ({sure})"


def format_bisection(history: History, change: Change) -> str | None:
    """Return the command that measures both sides of a change.

    ``None`` where the records are not named after commits, or the change is not one of level.
    """
    if history.order != "git" or change.kind != "level":
        return None
    return (
        f"steelyard bisect {short_hash(change.last_before)} {short_hash(change.first)} --build CMD -- PROGRAM"
    )


def format_wander_words(series: SeriesHistory, wander: Wander) -> str:
    """Say that a series moves as another pattern does, and what tells a machine from a program."""
    moves = _MOVES[wander.pattern]
    if wander.ratio is not None:
        moves = f"drifts by {percent(abs(wander.ratio - 1))} from the first record to the last"
    quantity = f"{_QUANTITIES[wander.kind]}{series.metric.name} of {format_series_name(series)}"
    return (
        f"{quantity} {moves}. No commit is named: the machine may have changed. A reference program in each"
        " record tells (--reference LABEL)."
    )


def list_shared_changes(history: History) -> list[str]:
    """Sentences on changes of level that all treatments of a machine share: a machine makes these, too."""
    if history.reference or history.order != "git":
        return []
    sentences = []
    for machine in dict.fromkeys(series.machine for series in history.series):
        judged = [series for series in history.series if series.machine == machine and series.is_judged]
        treatments = {series.treatment for series in judged}
        changed: dict[tuple[str, Direction], set[str]] = {}
        for series in judged:
            for change in series.changes:
                if change.kind == "level":
                    changed.setdefault((change.first, change.direction), set()).add(series.treatment)
        sentences += [
            f"From {short_hash(first)} on all {len(treatments)} treatments that are judged became"
            f" {direction}, as they do where the machine changed. A reference program in each record tells"
            " (--reference LABEL)."
            for (first, direction), names in changed.items()
            if len(names) == len(treatments) > 1
        ]
    return sentences


def format_resolvable_words(series: SeriesHistory) -> str:
    """Return the smallest steps that would have shown, latest and in the middle."""
    if series.resolvable is None:
        return ""
    middle, latest = (
        _format_percent_of_step(size) for size in (series.resolvable.middle, series.resolvable.latest)
    )
    return f"a step of {middle} in the middle, of {latest} two records ago, would probably have been detected"


def _format_percent_of_step(size: float) -> str:
    return percent(size) if size < _LARGE_STEP else f"more than {percent(_LARGE_STEP)}"


def format_series_name(series: SeriesHistory) -> str:
    """Treatment and labels."""
    labels = named_levels(series.labels)
    return f"{printable(series.treatment) or 'the program'}{f' ({labels})' if labels else ''}"


def check_words(history: History, since: str | None, *, strict: bool, least: float = LARGEST_UNSEEN) -> str:
    """Return what the exit code rests on."""
    from_on = f" from {short_hash(since)} on" if since else ""
    if worse := history.regressions(since):
        names = join_names(
            list(
                dict.fromkeys(f"{series.metric.name} of {format_series_name(series)}" for series, _ in worse)
            )
        )
        suspected = all(change.confirmation is None for _, change in worse)
        changes = plural(len(worse), "suspected change" if suspected else "change")
        return f"fails: {changes} for the worse{from_on} that nothing undoes ({names})"
    reasons = [
        format_question_words(history, question, least) for question in history.open_questions(since, least)
    ]
    if not reasons:
        return f"holds: no lasting change for the worse{from_on}; {_format_resolution(history)}"
    code = history.exit_code(strict=strict, since=since, least=least)
    accepted = "" if code else " (--strict makes this exit code 3)"
    return f"not resolved{accepted}: {join_names(reasons, MOST_COMMITS)}"


def _format_resolution(history: History) -> str:
    """Return the steps that would have shown in the series that shows least."""
    noisiest = max(
        (series for series in history.series if series.resolvable is not None),
        key=lambda series: series.resolvable.middle if series.resolvable else 0.0,
    )
    everywhere = "" if len(history.series) == 1 else "in every series, "
    return f"{everywhere}{format_resolvable_words(noisiest)}"


def format_question_words(history: History, question: OpenQuestion, least: float) -> str:
    """Why the absence of a change proves nothing, as the end of a sentence."""
    if question.record is not None:
        return f"{printable(question.record.record)} {printable(question.record.why)}"
    if question.series is not None:
        return _format_series_words(question.series, question.reason, least)
    if question.reason == "unmeasured":
        return f"{plural(history.unmeasured, 'commit')} after {short_hash(history.last)} without a record"
    return f"a change needs {LEAST_BEHIND} records from it on"


def _format_series_words(series: SeriesHistory, reason: str, least: float) -> str:
    name = f"{series.metric.name} of {format_series_name(series)}"
    if reason == "unconfirmed":
        return f"a change of {name} did not show side by side, and might have been missed"
    if reason == "ended":
        return f"{name} ends with {short_hash(series.ends or '')}"
    if reason == "unclear":
        return f"nothing says which way {name} is better (--better {series.metric.name}=higher)"
    if reason == "noise":
        return f"{name} is too noisy to show {percent(least)}: {format_resolvable_words(series)}"
    return f"{name} wanders" if series.wanders else f"{name} is not judged"


def _list_ended(history: History) -> list[str]:
    """Name the series that the newest records lack, once for those that end with the same record."""
    names: dict[str, dict[str, None]] = {}
    for series in history.series:
        if series.ends is not None:
            name = f"{series.metric.name} of {format_series_name(series)}"
            names.setdefault(series.ends, {})[name] = None
    return [
        f"The newest records lack {join_names(list(series))}; the last with"
        f" {'this' if len(series) == 1 else 'these'} is {short_hash(last)}."
        for last, series in names.items()
    ]


def notes(history: History) -> list[str]:
    """CPU time that changes unseen, breaks of the machine, outlying records, and what is in no result."""
    texts = [
        f"{change_words(history, series, change)}: {locate(history, change)}. The time of the same records"
        f" does not show it, and no check rests on it (--metric {series.metric.name} judges it)."
        for series in history.cpu_time
        for change in series.changes
    ]
    texts += [
        f"Between {short_hash(machine_break.last_before)} and {short_hash(machine_break.first)} the machine"
        f" changed ({join_names([printable(text) for text in machine_break.differs])}): nothing is compared"
        " across that."
        for machine_break in history.breaks[:MOST_COMMITS]
    ]
    if len(history.breaks) > MOST_COMMITS:
        texts.append(f"The machine changed {len(history.breaks) - MOST_COMMITS} times more; --json has all.")
    texts += [
        f"{format_series_name(series)}: {plural(len(series.outliers), 'outlying record')},"
        f" {join_names([short_hash(commit) for commit in series.outliers])}; it moves nothing."
        for series in history.series
        if series.outliers
    ]
    texts += [
        f"{series.metric.name} of {format_series_name(series)} not judged:"
        f" its analysis broke off ({series.broken_off})."
        " This is a defect of Steelyard: please report it with the output of --json."
        for series in history.series
        if series.broken_off
    ]
    texts += list_shared_changes(history)
    texts += _list_ended(history)
    if history.unclear:
        texts.append(
            "No change is for the worse or the better, since units do not say which way is better"
            f" (--better NAME=higher): {join_names([printable(name) for name in history.unclear])}."
        )
    refused = list(dict.fromkeys(series.refused for series in history.series if series.refused))
    texts += [
        f"{plural(sum(series.refused == why for series in history.series), 'treatment')} not judged: {why}."
        for why in refused
    ]
    why_not = [f"{printable(out.record)} {printable(out.why)}" for out in history.left_out]
    texts += [f"Left out: {reason}" for reason in why_not[:MOST_COMMITS]]
    if len(why_not) > MOST_COMMITS:
        texts.append(f"Left out: {len(why_not) - MOST_COMMITS} more records; --json has all.")
    return texts
