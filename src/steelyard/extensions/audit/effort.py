"""Effort of an audit: how many levels are visited, and how often, in the time available."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from steelyard.extensions.audit.candidates import AuditCandidate
from steelyard.extensions.audit.request import MAX_TIME_S, AuditRequest
from steelyard.extensions.audit.results import COUNTED
from steelyard.extensions.audit.screening import FASTEST, SLOWEST, TYPICAL

PASSES: Final = 3
"""Passes of the screening: the fewest whose median forgives one disturbed run."""

_BLOCKS: Final = (12, 30)
"""Blocks of the replication: at least, and at most in the default time; a longer time has more."""

FEWEST_BLOCKS: Final = 2
"""Blocks without which a spread is undefined."""

FEWEST_FOR_LOOKS: Final = 3
"""Blocks at the first of several looks."""

MOST_TIMED: Final = 48
"""Levels of ``COUNTED`` that are timed after counts."""

_SCREENING: Final = 0.6
"""Fraction of the time; the replication gets the rest."""

SHARE_IN_A_LIMIT: Final = 0.5
"""The same where the time is a limit: whatever the screening leaves goes to the replication."""

_LEVELS: Final = (16, 8, 48)
"""Levels of the first numeric kind at least; of the others at least and at most: they move the same stack."""

_LEVELS_IN_A_LIMIT: Final = (8, 4, 48)
"""The same where the time is a limit: more would leave no time for the replication."""

_FIRST: Final = 6
"""Levels of the first numeric kind for each level of another one."""

_OVERHEAD_S: Final = 0.0015
"""Cost of a run beyond the program's own time."""

_SLOW: Final = 1.5
"""Time of the average run over that of the first: some contexts are slow, or there would be no audit."""


class Effort(msgspec.Struct, frozen=True):
    """Plan of an audit's stages.

    Attributes
    ----------
    levels : Mapping[str, int]
        To visit of each numeric kind.
    blocks : int
        Of the replication.
    seconds : float
        Both stages, as expected.
    least_s : float
        That one pass and the fewest blocks take at least.
    """

    levels: Mapping[str, int]
    passes: int
    blocks: int
    seconds: float
    least_s: float


def cost_s(run_s: float) -> float:
    """Seconds to reckon with for one run of a program whose first took ``run_s``."""
    return _SLOW * (run_s + _OVERHEAD_S)


def effort(request: AuditRequest, among: Sequence[AuditCandidate], run_s: float) -> Effort:
    """Plan the stages for a program that takes ``run_s`` seconds."""
    each_s = cost_s(run_s)
    numeric = [candidate for candidate in among if candidate.numeric]
    rows = request.max_time_s * _SCREENING / each_s / PASSES
    first, further, most = _LEVELS_IN_A_LIMIT if request.limited else _LEVELS
    levels: dict[str, int] = {}
    for place, candidate in enumerate(numeric):
        unit = rows / (_FIRST + len(numeric) - 1)
        goal = max(first, _FIRST * unit) if not place else min(max(further, unit), most)
        # A byte in each step of the stack; all bytes only where that is asked for.
        count = candidate.levels if request.thorough else min(len(candidate.population), round(goal))
        levels[candidate.name] = (
            min(count, MOST_TIMED) if request.counts and candidate.name == COUNTED else count
        )
    again = sum(TYPICAL + SLOWEST + FASTEST if c.numeric else len(c.population) for c in among)
    blocks = int(request.max_time_s * (1 - _SCREENING) / each_s / again)
    blocks = min(max(blocks, _BLOCKS[0]), int(_BLOCKS[1] * max(1.0, request.max_time_s / MAX_TIME_S)))
    screening_s = each_s * sum(levels.values()) * PASSES
    seconds = screening_s + each_s * again * (blocks + 1)
    least_s = (screening_s / PASSES + each_s * again * (FEWEST_BLOCKS + 1)) / _SLOW
    return Effort(levels, PASSES, blocks, seconds, least_s)
