"""The session in the terminal: a line for each test, claim and comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from steelyard.core.units import format_quantity
from steelyard.extensions.pytest.failures import SESSION, SessionFailure
from steelyard.report.text.digits import bounds, factor, ratio

if TYPE_CHECKING:
    from steelyard.extensions.pytest.comparison import SessionChange, SessionComparison
    from steelyard.extensions.pytest.session import File
    from steelyard.stats.compare.sessions import Moved
    from steelyard.stats.compare.turns import Turned


def lines(
    files: Sequence[File],
    claims: Sequence[str],
    comparisons: Sequence[SessionComparison],
    notes: Sequence[str],
) -> Iterator[str]:
    """Each test with its mean and standard deviation, then claims, comparisons, and the record."""
    rows = [(run.item.nodeid, run.timed.values) for file in files for run in file.ran]
    width = max((len(name) for name, _ in rows), default=0)
    for name, values in rows:
        mean, s = format_quantity(fmean(values), "s"), format_quantity(stdev(values), "s")
        yield f"{name:<{width}}  {mean:>8}  s = {s:>8}  {len(values)} blocks"
    yield from (f"- {text}" for text in claims)
    for comparison in comparisons:
        yield from (f"- {change.name}: {describe_change(change)}" for change in comparison.changes)
        yield from comparison.unjudged
    yield from notes


def list_failures(comparison: SessionComparison, *, strict: bool) -> list[SessionFailure]:
    """Return why a session fails by a comparison; none where it does not."""
    names = {"slower", "suspected", "not_judged"} if strict else {"slower"}
    changes = [
        SessionFailure(change.name, describe_change(change))
        for change in comparison.changes
        if change.standing in names
    ]
    unjudged = comparison.unjudged if strict or comparison.is_void else ()
    return changes + [SessionFailure(SESSION, text) for text in unjudged]


def describe_change(change: SessionChange) -> str:
    """Return what became of a test since an earlier version of itself."""
    moved, turned = change.moved, change.turned
    if turned is not None:
        suspicion = f"; {_format_ratio(moved.speedup)} across sessions" if moved is not None else ""
        return f"{_describe_turned(turned, change.commit)}{suspicion}"
    why = f"; not measured in turns: {change.reason}" if change.reason else ""
    if moved is None:
        return f"not judged{why}"
    return f"{_describe_move(moved)}{why}"


def _describe_turned(turned: Turned, commit: str) -> str:
    evidence = f"in turns with {commit} ({turned.pairs} pairs of processes"
    evidence += f", 95 % interval {bounds(turned.ratio, turned.interval)})" if turned.interval else ")"
    if turned.outcome == "not_resolved":
        return f"not resolved, {ratio(turned.ratio, turned.interval)} × as long {evidence}"
    if turned.outcome == "slower":
        return f"slower, {ratio(turned.ratio, turned.interval)} × as long {evidence}"
    return f"faster, {ratio(turned.ratio, turned.interval)} × as long {evidence}"


def _describe_move(moved: Moved) -> str:
    if moved.interval is None:
        return (
            f"not judged, {_format_ratio(moved.speedup)}; one kept session does not show how sessions vary:"
            " keep at least two, better five"
        )
    evidence = f"95 % interval {bounds(moved.speedup, moved.interval)} × as fast"
    evidence += f", {moved.sessions} kept sessions" + (
        ", relative to the reference" if moved.relative else ""
    )
    verdict = "not resolved," if moved.outcome == "not_resolved" else "suspected to be"
    return f"{verdict} {_format_ratio(moved.speedup)} ({evidence})"


def _format_ratio(speedup: float) -> str:
    return f"{factor(speedup)} × as fast" if speedup >= 1 else f"{factor(1 / speedup)} × as long"
