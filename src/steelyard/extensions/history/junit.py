"""A history as JUnit XML: one test case a series."""

from __future__ import annotations

from steelyard.extensions.history.results import LARGEST_UNSEEN, History, SeriesHistory
from steelyard.extensions.history.words import (
    change_words,
    format_question_words,
    format_series_name,
    format_wander_words,
    locate,
)
from steelyard.report.junit import Case, JunitSuite
from steelyard.report.junit import render as rendered
from steelyard.report.text.label import plural


def render(history: History, since: str | None = None, *, strict: bool, least: float = LARGEST_UNSEEN) -> str:
    """Render one suite.

    A series that has become worse and stays so fails. One that is not judged or too noisy, and a history that
    is not complete, are skipped; under ``strict`` they fail, and so does an analysis that broke off.
    """
    worse: dict[int, list[str]] = {}
    for series, change in history.regressions(since):
        words = f"{change_words(history, series, change)}; {locate(history, change)}"
        worse.setdefault(id(series), []).append(words)
    questions = history.open_questions(since, least)
    reasons = {
        id(question.series): format_question_words(history, question, least)
        for question in questions
        if question.series is not None
    }
    incomplete = [
        format_question_words(history, question, least) for question in questions if question.series is None
    ]

    def case(series: SeriesHistory) -> Case:
        machine = f", machine {series.machine}" if len(history.machines) > 1 else ""
        name = f"{series.metric.name} of {format_series_name(series)}{machine}"
        if sentences := worse.get(id(series)):
            return Case(name, "failed", "fails", "\n".join(sentences))
        if reason := reasons.get(id(series)):
            why = " ".join(format_wander_words(series, wander) for wander in series.wanders)
            why = why or (f"not judged: {series.refused}" if series.refused else reason)
            fails = strict or series.broken_off
            kind = "not_judged" if series.refused or series.broken_off else "not_resolved"
            return Case(name, "failed" if fails else "skipped", kind, why)
        return Case(name, "passed", "holds", f"{plural(len(series.points), 'record')}, nothing became worse")

    cases = [case(series) for series in history.series]
    if incomplete:
        text = "\n".join(incomplete)
        cases.append(Case("the history is complete", "failed" if strict else "skipped", "not_resolved", text))
    return rendered("steelyard history", [JunitSuite(history.experiment, cases)])
