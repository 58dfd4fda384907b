"""A session against those that were kept.

What looks slower across time is measured in turns, and only that decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from steelyard.core.errors import SteelyardError
from steelyard.extensions.pytest.saved import SavedSession, name_of, read_saved
from steelyard.extensions.pytest.turns import DIGITS, TurnsConfirmation, UnmeasurableError, measure_in_turns
from steelyard.stats.compare.sessions import Moved, SessionMeans, compare_sessions
from steelyard.stats.compare.turns import Turned

if TYPE_CHECKING:
    import pytest

Standing = Literal["slower", "faster", "suspected", "not_confirmed", "not_resolved", "not_judged"]
"""``slower`` and ``faster`` are shown in turns; ``suspected``: slower across time, and not measured in turns;
``not_judged``: neither turns nor several kept sessions.
"""


class SessionChange(msgspec.Struct, frozen=True):
    """A test against an earlier version of itself.

    Attributes
    ----------
    moved : Moved or None
        Across time.
    turned : Turned or None
        In turns.
    commit : str
        With which it took turns.
    reason : str
        Why there were no turns; empty where nothing asked for them.
    """

    name: str
    standing: Standing
    moved: Moved | None = None
    turned: Turned | None = None
    commit: str = ""
    reason: str = ""


class SessionComparison(msgspec.Struct, frozen=True):
    """A session against earlier ones, or against a commit.

    Attributes
    ----------
    changes : sequence of SessionChange
    unjudged : sequence of str
        Sentences on what could not be compared; any of them fails a strict session.
    """

    changes: Sequence[SessionChange] = ()
    unjudged: Sequence[str] = ()
    is_void: bool = False
    """Whether nothing at all could be measured of what was asked for."""


def compare_with_commit(
    config: pytest.Config, items: Sequence[pytest.Item], revision: str
) -> SessionComparison:
    """Measure all timed tests of a session in turns with a commit."""
    try:
        confirmation = measure_in_turns(config, items, revision, screens=False)
    except UnmeasurableError as error:
        return SessionComparison(
            unjudged=[f"nothing was measured in turns with {revision}: {error}"], is_void=True
        )
    changes = [
        SessionChange(item.nodeid, turned.outcome, turned=turned, commit=confirmation.commit)
        if (turned := confirmation.turned.get(item.nodeid))
        else SessionChange(item.nodeid, "not_judged", reason=confirmation.reasons[item.nodeid])
        for item in items
    ]
    return SessionComparison(changes)


def compare_with_kept(
    config: pytest.Config,
    items: Sequence[pytest.Item],
    means: Mapping[str, SessionMeans],
    directories: Sequence[Path],
    name: str,
    is_wanted: Callable[[str], bool],
) -> SessionComparison:
    """Compare with kept sessions, and measure in turns with the commit of the last one what looks slower.

    Parameters
    ----------
    items : sequence of pytest.Item
        The timed tests.
    means : Mapping
        Of this session, by the names of its tests.
    directories : sequence of Path
        Of the kept sessions, oldest first.
    is_wanted : callable
        Whether a test of this name was to run, if it is still there.
    """
    saved, unjudged = _read_all(directories, name)
    if not saved:
        missing = (
            f"nothing to compare with: no session was saved as {name!r} (pytest --steelyard-save {name})"
        )
        return SessionComparison(unjudged=unjudged or [missing])
    moved = compare_sessions([session.means for session in saved], means)
    if absent := sorted(means.keys() - {move.name for move in moved}):
        unjudged.append(f"not in any session saved as {name!r}: {', '.join(absent)}")
    if gone := sorted(filter(is_wanted, saved[-1].means.keys() - means.keys())):
        unjudged.append(f"saved as {name!r} but not timed now: {', '.join(gone)}")
    by_name = {name_of(item): item for item in items}
    suspects = [by_name[move.name] for move in moved if move.speedup < 1 and move.name in by_name]
    confirmation, reason = _confirm(config, suspects, saved[-1])
    changes = [
        _change(move, by_name[move.name].nodeid if move.name in by_name else "", confirmation, reason)
        for move in moved
    ]
    return SessionComparison(changes, unjudged)


def _read_all(directories: Sequence[Path], name: str) -> tuple[list[SavedSession], list[str]]:
    saved, unjudged = [], []
    for directory in directories:
        try:
            saved.append(read_saved(directory))
        except (SteelyardError, OSError) as error:
            unjudged.append(f"a session kept as {name} is left out: {error}: rm -r {directory}")
    return saved, unjudged


def _confirm(
    config: pytest.Config, suspects: Sequence[pytest.Item], last: SavedSession
) -> tuple[TurnsConfirmation | None, str]:
    """Return turns with the commit of the last kept session, or why there are none."""
    if not suspects:
        return None, ""
    commit = last.host.get("git_commit")
    if commit is None:
        return None, "the last kept session does not say of which commit it is"
    if last.host.get("git_dirty"):
        return None, f"the last kept session had changes that its commit {str(commit)[:DIGITS]} has not"
    try:
        return measure_in_turns(config, suspects, str(commit), screens=True), ""
    except UnmeasurableError as error:
        return None, error.message


def _change(moved: Moved, nodeid: str, confirmation: TurnsConfirmation | None, reason: str) -> SessionChange:
    if confirmation is not None and nodeid in confirmation.turned:
        turned = confirmation.turned[nodeid]
        standing: Standing = "not_confirmed" if turned.outcome == "not_resolved" else turned.outcome
        return SessionChange(moved.name, standing, moved, turned, confirmation.commit)
    if confirmation is not None:
        reason = confirmation.reasons.get(nodeid, "")
    if moved.outcome == "slower":
        return SessionChange(moved.name, "suspected", moved, reason=reason)
    if moved.interval is None and moved.speedup < 1:
        return SessionChange(moved.name, "not_judged", moved, reason=reason)
    return SessionChange(moved.name, "not_resolved", moved)
