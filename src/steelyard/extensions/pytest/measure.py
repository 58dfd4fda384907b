"""Functions of this process compared: calibrated loops in randomised blocks, until that is answered."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import count
from typing import Final

from steelyard.core.analysis import Analysis
from steelyard.core.errors import UsageError
from steelyard.core.estimand import INTERVALS, Estimand
from steelyard.core.look_schedule import GROWTH
from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import Metric
from steelyard.extensions.pytest.blocks import draw_order, timed_blocks
from steelyard.extensions.pytest.loop import calibrate, quiet_memory
from steelyard.results.analysis import Answer, DesignFacts, State
from steelyard.results.notice import Notice
from steelyard.stats.answer import answer
from steelyard.stats.compare.comparison import compare
from steelyard.stats.planning.precision import precision
from steelyard.stats.planning.standing import standing
from steelyard.stats.sequential.over_looks import looks_of

CALL: Final = Metric("call_s", "s", "user", "lower", "time of one call")
FIRST_LOOK: Final = 20
"""Blocks before the first look; each takes a millisecond or less of functions that are shorter."""
MAX_TIME_S: Final = 10.0
LEAST_BLOCKS: Final = 5
"""Blocks that slow functions get, whatever the time; more where no test could decide by so few."""


def measure(
    functions: Mapping[str, Callable[[], object]],
    *,
    precision_wanted: float | None = None,
    max_time_s: float | None = None,
    margin: float | None = None,
    estimand: Estimand = "median_ratio",
    seed: int = 1,
) -> Answer:
    """Time the functions in randomised blocks, and compare each with the first.

    Parameters
    ----------
    functions : Mapping[str, callable]
        By the name that the answer calls them; called without arguments.
    precision_wanted : float, optional
        Relative half-width of every interval that ends it (below 30 blocks, at a quarter of it); by default
        it ends when every verdict is decided and its interval narrow (a tenth of the effect, or 1 %).
    max_time_s : float, optional
        After this it ends with what there is, and before a block that would probably end later, but not below
        two blocks. By default after 10 s, once each function has been timed often enough for a verdict: seven
        times for two functions.
    estimand : Estimand
        By default the median of the blocks' ratios: who interrupts a loop is mostly somebody else, and a
        mean pays for it with four times the spread and more.

    Raises
    ------
    UsageError
        No function, or something that cannot be called.
    KeyboardInterrupt
        Ctrl-C; a note says how many blocks there were.
    """
    for name, function in functions.items():
        if not callable(function):
            raise UsageError(f"{name} is not callable: {function!r}", hint="give functions: measure(f, g)")
    if not functions:
        raise UsageError("nothing to measure", hint="measure(f, g)")
    if estimand not in INTERVALS:
        raise UsageError(f"estimand={estimand!r} is not known", hint=f"one of: {', '.join(INTERVALS)}")
    _refuse_fractions(precision=precision_wanted, margin=margin)
    declared = Analysis(metric=CALL.name, estimand=estimand, margin=margin, seed=seed)
    course = _Course(tuple(functions), declared, precision_wanted, 2 if max_time_s is not None else None)
    try:
        with quiet_memory():
            ended = started = time.perf_counter()
            loops = [calibrate(function) for function in functions.values()]
            for row in timed_blocks(loops, seed):
                begun, ended = ended, time.perf_counter()
                if max_time_s is None:
                    late = ended - started >= MAX_TIME_S
                else:
                    late = ended - started + (ended - begun) > max_time_s
                if course.ends(row, late=late):
                    break
    except KeyboardInterrupt as error:
        error.add_note(f"measure(): stopped after {len(course.rows)} blocks; max_time ends it with an answer")
        raise
    in_one_process = Notice("note", fields={"text": ONE_PROCESS})
    return answer("measure", course.samples(), course.facts(), declared, unobserved=[in_one_process])


def _refuse_fractions(**fractions: float | None) -> None:
    for name, fraction in fractions.items():
        if fraction is not None and not 0 < fraction < 1:
            raise UsageError(f"{name}={fraction!r} is not between 0 and 1", hint=f"{name}=0.02, which is 2 %")


class _Course:
    """Blocks so far, and whether they are enough.

    Enough are at least ``fewest`` when time is over, or as many as can decide a verdict.
    """

    def __init__(
        self, names: Sequence[str], declared: Analysis, target: float | None, fewest: int | None
    ) -> None:
        self._fewest = fewest
        self.rows: list[tuple[float, ...]] = []
        self._trials: list[array[int]] = [array("q") for _ in names]
        self._names = names
        self._declared = declared
        self._target = target
        self._looks: list[int] = []
        self._idle: list[int] = []
        self._closed: int | None = None
        self._state: State = "interrupted"
        self._reached: float | None = None

    @cached_property
    def _least(self) -> int:
        """Blocks by which a verdict can be decided; simulated, so asked for only when time is over."""
        comparisons = max(1, len(self._names) - 1)
        # All signs alike are the most that the sign test can find: p = 2^(1 - n).
        return next(n for n in count(LEAST_BLOCKS) if 2.0 ** (1 - n) <= self._declared.alpha / comparisons)

    def ends(self, row: tuple[float, ...], *, late: bool) -> bool:
        """Take a block, look where that is due, and tell whether it was the last."""
        self.rows.append(row)
        before = (len(self.rows) - 1) * len(row)
        order = draw_order(len(row), self._declared.interval_seed, len(self.rows))
        for trial, place in enumerate(order, before + 1):
            self._trials[place].append(trial)
        late = late and len(self.rows) >= (self._fewest or self._least)
        due = int(self._looks[-1] * GROWTH) if self._looks else FIRST_LOOK
        if len(self.rows) < due and not late:
            return False
        self._looks.append(len(self.rows))
        self._closed = len(self.rows) if late else None
        samples, looks = self.samples(), looks_of(self.facts())
        judged = compare(samples, self._declared, looks=looks) if len(self._names) > 1 else ()
        reached = standing(precision(samples, self._declared, looks=looks), judged, self._target)
        if reached.relied_on(len(self.rows), verdicts=self._target is None):
            self._state = "complete"
        elif late:
            self._state, self._reached = "precision_not_reached", reached.halfwidth
        elif reached.halfwidth is None or reached.halfwidth > reached.target:
            self._idle.append(len(self.rows))
        return self._state != "interrupted"

    def facts(self) -> DesignFacts:
        """How the values were made."""
        return DesignFacts(
            "randomized-blocks",
            len(self.rows),
            self._declared.interval_seed,
            state=self._state,
            looks=tuple(self._looks),
            decided=self._target is None,
            closed=self._closed,
            idle=tuple(self._idle),
            target=self._target,
            reached=self._reached,
        )

    def samples(self) -> list[Sample]:
        """Return a sample of each function; blocks are numbered, and no context is drawn."""
        n = len(self.rows)
        numbers = array("q", range(1, n + 1))
        ones, none = array("q", [1]) * n, array("q", [0]) * n
        return [
            Sample(
                CALL,
                Treatment(place + 1, name, {"function": name}),
                array("d", [row[place] for row in self.rows]),
                blocks=numbers,
                passes=ones,
                contexts=none,
                trials=self._trials[place],
            )
            for place, name in enumerate(self._names)
        ]


ONE_PROCESS: Final = (
    "Other processes: addresses, the hash seed and what was allocated before are those of this one, and in no"
    " interval."
)
