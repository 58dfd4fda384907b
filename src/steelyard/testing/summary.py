"""The session in the terminal: a line for each test, claim and comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from steelyard.units import format_quantity

if TYPE_CHECKING:
    from steelyard.stats.compare.sessions import Moved
    from steelyard.testing.session import File


def lines(
    files: Sequence[File], claims: Sequence[str], moved: Sequence[Moved], said: Sequence[str]
) -> Iterator[str]:
    """Each test with its mean and standard deviation, then what is claimed, what moved, and the record."""
    rows = [(one.item.nodeid, one.timed.values) for file in files for one in file.ran]
    width = max((len(name) for name, _ in rows), default=0)
    for name, values in rows:
        mean, s = format_quantity(fmean(values), "s"), format_quantity(stdev(values), "s")
        yield f"{name:<{width}}  {mean:>8}  s = {s:>8}  {len(values)} blocks"
    yield from (f"- {text}" for text in claims)
    for each in moved:
        yield f"- {each.name}: {_moved(each)}"
    yield from said


def _moved(each: Moved) -> str:
    if each.interval is None:
        return (
            f"not resolved, {each.speedup:.3g} × as fast; what varies from one session to the next is not"
            " known from one: keep at least two, better five"
        )
    of = f"95 % interval {each.interval.low:.3g} to {each.interval.high:.3g}, {each.sessions} kept sessions"
    of += ", relative to the reference" if each.relative else ""
    if each.outcome == "not_resolved":
        return f"not resolved, {each.speedup:.3g} × as fast ({of})"
    ratio = each.speedup if each.outcome == "faster" else 1 / each.speedup
    return f"{ratio:.3g} × {each.outcome} ({each.speedup:.3g} × as fast, {of})"
