"""When to stop adding blocks: on precision, looked at on a schedule that was fixed beforehand; never on
significance.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Final, Literal

from steelyard.answers.flags import EarlyDoubt
from steelyard.design import next_look
from steelyard.lab.run.process import one_thread
from steelyard.lab.run.status import seconds_run
from steelyard.spec.experiment import Experiment, Stop
from steelyard.store import Look, Record
from steelyard.store.entries import Decision

if TYPE_CHECKING:
    from steelyard.stats.planning.precision import Precision

End = Literal["complete", "precision_not_reached"]

FIRST_IN_DOUBT: Final = 20
"""Blocks before a look may end a run whose first values fall into groups, or resemble their neighbours."""

_ENDS: Final[dict[Decision, End | None]] = {
    "reached": "complete",
    "capped": "precision_not_reached",
    "continue": None,
}
_DOUBTS: Final[dict[EarlyDoubt, str]] = {
    "bimodal": "values fall into two groups",
    "autocorrelated": "neighbouring blocks resemble each other",
}


class StopRule:
    """The stop rule of one record. Every look is stored.

    Between looks, asking costs the same however many blocks there are.
    """

    def __init__(self, record: Record, experiment: Experiment) -> None:
        self._record = record
        self._experiment = experiment
        self._stop = experiment.design.stop or Stop()
        # The last of the runs is this one.
        self._spent_s = seconds_run(record.runs()[:-1], record.progress().last_start_ns)
        going_on = [look for look in record.looks() if look.decision == "continue"]
        self._last = max(going_on, key=lambda look: look.blocks, default=None)
        extensions = record.extensions()
        self._extended_to = extensions[-1].to_blocks if extensions else None
        self._wanted = self._next()

    def blocks_wanted(self) -> int:
        """Complete blocks until the next look, or until the end without a stop rule."""
        return self._wanted

    def expected_end(self) -> int | None:
        """Complete blocks at which the run is likely to end; ``None`` where nothing tells yet.

        Half-widths shrink with the square root of the blocks, and the end is a look.
        """
        if self._ends_at_wanted():
            return self._wanted
        look = self._last
        if look is None or look.rel_halfwidth is None or not look.wanted:
            return None
        needed = math.ceil(look.blocks * (look.rel_halfwidth / look.wanted) ** 2)
        end = next_look(self._experiment, max(needed - 1, look.blocks))
        return self._stop.max_blocks if end is None else end

    def look(self, complete: int, blocks: int, elapsed_s: float) -> End | None:
        """Decide whether to stop now; ``None`` to continue.

        Parameters
        ----------
        complete, blocks : int
            Blocks so far that count, and all of them.
        elapsed_s : float
            Of this run; ``max_time`` counts those before as well.
        """
        late = self.seconds_left(elapsed_s) == 0.0
        if complete < self._wanted and not late:
            return None
        if self._extended_to is not None:
            return self._close(complete, blocks)
        if self._stop.rel_halfwidth is None:
            return "precision_not_reached" if late and complete < self._wanted else "complete"
        return self._judge(complete, blocks, self._stop.rel_halfwidth, late=late)

    @property
    def target(self) -> float | None:
        """The relative half-width that ends the run; ``None`` where none does."""
        return None if self._ends_at_wanted() else self._stop.rel_halfwidth

    @property
    def reached(self) -> float | None:
        """The widest relative half-width at the last look that let the run go on."""
        return self._last.rel_halfwidth if self._last else None

    def seconds_spent(self, elapsed_s: float) -> float:
        """Seconds over all runs of the record."""
        return self._spent_s + elapsed_s

    def seconds_left(self, elapsed_s: float) -> float | None:
        """Seconds until ``max_time``; ``None`` without one, or in an extension, which has its own blocks."""
        if self._stop.max_time_s is None or self._extended_to is not None:
            return None
        return max(0.0, self._stop.max_time_s - self.seconds_spent(elapsed_s))

    def _next(self) -> int:
        if self._experiment.design.order == "sequential":
            return 1  # of all that there is
        if self._extended_to is not None:
            return self._extended_to
        last = self._last.blocks if self._last else 0
        return next_look(self._experiment, last) or self._experiment.design.blocks

    def _ends_at_wanted(self) -> bool:
        return self._stop.rel_halfwidth is None or self._extended_to is not None

    def _judge(self, complete: int, blocks: int, wanted: float, *, late: bool) -> End | None:
        found = self._look()
        last = late or next_look(self._experiment, complete) is None
        # Time may run out before the first look. Intervals of so few blocks are too narrow to stop on.
        first = next_look(self._experiment, 0)
        reached = found.reached(wanted) and (first is None or complete >= first)
        if reached and complete < FIRST_IN_DOUBT and found.doubts:
            reached = False
            why = " and ".join(_DOUBTS[doubt] for doubt in found.doubts)
            self._record.add_warning(
                "late_look",
                f"The precision of {complete} blocks was not relied on, since {why}:"
                f" looks count from {FIRST_IN_DOUBT} blocks on.",
            )
        decision: Decision = "reached" if reached else "capped" if last else "continue"
        self._last = self._add_look(complete, blocks, found.widest, wanted, decision)
        self._wanted = self._next()
        return _ENDS[decision]

    def _close(self, complete: int, blocks: int) -> End:
        """The end of an extension: its blocks are what was asked for, and the look is stored."""
        found, wanted = self._look(), self._stop.rel_halfwidth
        reached = wanted is not None and found.reached(wanted)
        # An extension that was continued after its last look has that look already.
        if all(look.blocks < complete for look in self._record.looks()):
            self._add_look(complete, blocks, found.widest, wanted, "reached" if reached else "capped")
        return "complete" if reached or wanted is None else "precision_not_reached"

    def _look(self) -> Precision:
        # Numpy is loaded here at the earliest: a run without a stop rule never needs it.
        with one_thread():
            from steelyard.lab.answer.analyze import primary_precision

        return primary_precision(self._record)

    def _add_look(
        self, complete: int, blocks: int, widest: float | None, wanted: float | None, decision: Decision
    ) -> Look:
        metric = self._experiment.analysis.metric
        look = Look(blocks, metric, time.time_ns(), complete, widest, wanted, decision)
        self._record.add_look(look)
        return look
