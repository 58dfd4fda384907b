"""One new session against several old ones: whether it lies where another of their kind would.

Within a session, runs share what its process and its hour were like; the sessions are the units. With k old
means of logarithms y, and one new y', t = (mean y - y') / (s sqrt(1 + 1/k)) with k - 1 degrees of freedom
(a prediction interval: Hahn and Meeker 1991, Statistical Intervals, section 4.7). It assumes that nothing
changed from session to session but what changed among the old ones too.

The machine is faster in one session than in another, so that y is the test's mean less that of a reference
timed beside it: over 120 sessions of the same sort, the mean had a standard deviation of 20 %, the
difference one of 3 to 5 % (docs/decisions/python/181-a-reference-beside-tests.md). A test that waits does not
follow the machine: where its own old means range over less than half of what the differences do, they are
taken.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from steelyard.results.interval import Interval
from steelyard.stats.distributions.student import LogT
from steelyard.stats.hypothesis.holm import Tested, holm

Outcome = Literal["faster", "slower", "not_resolved"]


class SessionMeans(NamedTuple):
    """Mean logarithms of a test's times and of the reference's beside them; NaN where there was none."""

    time: float
    reference: float

    @property
    def relative(self) -> float:
        """The time in units of the reference's."""
        return self.time - self.reference


class Moved(msgspec.Struct, frozen=True):
    """A treatment in a new session.

    Attributes
    ----------
    speedup : float
        Old over new.
    interval : Interval or None
        Of the speedup, at the level of its step of Holm; ``None`` of one old session, or of equal ones.
    p_holm : float or None
    sessions : int
        Old ones.
    relative : bool
        Times are in units of the reference's.
    """

    name: str
    speedup: float
    interval: Interval | None
    p_holm: float | None
    outcome: Outcome
    sessions: int
    relative: bool


def compare_sessions(
    old: Sequence[Mapping[str, SessionMeans]], new: Mapping[str, SessionMeans], alpha: float = 0.05
) -> tuple[Moved, ...]:
    """Compare by name what the new session and at least one old one have; one family.

    Parameters
    ----------
    old, new
        Mean logarithms, by the test's name, of each session.
    """
    earlier = {name: [session[name] for session in old if name in session] for name in new}
    predicted = {name: _predict(earlier[name], values) for name, values in new.items() if earlier[name]}
    laws = {name: group.law for name, group in predicted.items() if group.law is not None}
    tests = dict(zip(laws, holm([law.p_of(1.0) for law in laws.values()], alpha), strict=True))
    return tuple(_describe_move(name, group, tests.get(name)) for name, group in predicted.items())


class _Predicted(NamedTuple):
    """The logarithm of a speedup, and its distribution where old sessions have a spread."""

    log: float
    law: LogT | None
    sessions: int
    relative: bool


def _predict(old: Sequence[SessionMeans], new: SessionMeans) -> _Predicted:
    times = np.array([group.time for group in old])
    ratios = np.array([group.relative for group in old])
    relative = not np.isnan([*ratios, new.relative]).any() and bool(np.ptp(times) >= np.ptp(ratios) / 2)
    values, value = (ratios, new.relative) if relative else (times, new.time)
    k, log = len(old), float(values.mean()) - value
    if k < 2 or np.ptp(values) == 0:
        return _Predicted(log, None, k, relative)
    s = float(values.std(ddof=1))
    return _Predicted(log, LogT(log, s * math.sqrt(1 + 1 / k), k - 1), k, relative)


def _describe_move(name: str, predicted: _Predicted, test: Tested | None) -> Moved:
    log, law, sessions, relative = predicted
    if law is None or test is None:
        return Moved(name, math.exp(log), None, None, "not_resolved", sessions, relative)
    outcome: Outcome = "not_resolved"
    if test.rejected:
        outcome = "faster" if log > 0 else "slower"
    return Moved(name, math.exp(log), law.interval(test.level), test.p_holm, outcome, sessions, relative)
