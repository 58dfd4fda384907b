"""The stages of an audit, each an experiment with a record of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from msgspec.structs import replace

from steelyard.arrays import Floats
from steelyard.design import treatments
from steelyard.design.contexts import draw_context
from steelyard.errors import UsageError
from steelyard.lab.audit.asking import Auditing, Row
from steelyard.lab.audit.candidates import addresses_can_be_fixed
from steelyard.lab.conductor import Watch
from steelyard.lab.run import run
from steelyard.run.launches import Launches
from steelyard.run.once import once
from steelyard.run.verify import ending
from steelyard.spec.experiment import Experiment
from steelyard.status import Progress
from steelyard.store import Record
from steelyard.units import Metric

_COMPUTES: Final = (0.8, 1.1)
"""CPU time over elapsed time without waits for a CPU, of a program that computes in one thread; in the run of
the pilot that was disturbed least: the runner waits for a CPU too, which only elapsed time shows."""


def computes(wall_s: Floats, cpu_s: Floats, queue_wait_s: Floats) -> bool:
    """Whether runs that took so long computed in one thread, judged by the one that was disturbed least."""
    share = float(np.max(cpu_s / (wall_s - queue_wait_s)))
    return _COMPUTES[0] <= share <= _COMPUTES[1]


class Stages:
    """Runs the stages and counts their runs."""

    def __init__(self, asking: Auditing, directory: Path, watch: Watch) -> None:
        self.asking = asking
        self._directory = directory
        self._watch = watch
        self.runs = 0
        self.metric = Metric("wall_s", "s")

    @property
    def asked_metric(self) -> str:
        """What is judged; elapsed time as long as that is not known."""
        return self.asking.metric or "wall_s"

    def sensible_metric(self) -> str:
        """``cpu_s`` where a run of the pilot computed on one CPU all the time that it had one."""
        with Record.open(self._place("pilot")) as record:
            found = {
                sample.metric.name: sample for sample in record.samples("wall_s", "cpu_s", "queue_wait_s")
            }
        wall, cpu, wait = (np.array(found[name].values) for name in ("wall_s", "cpu_s", "queue_wait_s"))
        return "cpu_s" if computes(wall, cpu, wait if wait.size else np.zeros_like(wall)) else "wall_s"

    def measure(self, rows: Sequence[Row], *, stage: str, blocks: int, discard: int) -> Floats:
        """Logarithms of the metric, rows x blocks."""

        def watch(at: Progress) -> None:
            self._watch(replace(at, what=f"blocks of the {stage}") if at.what == "blocks" else at)

        run(self._experiment(rows, stage, blocks, discard), self._place(stage), watch=watch)
        with Record.open(self._place(stage)) as record:
            self.runs += record.progress().trials
        return self.logs(stage, self.asked_metric)

    def failures(self, rows: Sequence[Row]) -> list[str | None]:
        """How the program fails at each row, tried once; ``None`` where it does not."""
        unique = list({tuple(row.values()): row for row in rows}.values())
        experiment = self._experiment(unique, "trial", 1, 0)
        drawn = treatments(experiment)
        made = Launches(experiment, drawn, builds={}).in_context(
            draw_context(experiment.contexts, self.asking.seed, 1) if experiment.contexts else None
        )
        wanted = experiment.program.verify.exit
        ends = [
            None if raw.status == "ok" and wanted in (None, raw.exit_code) else ending(raw)
            for raw in once([made[treatment.id] for treatment in drawn])
        ]
        known = {tuple(row.values()): end for row, end in zip(unique, ends, strict=True)}
        return [known[tuple(row.values())] for row in rows]

    def logs(self, stage: str, metric: str) -> Floats:
        """Logarithms of any metric of a stage, rows x blocks."""
        with Record.open(self._place(stage)) as record:
            samples = record.samples(metric)
        if metric == self.asked_metric:
            self.metric = samples[0].metric
        values = np.array([sample.values for sample in samples], dtype=np.float64)
        if not (np.isfinite(values).all() and (values > 0).all()):
            raise UsageError(
                f"{metric} is 0 in some runs, and a ratio to it says nothing",
                hint="choose another metric: --metric wall_s",
            )
        return np.log(values)

    def _experiment(self, rows: Sequence[Row], stage: str, blocks: int, discard: int) -> Experiment:
        fixed = {} if "aslr" in rows[0] or not addresses_can_be_fixed() else {"aslr": "off"}
        return self.asking.experiment(rows, stage=stage, blocks=blocks, discard=discard, fixed=fixed)

    def _place(self, stage: str) -> Path:
        return self._directory / f"{stage}.lab"
