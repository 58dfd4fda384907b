"""Any other queue, by the user's own script and commands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from steelyard.core.errors import MachineError
from steelyard.extensions.clusters.commands import ask, fill_words, refuse_absent
from steelyard.extensions.clusters.job import Job
from steelyard.extensions.clusters.scheduler import Handover, JobState, Scheduler


class Template(Scheduler):
    """A queue that is used by commands with placeholders.

    ``{script}``, ``{log}``, ``{name}``, ``{node}``, ``{job}`` and ``{source}`` are put in.

    Attributes
    ----------
    submit_words : sequence of str
        Hands in a script.
    job_pattern : str
        Its first group, in what that prints, is the job.
    cancel_words : sequence of str
        Ends a job.
    alive_words : sequence of str
        Exits with 0 while a job waits or runs; without it, only the job itself says when it has ended.
    source : str
        Directory of the spec.
    """

    denials: ClassVar[int] = 3
    absence_s: ClassVar[float] = 60.0
    """A command that fails may have met a server that restarts; a second job would run beside the first."""

    def __init__(
        self,
        submit_words: Sequence[str],
        job_pattern: str,
        cancel_words: Sequence[str],
        alive_words: Sequence[str] = (),
        *,
        source: str = "",
    ) -> None:
        self.submit_words = submit_words
        self.job_pattern = job_pattern
        self.cancel_words = cancel_words
        self.alive_words = alive_words
        self.source = source

    def check(self) -> None:
        """See ``Scheduler.check``: what the commands do is the user's, so that none is run."""
        commands = (self.submit_words, self.cancel_words, self.alive_words)
        refuse_absent(self._fill(words)[0] for words in commands if words)

    def submit(self, handover: Handover) -> str:
        """See ``Scheduler.submit``."""
        job = handover.job
        values = {**handover.levels, "script": str(job.script), "log": str(job.log), "name": handover.name}
        values |= {"node": job.node} if job.node else {}
        words = self._fill(self.submit_words, **values)
        printed = ask(words, into=job.answer).stdout
        number = self.number(printed)
        if number is None:
            raise MachineError(
                f"{' '.join(words)} printed {printed.strip()!r}, in which {self.job_pattern!r} finds no job",
                hint="write job under [launch] so that its first group is the job",
            )
        return number

    def number(self, answer: str) -> str | None:
        """See ``Scheduler.number``."""
        match = re.search(self.job_pattern, answer)
        return match[1] if match else None

    def state(self, job: Job) -> JobState:
        """See ``Scheduler.state``."""
        if not self.alive_words:
            return "running"
        done = ask(self._fill(self.alive_words, job=job.id or ""), may_fail=True)
        return "running" if done.returncode == 0 else "ended"

    def cancel(self, job: Job) -> None:
        """See ``Scheduler.cancel``."""
        ask(self._fill(self.cancel_words, job=job.id or ""), may_fail=True)

    def _fill(self, words: Sequence[str], **values: str) -> list[str]:
        return fill_words(words, **{**values, "source": self.source})
