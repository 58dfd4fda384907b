"""When to stop adding blocks: on precision, looked at on a schedule that was fixed beforehand; never on
significance.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final, Literal

from steelyard.design import BlockOutcome, next_look
from steelyard.spec.experiment import Experiment, Stop
from steelyard.store import Look, Record
from steelyard.store.entries import Decision

End = Literal["complete", "precision_not_reached"]

_ENDS: Final[dict[Decision, End | None]] = {
    "reached": "complete",
    "capped": "precision_not_reached",
    "continue": None,
}


class Stopping:
    """The stop rule of one record. Every look is stored."""

    def __init__(self, record: Record, experiment: Experiment) -> None:
        self._record = record
        self._experiment = experiment
        self._stop = experiment.design.stop or Stop()
        self._last_look = max(
            (look.blocks for look in record.looks() if look.decision == "continue"), default=0
        )

    def blocks_wanted(self) -> int:
        """Complete blocks until the next look, or until the end where there is no stop rule."""
        if self._experiment.design.order == "sequential":
            return 1
        return next_look(self._experiment, self._last_look) or self._experiment.design.blocks

    def look(self, outcomes: Sequence[BlockOutcome], elapsed_s: float) -> End | None:
        """Why to stop now, or ``None`` to go on.

        Parameters
        ----------
        outcomes : sequence of BlockOutcome
            All blocks so far.
        elapsed_s : float
            Of this run, for ``max_time``.
        """
        complete = sum(outcome.state == "complete" for outcome in outcomes)
        late = self._stop.max_time_s is not None and elapsed_s >= self._stop.max_time_s
        if complete < self.blocks_wanted() and not late:
            return None
        if self._stop.rel_halfwidth is None:
            return "precision_not_reached" if late and complete < self.blocks_wanted() else "complete"
        return self._judge(outcomes, complete, self._stop.rel_halfwidth, late=late)

    def seconds_left(self, elapsed_s: float) -> float | None:
        """Until ``max_time``; ``None`` where there is none."""
        return None if self._stop.max_time_s is None else max(0.0, self._stop.max_time_s - elapsed_s)

    def _judge(
        self, outcomes: Sequence[BlockOutcome], complete: int, wanted: float, *, late: bool
    ) -> End | None:
        # Numpy is loaded here at the earliest: a run without a stop rule never needs it.
        from steelyard.lab.analyze import primary_precision

        widest = primary_precision(self._record).widest
        last = late or next_look(self._experiment, complete) is None
        # Time may run out before the first look. Intervals of so few blocks are too narrow to stop on.
        first = next_look(self._experiment, 0)
        reached = widest is not None and widest <= wanted and (first is None or complete >= first)
        decision: Decision = "reached" if reached else "capped" if last else "continue"
        metric = self._experiment.analysis.metric
        self._record.add_look(Look(len(outcomes), metric, time.time_ns(), complete, widest, wanted, decision))
        self._last_look = complete
        return _ENDS[decision]
