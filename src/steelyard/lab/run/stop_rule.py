"""When to stop adding blocks: on a precision, or on an answer.

Looks follow a schedule that was fixed beforehand. A look that asks for a verdict is judged at the level that
all looks together leave it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from steelyard.design import next_look
from steelyard.lab.answer.status import seconds_run
from steelyard.lab.run.process import one_thread
from steelyard.results.flags import ENOUGH, EarlyDoubt
from steelyard.results.interval import Interval
from steelyard.spec.experiment import Experiment, Stop
from steelyard.store import Look, Record
from steelyard.store.entries import Decision

if TYPE_CHECKING:
    from steelyard.stats.planning.standing import Standing

End = Literal["complete", "precision_not_reached"]

HOPELESS: Final = 1.5
"""Times the half-width wanted; what more blocks leave is itself an estimate from few instances."""
PATIENCE_S: Final = 10.0
"""Time that a rule asks for an answer which names no limit."""
PATIENCE_ALONE_S: Final = 3.0
"""The same where one treatment is described, as in hyperfine; also the time after which programs are slow, so
that an answer is looked for from the least number of blocks on."""

_ENDS: Final[dict[Decision, End | None]] = {
    "reached": "complete",
    "capped": "precision_not_reached",
    "continue": None,
}
_DOUBTS: Final[dict[EarlyDoubt, str]] = {
    "bimodal": "there are two groups of times",
    "autocorrelated": "successive blocks are correlated",
}


class StopRule:
    """The stop rule of one record. Every look is stored.

    Between looks, asking costs the same however many blocks there are.
    """

    def __init__(self, record: Record, experiment: Experiment) -> None:
        self._record = record
        self._experiment = experiment
        self._stop = experiment.design.stop or Stop()
        self._instances = experiment.analysis.instances
        # The last of the runs is this one.
        self._spent_s = seconds_run(record.runs()[:-1], record.progress().last_start_ns)
        going_on = [look for look in record.looks() if look.decision == "continue"]
        self._last = max(going_on, key=lambda look: look.blocks, default=None)
        self._alone = len(record.treatments) == 1
        self.speedup: float | None = None
        self.interval: Interval | None = None
        """Of the first comparison at the last look."""
        extensions = record.extensions()
        self._extended_to = extensions[-1].to_blocks if extensions else None
        self._goal = self._find_next()

    def blocks_wanted(self) -> int:
        """Complete blocks until the next look, or until the end without a stop rule."""
        return self._goal

    def expected_end(self) -> int | None:
        """Complete blocks at which the run is likely to end; ``None`` where nothing tells yet.

        Half-widths shrink with the square root of the blocks, and the end is a look.
        """
        if self._ends_at_wanted():
            return self._goal
        look = self._last
        if look is None or look.rel_halfwidth is None or not look.target:
            return None
        if self._stop.decided and (self._stop.until == "verdict" or look.rel_halfwidth <= look.target):
            return None  # Narrow enough, and without a verdict: nobody knows when there will be one.
        needed = math.ceil(look.blocks * (look.rel_halfwidth / look.target) ** 2)
        if not self._stop.decided:
            needed = max(needed, ENOUGH)
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
        late = self.seconds_left(elapsed_s) == 0.0 and complete >= self.least
        if complete < self._goal and not late and not self._looks_early(complete, elapsed_s):
            return None
        if self._extended_to is not None:
            return self._close(complete, blocks)
        if not self._stop.looks:
            return "precision_not_reached" if late and complete < self._goal else "complete"
        return self._judge(complete, blocks, late=late)

    @property
    def target(self) -> float | None:
        """The relative half-width that ends the run; ``None`` where none does, or no look has told it yet."""
        if self._ends_at_wanted():
            return None
        follows_effect = self._stop.decided or self._stop.rel_effect is not None
        return self._last.target if follows_effect and self._last else self._stop.rel_halfwidth

    @property
    def least(self) -> int:
        """Complete blocks that time does not cut short: those of the design, where nobody set a limit."""
        if not self._stop.decided or self._stop.max_time_s is not None:
            return 0
        return self._experiment.design.blocks

    @property
    def reached(self) -> float | None:
        """The widest relative half-width at the last look that let the run go on."""
        return self._last.rel_halfwidth if self._last else None

    def seconds_spent(self, elapsed_s: float) -> float:
        """Seconds over all runs of the record."""
        return self._spent_s + elapsed_s

    def seconds_left(self, elapsed_s: float) -> float | None:
        """Seconds until the limit, which ``least`` blocks may exceed.

        ``None`` without one, or in an extension, which has its own blocks.
        """
        limit_s = self._stop.max_time_s
        if limit_s is None and self._stop.decided:
            limit_s = PATIENCE_ALONE_S if self._alone else PATIENCE_S
        if limit_s is None or self._extended_to is not None:
            return None
        return max(0.0, limit_s - self.seconds_spent(elapsed_s))

    def _find_next(self) -> int:
        if self._experiment.design.order == "sequential":
            return 1  # of all that there is
        if self._extended_to is not None:
            return self._extended_to
        last = self._last.blocks if self._last else 0
        return next_look(self._experiment, last) or self._experiment.design.blocks

    def _ends_at_wanted(self) -> bool:
        return not self._stop.looks or self._extended_to is not None

    def _looks_early(self, complete: int, elapsed_s: float) -> bool:
        """Whether to look before the first look: after each block, or pass, of programs that are slow."""
        if not self._stop.decided or self.seconds_spent(elapsed_s) < PATIENCE_ALONE_S:
            return False
        before_first = self._goal == next_look(self._experiment, 0) and self._extended_to is None
        passes = self._experiment.contexts.passes if self._experiment.contexts else 1
        fresh = self._last is None or self._last.blocks < complete
        return before_first and fresh and complete >= self._experiment.design.blocks and not complete % passes

    def _judge(self, complete: int, blocks: int, *, late: bool) -> End | None:
        last = late or next_look(self._experiment, complete) is None
        standing = self._look(complete, last=last)
        # Time may run out before the first look. Intervals of so few blocks are too narrow to stop on.
        first = self._experiment.design.blocks if self._stop.decided else next_look(self._experiment, 0)
        reached = standing.answered and (first is None or complete >= first)
        if reached and not standing.relied_on(complete, verdicts=self._stop.decided):
            reached = False
            if standing.doubts or last:
                self._record.add_warning("late_look", _describe_unreliable(complete, standing.doubts))
        beyond = standing.until == "size" and standing.floor > HOPELESS * standing.target
        if beyond and not last:
            self._record.add_warning(
                "out_of_reach",
                f"More blocks cannot narrow half-widths below about {100 * standing.floor:.2g} %; reaching"
                f" {100 * standing.target:.2g} % takes more levels of {self._instances}.",
            )
        decision: Decision = "reached" if reached else "capped" if last or beyond else "continue"
        self._last = self._add_look(complete, blocks, standing, decision)
        self._goal = self._find_next()
        return _ENDS[decision]

    def _close(self, complete: int, blocks: int) -> End:
        """Store the look at the end of an extension, whose blocks are what was asked for."""
        standing = self._look(complete)
        # An extension that was continued after its last look has that look already.
        if all(look.blocks < complete for look in self._record.looks()):
            reached = self._stop.looks and standing.answered
            self._add_look(complete, blocks, standing, "reached" if reached else "capped")
        return "complete" if standing.answered or not self._stop.looks else "precision_not_reached"

    def _look(self, complete: int, *, last: bool = False) -> Standing:
        # Numpy is loaded here at the earliest: a run without a stop rule never needs it.
        with one_thread():
            from steelyard.lab.answer.analyze import standing_of

        standing = standing_of(self._record, complete, last=last)
        self.speedup, self.interval = standing.speedup, standing.interval
        return standing

    def _add_look(self, complete: int, blocks: int, standing: Standing, decision: Decision) -> Look:
        metric = self._experiment.analysis.metric
        target = standing.target if self._stop.looks else None
        look = Look(blocks, metric, time.time_ns(), complete, standing.halfwidth, target, decision)
        self._record.add_look(look)
        return look


def _describe_unreliable(blocks: int, doubts: Sequence[EarlyDoubt]) -> str:
    """Why a precision that was reached by few blocks does not end the run."""
    if not doubts:
        return (
            f"{blocks} blocks are too few to estimate autocorrelation: below {ENOUGH}, a run ends only at a"
            " quarter of the requested half-width."
        )
    why = " and ".join(_DOUBTS[doubt] for doubt in doubts)
    return f"Did not stop after {blocks} blocks, before {ENOUGH}: {why}."
