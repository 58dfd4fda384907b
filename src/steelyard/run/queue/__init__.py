"""Trials on machines that a queue gives out: jobs run all trials up to the next look, and outlive us."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.core.errors import UsageError
from steelyard.files.reading import read_text
from steelyard.spec.experiment import Experiment

if TYPE_CHECKING:
    from steelyard.run.queue.scheduler import Scheduler
    from steelyard.run.queue.submission import Submission


def submission(experiment: Experiment) -> Submission | None:
    """Return the submission that ``[launch]`` describes; ``None`` where trials run on this machine.

    Raises
    ------
    UsageError
        The job script cannot be read, or has no place for the trials.
    """
    queue = experiment.launch.queue
    if queue is None:
        return None
    # Few experiments have a queue, and each of these modules takes a part of a millisecond.
    from steelyard.run.queue.hosts import Hosts
    from steelyard.run.queue.job import RUN
    from steelyard.run.queue.slurm import Slurm
    from steelyard.run.queue.submission import Submission
    from steelyard.run.queue.template import Template
    from steelyard.spec.check.launch import find_queue_factors

    script = f"#!/bin/bash\n{RUN}\n"
    if queue.script is not None:
        path = Path(experiment.source, queue.script)
        try:
            script = read_text(path, hint="name a job script for bash")
        except UsageError as error:
            raise UsageError(f"launch.script: {error.message}", hint=error.hint) from None
        if script.count(RUN) != 1:
            raise UsageError(
                f"launch.script: {path} holds {RUN} {script.count(RUN)} times",
                hint=f"write a line {RUN} where the trials are to run",
            )
    source = experiment.source
    scheduler: Scheduler
    jobs = queue.jobs
    match experiment.launch.kind:
        case "slurm":
            scheduler = Slurm(queue.options, source=source)
        case "hosts":
            copies, trees = queue.stage == "copy", [Path(source, name) for name in queue.files]
            scheduler = Hosts(queue.hosts, queue.ssh, copies=copies, trees=trees, source=source)
            jobs = len(queue.hosts)
        case _:
            scheduler = Template(queue.submit, queue.job, queue.cancel, queue.alive, source=source)
    factors = find_queue_factors(queue, experiment.factors)
    return Submission(scheduler, script, queue.hand_on, queue.poll_s, factors, jobs)
