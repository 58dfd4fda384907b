"""Slurm, by ``sbatch``, ``squeue``, ``scontrol`` and ``scancel``; accounting (``sacct``) is not needed."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from steelyard.core.errors import MachineError
from steelyard.extensions.clusters.commands import ask, fill_words, refuse_absent
from steelyard.extensions.clusters.job import Job
from steelyard.extensions.clusters.scheduler import Handover, JobState, Scheduler
from steelyard.spec.check.nodes import find_partition

_PING_S: Final = 5.0
"""Time for a controller to answer; a healthy one takes milliseconds."""

_TAKEN_AWAY: Final = frozenset({"CANCELLED", "PREEMPTED", "NODE_FAIL", "BOOT_FAIL", "REVOKED"})
_WAITING: Final = frozenset({"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "SUSPENDED"})
_USABLE: Final = frozenset({"idle", "mix", "alloc", "comp", "plnd"})
"""States of nodes, as ``sinfo`` shortens them, to which jobs are given now or soon."""
_RUNNING: Final = frozenset({"RUNNING", "COMPLETING", "STAGE_OUT", "SIGNALING", "STOPPED", "RESIZING"})


class Slurm(Scheduler):
    """A Slurm cluster.

    Attributes
    ----------
    options : sequence of str
        Further words for ``sbatch``: partition, nodes, time limit, …
    source : str
        Directory of the spec.
    """

    def __init__(self, options: Sequence[str] = (), *, source: str = "") -> None:
        self.options = options
        self.source = source

    def check(self) -> None:
        """See ``Scheduler.check``; the commands are on machines without a cluster too."""
        refuse_absent(("sbatch", "squeue", "scontrol", "scancel"))
        done = ask(["scontrol", "ping"], may_fail=True, timeout_s=_PING_S)
        if done.returncode or " UP" not in done.stdout:
            texts = (done.stderr.strip() or done.stdout.strip()).splitlines()
            raise MachineError(
                f"no Slurm cluster answers: {texts[-1] if texts else 'scontrol ping says nothing'}",
                hint="run where `scontrol ping` finds a controller that is UP (SLURM_CONF says where its"
                " configuration is), or leave out [launch] to run here",
            )

    def submit(self, handover: Handover) -> str:
        """See ``Scheduler.submit``; a job that was requeued would run its trials twice."""
        job = handover.job
        options = ["--output", str(job.log), *self._fill_options(handover)]
        options += ["--nodelist", job.node] if job.node else []
        return self._submit_batch(handover, [*options, str(job.script)])

    def submit_all(self, handovers: Sequence[Handover]) -> None:
        """See ``Scheduler.submit_all``: one array where ``sbatch`` is told the same of all jobs."""
        first = handovers[0]
        alike = all(handover.job.node is None and handover.levels == first.levels for handover in handovers)
        if len(handovers) == 1 or not alike:
            super().submit_all(handovers)
            return
        jobs = [handover.job for handover in handovers]
        for task, job in enumerate(jobs, 1):
            job.note_task(first.job, task)
        script = first.job.array
        first.job.write_array(_write_array(jobs))
        options = ["--array", f"1-{len(jobs)}", "--output", str(first.job.directory / "log-%a")]
        number = self._submit_batch(first, [*options, *self._fill_options(first), str(script)])
        for job in jobs:
            job.note_id(f"{number}{job.task}")

    def _fill_options(self, handover: Handover) -> list[str]:
        return fill_words(self.options, **{**handover.levels, "source": self.source})

    def _submit_batch(self, handover: Handover, words: Sequence[str]) -> str:
        job = handover.job
        command = ["sbatch", "--parsable", "--no-requeue", "--export=ALL", "--job-name", handover.name]
        command += ["--chdir", str(job.directory), *words]
        return self.number(ask(command, into=job.answer).stdout) or ""

    def list_nodes(self) -> Sequence[str]:
        """List the nodes; see ``Scheduler.list_nodes``.

        They are those of the partition that are neither down nor drained; the partition is the default one
        unless options name another.
        """
        refuse_absent(("sinfo",))
        partition = find_partition(self.options)
        words = ["sinfo", "--noheader", "--Node", "--format", "%N %t %P"]
        listing = ask([*words, *(["--partition", partition] if partition else [])]).stdout
        rows = [fields for line in listing.splitlines() if len(fields := line.split()) == 3]
        chosen = [row for row in rows if partition or row[2].endswith("*")] or rows
        return sorted({name for name, state, _ in chosen if state in _USABLE})

    def number(self, answer: str) -> str | None:
        """See ``Scheduler.number``; in a federation, the cluster stands behind the number."""
        return answer.strip().split(";")[0] or None

    def state(self, job: Job) -> JobState:
        """See ``Scheduler.state``; a number that Slurm has forgotten is that of a job which has ended."""
        # An exit code other than 0 is a forgotten number, or a controller that is away: its words tell.
        words = ["squeue", "--noheader", "--jobs", job.id or "", "--states", "all", "--format", "%T"]
        done = ask(words, may_fail=True)
        states = set(done.stdout.split())
        if done.returncode and "Invalid job id" not in done.stderr:
            ask(["scontrol", "ping"])
            return "waiting"
        return "waiting" if states & _WAITING else "running" if states & _RUNNING else "ended"

    def cancel(self, job: Job) -> None:
        """See ``Scheduler.cancel``."""
        ask(["scancel", "--full", job.id or ""], may_fail=True)

    def find(self, job: Job, name: str) -> str | None:
        """See ``Scheduler.find``; of an array, its own number."""
        del job
        done = ask(["squeue", "--noheader", "--name", name, "--format", "%F"], may_fail=True)
        return next(iter(done.stdout.split()), None)

    def was_taken_away(self, job: Job) -> bool:
        """See ``Scheduler.was_taken_away``; a job over its time or memory is not."""
        return _get_fields(job).get("JobState") in _TAKEN_AWAY

    def last_words(self, job: Job) -> str:
        """State, exit code and reason, as long as the controller remembers them."""
        fields = _get_fields(job)
        texts = [fields.get(name, "") for name in ("JobState", "Reason", "ExitCode", "NodeList")]
        return ", ".join(
            f"{name} {value}"
            for name, value in zip(("state", "reason", "exit code", "nodes"), texts, strict=True)
            if value and value != "(null)"
        )


def _write_array(jobs: Sequence[Job]) -> str:
    """Return a script whose task k runs that of the k-th job, under the directives that all of them have."""
    lines = (jobs[0].read(jobs[0].script.name) or b"").decode().splitlines()
    head = takewhile(lambda line: line.startswith("#") or not line.strip(), lines)
    folders = " ".join(shlex.quote(str(job.directory)) for job in jobs)
    choice = f'set -- {folders}\nshift $((SLURM_ARRAY_TASK_ID - 1))\ncd "$1" && exec ./{jobs[0].script.name}'
    return "\n".join([*head, choice, ""])


def _get_fields(job: Job) -> dict[str, str]:
    done = ask(["scontrol", "--oneliner", "show", "job", job.id or ""], may_fail=True)
    return dict(field.split("=", 1) for field in done.stdout.split() if "=" in field)
