"""Measurements from the runner's journal.

Each trial is judged, and has the values that its program reported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Final

from steelyard.core.errors import UsageError
from steelyard.core.sample import Treatment
from steelyard.design.plan import Block
from steelyard.run.launch.launch_plan import LaunchPlan
from steelyard.run.measure.extract import Extractor, MissingValueError
from steelyard.run.measure.extract.harness import ReadOutput
from steelyard.run.measure.measurement import OBSERVED, Measurement, Value
from steelyard.run.measure.time_limit import TimeLimitExceededError, time_limit
from steelyard.run.measure.verify import Verifier
from steelyard.run.runner.journal import RawTrial

TIMEOUT_S: Final = 60.0
"""Limit for the trials of a batch, which took half a second or are one; reading a megabyte of each takes
milliseconds."""

_observed: Final[Callable[[RawTrial], tuple[Any, ...]]] = attrgetter(*OBSERVED)


class Measurer:
    """Turns raw trials of these launches into measurements; ``read_output`` reads what a harness wrote."""

    def __init__(
        self, launches: LaunchPlan, read_output: ReadOutput, *, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._verifier = Verifier(launches.experiment)
        self._extractor = Extractor(launches.experiment, read_output)
        self._treatments = {treatment.id: treatment for treatment in launches.treatments}
        self._paths = launches.paths()
        self._timeout_s = timeout_s
        experiment = launches.experiment
        verify = (experiment.program.verify.stdout, experiment.program.verify.stderr)
        self._patterns = [
            pattern
            for pattern in (*verify, *(metric.pattern for metric in experiment.metrics))
            if pattern is not None
        ]

    def measure(self, raw_trials: Sequence[RawTrial], blocks: Sequence[Block]) -> list[Measurement]:
        """Return the measurements of trials that belong to ``blocks``.

        Raises
        ------
        UsageError
            A regular expression of the spec does not come to an end on what was printed.
        """
        places = {
            trial: (block.id, place, self._treatments[treatment])
            for block in blocks
            for place, (trial, treatment) in enumerate(enumerate(block.order, block.first_trial), 1)
        }
        measured: list[Measurement] = []
        try:
            with time_limit(self._timeout_s):
                measured.extend(self._make_measurement(raw, *places[raw.trial]) for raw in raw_trials)
        except TimeLimitExceededError:
            trial = raw_trials[len(measured)].trial
            raise UsageError(
                f"matching the patterns against the output of trial {trial} did not finish within"
                f" {self._timeout_s:g} s; the patterns are: {', '.join(map(repr, self._patterns))}",
                hint="repetitions inside repetitions, as in (a+)+, are tried in endlessly many ways; write a"
                " pattern that can match in one way only, and run into a new record",
            ) from None
        return measured

    def _make_measurement(self, raw: RawTrial, block: int, place: int, treatment: Treatment) -> Measurement:
        status, reason = self._verifier.judge(raw, self._paths[treatment.id])
        values: tuple[Value, ...] = ()
        if raw.counters:  # most specs ask for none
            values = tuple(Value(name, value) for name, value in raw.counters.items() if value is not None)
        if status == "ok":
            try:
                values += self._extractor.values(treatment.levels, raw)
            except MissingValueError as error:
                status, reason = "failed", str(error)
        # The names are looked up once for all trials: to pass each by name takes five times as long.
        captured = (None, None) if status == "ok" else (raw.stdout, raw.stderr)
        about = (raw.trial, block, place, treatment.id, status)
        fields: tuple[Any, ...] = (*about, *_observed(raw), reason, values, *captured)
        return Measurement(*fields)
