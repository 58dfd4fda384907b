"""The stages of an audit, each an experiment with a record of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.core.errors import UsageError
from steelyard.core.units import Metric, Scalar, format_duration, format_quantity
from steelyard.design import treatments
from steelyard.design.contexts import draw_context
from steelyard.design.plan import Context
from steelyard.extensions.audit.candidates import UNDISTURBED, Threads, addresses_can_be_fixed
from steelyard.extensions.audit.effort import FEWEST_FOR_LOOKS, Effort, cost_s
from steelyard.extensions.audit.request import AuditRequest, Row
from steelyard.lab.answer.disturbance import note_cpus, select_disturbed
from steelyard.lab.answer.status import extent
from steelyard.lab.run.existing_record import refuse_other_stage
from steelyard.lab.run.run import ENVIRONMENT, run
from steelyard.lab.run.run_loop import Watch
from steelyard.results.notice import Notice
from steelyard.results.status import Progress
from steelyard.run.launch.launch import CAPTURE, NULL, Launch
from steelyard.run.launch.launch_plan import LaunchPlan
from steelyard.run.measure.verify import ending
from steelyard.run.runner.runner import probe_launches
from steelyard.spec.experiment import Experiment, Stop
from steelyard.stats.sequential.looks import Looks
from steelyard.store import Record
from steelyard.store.facts import FILE

_SHORTEST_S: Final = 1e-3
"""A limit has to be positive; one block is run whatever it is."""

_COMPUTES: Final = (0.8, 1.1)
"""CPU time over elapsed time without waits for a CPU, of a program that computes in one thread; in the run of
the pilot that was disturbed least: the runner waits for a CPU too, which only elapsed time shows."""


_END_OF_PROCESS: Final = 1
"""Voluntary context switches of a program that waits for nothing."""


def parallel(wall_s: Floats, cpu_s: Floats, queue_wait_s: Floats) -> bool:
    """Whether runs that took so long computed on several CPUs at once, judged as in ``computes``."""
    return float(np.max(cpu_s / (wall_s - queue_wait_s))) > _COMPUTES[1]


def computes(wall_s: Floats, cpu_s: Floats, queue_wait_s: Floats, waits: Floats) -> bool:
    """Whether runs that took so long computed in one thread, judged by the one that was disturbed least.

    It also says whether most of them never waited for anything, which shows on a busy machine too.

    Parameters
    ----------
    waits : array of double
        Voluntary context switches, of which the end of a process is one.
    """
    share = float(np.max(cpu_s / (wall_s - queue_wait_s)))
    return share <= _COMPUTES[1] and (share >= _COMPUTES[0] or float(np.median(waits)) <= _END_OF_PROCESS)


def _waits_on_purpose(levels: Mapping[str, Scalar]) -> bool:
    return any(levels.get(name, base) != base for name, base in UNDISTURBED.items())


class Stages:
    """Runs the stages and counts their runs."""

    def __init__(self, request: AuditRequest, directory: Path, watch: Watch) -> None:
        self.request = request
        self._directory = directory
        self._watch = watch
        self._started = time.monotonic()
        self._whole_s = self.run_s = 0.0
        self.runs = 0
        self.metric = Metric("wall_s", "s")

    @property
    def asked_metric(self) -> str:
        """Metric that is judged; elapsed time until the pilot has chosen."""
        return self.request.metric or "wall_s"

    def sensible_metric(self) -> str:
        """``cpu_s`` where a run of the pilot computed on one CPU all the time that it had one."""
        with Record.open(self.place("pilot")) as record:
            (waits,) = record.samples("voluntary_switches")
        times = self._take_pilot_times()
        return "cpu_s" if computes(*times, np.array(waits.values, dtype=np.float64)) else "wall_s"

    def threads(self) -> Threads:
        """How the program uses CPUs: by the pilot, and by whether an OpenMP runtime answers in it."""
        if not parallel(*self._take_pilot_times()):
            return "one"
        (launch,) = self.launches([{}])
        # Runtimes of OpenMP print their settings where this is set (OpenMP 5.2, section 21.7).
        verbose = replace(launch, env=(*launch.env, "OMP_DISPLAY_ENV=TRUE"), stdout=NULL, stderr=CAPTURE)
        (raw,) = probe_launches([verbose])
        return "openmp" if b"OPENMP DISPLAY ENVIRONMENT" in raw.stderr else "own"

    def _take_pilot_times(self) -> tuple[Floats, Floats, Floats]:
        with Record.open(self.place("pilot")) as record:
            samples = {
                sample.metric.name: sample for sample in record.samples("wall_s", "cpu_s", "queue_wait_s")
            }
        wall, cpu, wait = (np.array(samples[name].values) for name in ("wall_s", "cpu_s", "queue_wait_s"))
        return wall, cpu, wait if wait.size else np.zeros_like(wall)

    def refuse_too_much(self, plan: Effort) -> None:
        """Raise UsageError where the time is over before anything can be told."""
        self._whole_s = plan.seconds
        if self.request.limited and plan.least_s > self._compute_remaining_s():
            raise self.too_short(
                f"its pilot is over, and the fewest runs that could tell take {format_duration(plan.least_s)}"
            )

    def measure(
        self,
        rows: Sequence[Row],
        *,
        stage: str,
        blocks: int,
        discard: int,
        fewest: int = 1,
        share: float = 1.0,
    ) -> Floats:
        """Logarithms of the metric, rows x blocks.

        Parameters
        ----------
        fewest : int
            Blocks without which nothing can be said.
        share : float
            Of the time that is left, where it is limited.

        Raises
        ------
        UsageError
            The time was over before ``fewest`` blocks.
        """
        stop = self.limit(stage, share, len(rows) * self.run_s)
        experiment = self._make_experiment(rows, stage, blocks, discard, stop)
        self.run_stage(experiment, stage, f"blocks of the {stage}")
        with Record.open(self.place(stage)) as record:
            self.runs += record.progress().trials
        logs = self.logs(stage, self.asked_metric)
        if logs.shape[1] < fewest:
            raise self.too_short(f"the {stage} has {logs.shape[1]} of at least {fewest} blocks")
        return logs

    def run_stage(self, experiment: Experiment, stage: str, purpose: str) -> None:
        """Run a stage, or what is left of it; ``purpose`` names its blocks in the line of progress."""

        def watch(at: Progress) -> None:
            self._watch(replace(at, noun=purpose) if at.noun == "blocks" else at)

        refuse_other_stage(self._directory, stage, experiment, "audit")
        run(experiment, self.place(stage), watch=watch)

    def double(self, rows: Sequence[Row], *, stage: str) -> bool:
        """Add as many blocks as a stage has, or as the time allows; whether that was a quarter or more."""
        with Record.open(self.place(stage)) as record:
            experiment, blocks = record.experiment, record.progress().blocks.get("complete", 0)
            before = record.progress().trials
        count = min(blocks, int(self._compute_remaining_s() / (len(rows) * cost_s(self.run_s))))
        if blocks < FEWEST_FOR_LOOKS or count < blocks / 4:
            return False
        run(experiment, self.place(stage), watch=self._watch, extend=count)
        with Record.open(self.place(stage)) as record:
            self.runs += record.progress().trials - before
        return True

    def level(self, stage: str) -> float:
        """``alpha``, or what the looks at a stage that goes on until it decides leave of it."""
        with Record.open(self.place(stage)) as record:
            looks = [extension.from_blocks for extension in record.extensions()]
            looks.append(record.progress().blocks.get("complete", 0))
        spends = self.request.limited and looks[0] >= FEWEST_FOR_LOOKS
        return Looks(tuple(looks)).level(self.request.alpha) if spends else self.request.alpha

    def warnings(self, stage: str) -> tuple[Notice, ...]:
        """Warnings of CPUs that others used meanwhile, as of a comparison, and of a host that changed.

        Settings that make a program wait on purpose are left out.
        """
        with Record.open(self.place(stage)) as record:
            undisturbed = {
                treatment.id for treatment in record.treatments if not _waits_on_purpose(treatment.levels)
            }
            disturbances = [
                disturbance
                for disturbance in record.disturbances().values()
                if disturbance.treatment in undisturbed
            ]
            among = select_disturbed(disturbances)
            named = f"{len(among)} of {len(disturbances)} settings of the {stage}"
            of_cpus = note_cpus(record, (named,), among, extent(record).spent_s)
        return (*of_cpus, *self._find_changes_of_host())

    def _find_changes_of_host(self) -> Iterator[Notice]:
        """Yield what runs of a stage noted, and that stages began in environments of different lengths."""
        lengths = {}
        for place in sorted(self._directory.glob(f"*.lab/{FILE}")):
            with Record.open(place.parent) as record:
                for warning in record.warnings():
                    yield Notice("note", fields={"text": f"{place.parent.stem}: {warning.text}"})
                lengths[place.parent.stem] = record.runs()[0].host.get(ENVIRONMENT)
        if len({*lengths.values()} - {None}) > 1:
            stages = ", ".join(f"{stage} {length}" for stage, length in lengths.items())
            text = (
                f"the environment of the shell had not one length (bytes: {stages}), so that the stack of"
                " each stage lies elsewhere; repeat the audit from one shell, into a new directory"
            )
            yield Notice("note", fields={"text": text})

    def failures(self, rows: Sequence[Row]) -> list[str | None]:
        """Try each row once: how the program fails there; ``None`` where it does not."""
        unique = list({tuple(row.values()): row for row in rows}.values())
        if self.request.limited and len(unique) * self.run_s > self._compute_remaining_s():
            raise self.too_short(f"one run takes {format_quantity(self.run_s, 's', 2)}")
        verify = self._make_experiment(unique, "trial", 1, 0).program.verify
        ends = [
            None if raw.status == "ok" and verify.accepts(raw.exit_code) else ending(raw)
            for raw in probe_launches(self.launches(unique))
        ]
        end_of = {tuple(row.values()): end for row, end in zip(unique, ends, strict=True)}
        return [end_of[tuple(row.values())] for row in rows]

    def launches(self, rows: Sequence[Row]) -> list[Launch]:
        """Return the launch of each row, in the surroundings that a stage of these rows gives it."""
        experiment = self._make_experiment(rows, "trial", 1, 0)
        context = draw_context(experiment.contexts, self.request.seed, 1) if experiment.contexts else None
        return self.make_launches(experiment, context)

    def make_launches(self, experiment: Experiment, context: Context | None) -> list[Launch]:
        """Return the launches of an experiment in one context, marked as those of the pilot."""
        drawn = treatments(experiment)
        plan = LaunchPlan(experiment, drawn, builds={})
        with Record.open(self.place("pilot")) as record:
            plan.mark(record.id, metrics_file=record.directory / "metrics")
        launches = plan.start_in_context(context)
        return [launches[treatment.id] for treatment in drawn]

    def logs(self, stage: str, metric: str) -> Floats:
        """Logarithms of any metric of a stage, rows x blocks."""
        with Record.open(self.place(stage)) as record:
            samples = record.samples(metric)
        if metric == self.asked_metric:
            self.metric = samples[0].metric
        values = np.array([sample.values for sample in samples], dtype=np.float64)
        if not (np.isfinite(values).all() and (values > 0).all()):
            raise UsageError(
                f"{metric} is 0 in some runs, so ratios to it are undefined",
                hint="choose another metric: --metric wall_s",
            )
        return np.log(values)

    def _compute_remaining_s(self) -> float:
        return self.request.max_time_s - (time.monotonic() - self._started)

    def limit(self, stage: str, share: float, block_s: float) -> Stop | None:
        """When the stage ends early: a block that has begun ends.

        A stage that an interrupted audit has begun has the limit that it had then.
        """
        if not self.request.limited:
            return None
        if (self.place(stage) / FILE).exists():
            with Record.open(self.place(stage)) as record:
                return record.experiment.design.stop
        return Stop(max_time_s=max(self._compute_remaining_s() * share - block_s, _SHORTEST_S))

    def too_short(self, subject: str) -> UsageError:
        """Return the error of a limit in which nothing can be told."""
        needed = f"--max-time '{format_duration(self._whole_s)}', or " if self._whole_s else ""
        return UsageError(
            f"--max-time '{self.request.max_time_s:g} s' is too short for an audit: {subject}",
            hint=f"{needed}--only NAME for fewer kinds of context; without --max-time it takes what it needs",
        )

    def _make_experiment(
        self, rows: Sequence[Row], stage: str, blocks: int, discard: int, stop: Stop | None = None
    ) -> Experiment:
        fixed = {} if "aslr" in rows[0] or not addresses_can_be_fixed() else {"aslr": "off"}
        return self.request.experiment(
            rows, stage=stage, blocks=blocks, discard=discard, fixed=fixed, stop=stop
        )

    def place(self, stage: str) -> Path:
        """Return the record of a stage."""
        return self._directory / f"{stage}.lab"
