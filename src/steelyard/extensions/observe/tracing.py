"""Traces: every level once more in blocks, under ``perf stat -I``, which reads its counters every so often.

A trace has a cost of its own, which is why these runs are not those that probes are compared by.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from steelyard.core.analysis import Analysis
from steelyard.core.errors import MachineError, UsageError
from steelyard.extensions.observe.tracing_changes import TracedRun
from steelyard.run.measure.measurement import Value
from steelyard.spec.experiment import Design, Experiment, UserMetric
from steelyard.store import Record

EVENTS: Final = ("page-faults", "instructions")
CLOCK: Final = "task-clock"
"""Counted in every trace: the CPU time that runs are laid over each other by."""
_EVENT: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*(:[A-Za-z]+)?")
_CHECK_S: Final = 30.0


class Tracing(msgspec.Struct, frozen=True):
    """A trace: its interval and its events.

    Attributes
    ----------
    interval_ms : int
        From one reading to the next.
    events : tuple of str
        As perf names them.
    """

    interval_ms: int
    events: tuple[str, ...] = EVENTS

    def refuse_missing(self) -> None:
        """Refuse a trace that this machine cannot make, before the first run.

        Raises
        ------
        UsageError
            No event, a malformed one, or one that is given twice.
        MachineError
            perf is not installed, or cannot count an event here.
        """
        if not self.events:
            raise UsageError("a trace needs an event", hint=f"--trace-events {','.join(EVENTS)}")
        for place, event in enumerate(self.events):
            if not _EVENT.fullmatch(event):
                raise UsageError(f"not the name of an event: {event!r}", hint="perf list shows their names")
            if _name(event) in map(_name, (*self.events[:place], CLOCK)):
                raise UsageError(
                    f"the event {event!r} is traced twice", hint=f"leave it out; {CLOCK} is always counted"
                )
        if shutil.which("perf") is None:
            raise MachineError("a trace needs perf, which is not found", hint="apt-get install linux-perf")
        for event in (CLOCK, *self.events):
            command = ["perf", "stat", "-x,", "-e", event, "--", "true"]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_CHECK_S)
            if done.returncode or not re.search(
                _format_row_pattern(event, r"[0-9.]+", every=False), done.stderr, re.MULTILINE
            ):
                raise MachineError(
                    f"perf cannot count the event {event} on this machine",
                    hint="--trace-events with others: page-faults needs no counter of the processor",
                )

    def experiment(self, experiment: Experiment, blocks: int) -> Experiment:
        """Make the experiment of the same levels under perf; every reading is an iteration of a metric.

        The program's stderr is thrown away, so that perf alone writes what is read.
        """
        script = (
            "exec 3>&2 2>/dev/null; exec perf stat --log-fd 3"
            f' -I {self.interval_ms} -x, -e {",".join((CLOCK, *self.events))} -- "$@"'
        )
        commands = {
            name: ("sh", "-c", script, "sh", *words) for name, words in experiment.program.commands.items()
        }
        number = r"([0-9.]+)"
        spent = _format_row_pattern(CLOCK, "[0-9.]+") + number
        metrics = [UserMetric("trace_cpu_ns", unit="ns", source="stderr", pattern=spent)]
        for event in (CLOCK, *self.events):
            at = rf"^ *{number}(?=" + _format_row_pattern(event, "[0-9.]+").removeprefix(_AT) + ")"
            metrics.append(UserMetric(_format_column(event), unit="s", source="stderr", pattern=at))
            if event != CLOCK:
                metrics.append(
                    UserMetric(
                        _name(event), unit="", source="stderr", pattern=_format_row_pattern(event, number)
                    )
                )
        verify = msgspec.structs.replace(experiment.program.verify, stderr_sha256=None)
        program = msgspec.structs.replace(experiment.program, commands=commands, counters=(), verify=verify)
        return msgspec.structs.replace(
            experiment,
            name="observe, traces",
            program=program,
            metrics=tuple(metrics),
            design=Design(blocks=blocks, seed=experiment.design.seed),
            analysis=Analysis(metric="wall_s", baseline=experiment.analysis.baseline),
        )

    def runs(self, place: Path) -> list[TracedRun]:
        """Read the traced runs of a record's complete blocks."""
        with Record.open(place) as record:
            levels = {s.treatment.id: str(s.treatment.levels["command"]) for s in record.samples("wall_s")}
            traces = {
                outcome.block.id
                for outcome in record.outcomes()
                if outcome.state == "complete" and not outcome.block.discard
            }
            return [
                run
                for _, trial in record.stream_measurements()
                if trial.status == "ok" and trial.block in traces
                for run in self.read_run(levels[trial.treatment], trial.block, trial.values)
            ]

    def read_run(self, level: str, block: int, values: Sequence[Value]) -> Iterator[TracedRun]:
        """Read one run; yields nothing where nothing was counted at all.

        Values are matched by the moment of their reading: of an interval in which the program did not run,
        perf says that nothing was counted.
        """
        series: dict[str, list[float]] = {}
        for value in sorted(values, key=lambda value: value.i):
            series.setdefault(value.metric, []).append(value.value)
        cpu_s = dict(_get_pairs(series, _format_column(CLOCK), "trace_cpu_ns"))
        times = [at for at, ns in cpu_s.items() if ns > 0]
        if not times:
            return
        counts = {}
        for event in self.events:
            counted = dict(_get_pairs(series, _format_column(event), _name(event)))
            if all(at in counted for at in times):
                counts[event] = np.array([counted[at] for at in times])
        yield TracedRun(level, block, np.array([cpu_s[at] for at in times]) / 1e9, counts)


_AT: Final = r"^ *[0-9.]+"


def _format_row_pattern(event: str, value: str, *, every: bool = True) -> str:
    """Return a row of perf: time (with ``every``), value, unit, event, nanoseconds of counting."""
    start = f"{_AT}," if every else "^ *"
    return rf"{start}{value},[^,\n]*,{re.escape(event)}(?::u)?,"


def _get_pairs(
    series: Mapping[str, Sequence[float]], first: str, second: str
) -> Iterator[tuple[float, float]]:
    return zip(series.get(first, ()), series.get(second, ()), strict=True)


def _name(event: str) -> str:
    return "trace_" + re.sub(r"[^A-Za-z0-9]", "_", event)


def _format_column(event: str) -> str:
    return _name(event) + "_at_s"
