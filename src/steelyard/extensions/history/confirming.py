"""Confirm the changes of a history by measuring the commits on both sides of each, side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.units import BUILTIN
from steelyard.extensions.bisect.bisect import Tell, bisect
from steelyard.extensions.bisect.request import BisectRequest
from steelyard.extensions.bisect.results import Bisection
from steelyard.extensions.history.results import Change, Confirmation, History, Outcome, SeriesHistory
from steelyard.extensions.repository.repository import Repository
from steelyard.extensions.repository.trees import DIGITS
from steelyard.lab.run.run_loop import Watch
from steelyard.results.interval import Interval

LEAST_SHARE: Final = 0.5
"""Of a change, that must be possible side by side: a far smaller difference is another."""


class ConfirmRequest(msgspec.Struct, frozen=True, kw_only=True):
    """How the program of a history is built and run.

    Attributes
    ----------
    words : tuple of str
        The program and its arguments; ``{label}`` is the value of that label of the series.
    build : str
        As in ``BisectRequest``.
    since : str or None
        Only changes that ``History.regressions`` gives for it.
    """

    words: tuple[str, ...]
    build: str = ""
    since: str | None = None


def confirm(
    history: History,
    request: ConfirmRequest,
    repository: Repository,
    directory: Path,
    *,
    watch: Watch = lambda _: None,
    tell: Tell = lambda _: None,
) -> History:
    """Bisect every change of level for the worse that stands; other changes stay suspected.

    Parameters
    ----------
    directory : Path
        Where the records are kept, a search in each directory; the same call goes on there.

    Raises
    ------
    UsageError
        The history is in the order of time, so that its records name no commits.
    ProgramError
        A commit on either side does not build or does not run.
    InterruptedRunError
        The same call goes on.
    """
    if history.order != "git":
        raise UsageError(
            "--confirm needs commits, and this history is in the order of time", hint="add --git"
        )
    searches: dict[BisectRequest, Bisection] = {}
    confirmed: dict[tuple[int, int], Change] = {}
    standing = {id(change) for _, change in history.regressions(request.since)}
    for number, series in enumerate(history.series):
        for place, change in enumerate(series.changes):
            if id(change) not in standing or change.kind != "level" or series.metric.name not in BUILTIN:
                continue
            bisect_request = _search(series, change, history.commits, request)
            if bisect_request not in searches:
                before = change.commits[0][:DIGITS]
                tell(
                    f"{series.metric.name} before {before} and at {bisect_request.bad[:DIGITS]}, side by side"
                )
                place_of_records = directory / f"{len(searches) + 1:02}"
                searches[bisect_request] = bisect(
                    bisect_request, repository, place_of_records, watch=watch, tell=tell
                )
            confirmed[number, place] = replace(
                change, confirmation=_make_confirmation(change, searches[bisect_request])
            )
    return replace(
        history,
        series=tuple(
            replace(
                series,
                changes=tuple(
                    confirmed.get((number, place), change) for place, change in enumerate(series.changes)
                ),
            )
            for number, series in enumerate(history.series)
        ),
    )


def _search(
    series: SeriesHistory, change: Change, commits: Sequence[str], request: ConfirmRequest
) -> BisectRequest:
    """Search from the commit before the first candidate to the last candidate that has a record."""
    words = request.words
    for label, value in series.labels.items():
        words = tuple(word.replace(f"{{{label}}}", str(value)) for word in words)
    measured = [commit for commit in commits if commit in change.commits]
    return BisectRequest(
        good=f"{change.commits[0]}^",
        bad=measured[-1] if measured else change.first,
        words=words,
        build=request.build,
        metric=series.metric.name,
    )


def _make_confirmation(change: Change, search: Bisection) -> Confirmation:
    outcome: Outcome
    if search.resolvable is not None:
        outcome = "refuted" if search.resolvable <= abs((change.ratio or 1.0) - 1) else "open"
    else:
        shows = search.direction == change.direction and _compute_largest(
            search.ci95
        ) >= LEAST_SHARE * _compute_least(change)
        outcome = "confirmed" if shows else "refuted"
    named = tuple(candidate.commit for candidate in search.candidates) if search.is_named else ()
    return Confirmation(
        outcome,
        search.ratio,
        search.ci95,
        search.end_blocks,
        named,
        search.probability,
        layouts=search.layouts,
    )


def _compute_largest(interval: Interval) -> float:
    """Return the largest change of the logarithm that an interval contains."""
    return max(abs(math.log(interval.low)), abs(math.log(interval.high)))


def _compute_least(change: Change) -> float:
    """Return the smallest change of the logarithm that its interval contains."""
    if change.ci95 is None or change.ci95.low <= 1 <= change.ci95.high:
        return 0.0
    return min(abs(math.log(change.ci95.low)), abs(math.log(change.ci95.high)))
