"""A history as JUnit XML: one test case a series."""

from __future__ import annotations

from steelyard.answers.history import History, SeriesHistory
from steelyard.report.history.words import change_words, drift_words, series_name, where
from steelyard.report.junit import Case, Suite
from steelyard.report.junit import render as rendered
from steelyard.report.text.label import counted


def render(found: History, since: str | None = None, *, strict: bool) -> str:
    """One suite; a series that has become worse and stays so fails, one that is not judged or drifts is
    skipped, under ``strict`` a failure.
    """
    worse: dict[int, list[str]] = {}
    for series, change in found.regressions(since):
        words = f"{change_words(found, series, change)}; {where(change)}"
        worse.setdefault(id(series), []).append(words)

    def case(series: SeriesHistory) -> Case:
        machine = f", machine {series.machine}" if len(found.machines) > 1 else ""
        name = f"{series.metric.name} of {series_name(series)}{machine}"
        if said := worse.get(id(series)):
            return Case(name, "failed", "fails", "\n".join(said))
        if series.refused or series.drift:
            why = (
                f"not judged: {series.refused}" if series.refused else drift_words(series, series.drift or 1)
            )
            return Case(name, "failed" if strict else "skipped", "not_resolved", why)
        return Case(name, "passed", "holds", f"{counted(len(series.points), 'record')}, nothing stands worse")

    return rendered("steelyard history", [Suite(found.experiment, [case(each) for each in found.series])])
