"""``Jobs``: trials of an experiment in jobs, as ``[launch]`` describes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.extensions.clusters.awaiting import attach
from steelyard.extensions.clusters.hosts import Hosts
from steelyard.extensions.clusters.job import RUN, Job, describe_nodes, find_misplaced, jobs_in
from steelyard.extensions.clusters.losses import find_job, select_trials
from steelyard.extensions.clusters.queued_session import Journals, QueuedSession
from steelyard.extensions.clusters.slurm import Slurm
from steelyard.extensions.clusters.submission import Submission
from steelyard.extensions.clusters.template import Template
from steelyard.files.reading import read_text
from steelyard.interventions.node import Node
from steelyard.spec.check.launch import find_queue_factors
from steelyard.spec.experiment import Experiment
from steelyard.spec.tables.launch import HostsLaunch, QueueLaunch, SlurmLaunch, TemplateLaunch
from steelyard.store import Record

if TYPE_CHECKING:
    from steelyard.extensions.clusters.scheduler import Scheduler
    from steelyard.lab.run.elsewhere import Tell
    from steelyard.run.launch.launch_plan import LaunchPlan
    from steelyard.run.measure.measure import Measurer
    from steelyard.run.runner.journal import RawTrial
    from steelyard.store.entries import Journal

JOBS: Final = "jobs"
"""Directory of a record with a folder for each job."""


class Jobs:
    """An ``Elsewhere`` by jobs of a queue, of hosts, or of commands that the spec names.

    Raises
    ------
    UsageError
        The job script cannot be read, or has no place for the trials.
    """

    def __init__(self, experiment: Experiment) -> None:
        self._submission = submission(experiment)

    def check(self) -> None:
        """Refuse a queue that cannot be asked."""
        self._submission.scheduler.check()

    def foresee(self) -> None:
        """Refuse what shows with none of the spec's commands started."""
        self._submission.scheduler.foresee()

    def list_unasked(self) -> tuple[str, ...]:
        """List machines that only a command of the spec can ask."""
        return tuple(self._submission.scheduler.unasked)

    def list_nodes(self) -> tuple[str, ...]:
        """List the nodes that the queue has."""
        return tuple(self._submission.scheduler.list_nodes())

    def attach(self, record: Record, tell: Callable[[str], None]) -> None:
        """Wait for jobs of an earlier run that are still at work."""
        journals = [journal.path for journal in record.journals()]
        attach(record.directory / JOBS, self._submission, record.id, tell, journals)

    def select_trials(self, raw_trials: list[RawTrial], journal: Journal, record: Record) -> list[RawTrial]:
        """Return the trials of a journal that count, whichever way its job ended."""
        job = find_job(journal.path, record.directory / JOBS)
        return raw_trials if job is None else select_trials(raw_trials, job, self._submission.scheduler)

    def list_jobs(self, record: Record) -> frozenset[str]:
        """List the names of the folders of jobs."""
        return frozenset(job.directory.name for job in _get_jobs(record))

    def describe_nodes(self, record: Record, before: frozenset[str]) -> dict[str, Scalar]:
        """Return host facts of the nodes that jobs had, as far as jobs tell them."""
        jobs = [job for job in _get_jobs(record) if job.directory.name not in before]
        ends = [end for job in jobs if (end := job.end) is not None]
        columns = {
            "hostname": (end.host for end in ends),
            "kernel": (f"Linux {end.kernel}" for end in ends),
            "cpu_model": (end.cpu for end in ends),
        }
        facts = {key: ", ".join(dict.fromkeys(filter(None, values))) for key, values in columns.items()}
        facts |= {f"node {end.host}": f"{end.cpu or 'CPU unknown'}, Linux {end.kernel}" for end in ends}
        return {key: value for key, value in facts.items() if value}

    def note_shares(self, record: Record) -> None:
        """Note in every answer what the order of a block means where its treatments lie in several jobs."""
        shares = self._submission.shares(record.treatments)
        if len(shares) > 1:
            names = " and ".join(self._submission.factors)
            text = (
                f"each level of {names} ran in jobs of its own ({len(shares)} in all, up to"
                f" {self._submission.jobs} at once): treatments of a block that share {names} ran in one job,"
                " in the order that was drawn; comparisons of other treatments also contain what differs from"
                " job to job (nodes, time), which no interval covers"
            )
            record.add_warning("jobs_by_level", text)
        elif self._submission.jobs > 1 and not _is_drawing_nodes(record):
            text = (
                f"blocks were dealt out to up to {self._submission.jobs} jobs at once, each to one: what"
                " differs from job to job counts as a difference of blocks, which is too little where nodes"
                " differ ([contexts] node draws them), and jobs on one node disturb each other"
            )
            record.add_warning("jobs_at_once", text)

    def note_nodes(self, record: Record, run: int) -> None:
        """Warn of nodes that nobody drew; the warning stays with the samples.

        A job that ran on another node than the one that was drawn is such a warning too.
        """
        jobs = _get_jobs(record)
        nodes = describe_nodes(jobs)
        if len(nodes) > 1 and not _is_drawing_nodes(record):
            named = "; ".join(f"{node} ({facts})" for node, facts in nodes.items())
            text = f"jobs ran on different nodes, in which their blocks differ too: {named}"
            record.add_warning("host_changed", text, run)
        if wrong := find_misplaced(jobs):
            text = f"blocks are counted for nodes on which they did not run: {'; '.join(wrong)}"
            record.add_warning("host_changed", text, run)

    def open_session(
        self, record: Record, run: int, launches: LaunchPlan, measurer: Measurer, tell: Tell
    ) -> QueuedSession:
        """Open a session whose jobs have journals of this run."""
        journals = Journals(partial(record.add_journal, run), partial(record.take, run), record.drop_journal)
        jobs = record.directory / JOBS
        return QueuedSession(launches, measurer, self._submission, jobs, record.id, journals, tell)


def submission(experiment: Experiment) -> Submission:
    """Return the submission that ``[launch]`` describes.

    Raises
    ------
    UsageError
        The job script cannot be read, or has no place for the trials.
    """
    queue = experiment.launch
    if not isinstance(queue, QueueLaunch):
        raise TypeError(queue.kind)
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
    match queue:
        case SlurmLaunch():
            scheduler, jobs = Slurm(queue.options, source=source), queue.jobs
        case HostsLaunch():
            copies, trees = queue.stage == "copy", [Path(source, name) for name in queue.files]
            scheduler = Hosts(queue.hosts, queue.ssh, copies=copies, trees=trees, source=source)
            jobs = len(queue.hosts)
        case TemplateLaunch():
            scheduler = Template(queue.submit, queue.job, queue.cancel, queue.alive, source=source)
            jobs = queue.jobs
    factors = find_queue_factors(queue, experiment.factors)
    return Submission(scheduler, script, queue.hand_on, queue.poll_s, factors, jobs)


def _get_jobs(record: Record) -> Sequence[Job]:
    return jobs_in(record.directory / JOBS)


def _is_drawing_nodes(record: Record) -> bool:
    contexts = record.experiment.contexts
    return contexts is not None and Node.name in contexts.drawn
