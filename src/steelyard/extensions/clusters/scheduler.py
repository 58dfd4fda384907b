"""``Scheduler``: the operations that Steelyard needs of a queue."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal

import msgspec

from steelyard.extensions.clusters.job import Job

JobState = Literal["waiting", "running", "ended", "unreachable"]
"""``ended`` says nothing about how; neither does a job that the queue has forgotten."""


class Handover(msgspec.Struct, frozen=True):
    """What a queue is handed.

    Attributes
    ----------
    job : Job
        Its script is written, and its node noted where one was drawn.
    name : str
        Of the job in the queue; no other job has it.
    levels : mapping of str to str
        Of factors, put in where the words of the queue name them.
    programs : sequence of Path
        Files and directories that its trials need; absolute.
    """

    job: Job
    name: str
    levels: Mapping[str, str] = {}
    programs: Sequence[Path] = ()


class Scheduler(ABC):
    """Three questions, by which every queue can be used; a job is attached to by asking for its state.

    Attributes
    ----------
    denials : int
        Answers in a row, ``ended`` each, that are believed.
    absence_s : float
        From the first of them to the last, at least.
    travels : bool
        Whether a job gets a folder of its own on its machine, which sees none of our files.
    patience_s : float
        For how long a machine that cannot be reached is asked again, before others go on without it.
    """

    denials: ClassVar[int] = 1
    absence_s: ClassVar[float] = 0.0
    travels: ClassVar[bool] = False
    patience_s: ClassVar[float] = 300.0

    @abstractmethod
    def check(self) -> None:
        """Ask whether there is a queue, without handing in anything; within seconds.

        Raises
        ------
        MachineError
            No scheduler answers on this machine.
        """

    def foresee(self) -> None:
        """Refuse what ``check`` would, as far as it shows with none of the spec's commands started.

        Raises
        ------
        MachineError
        """
        self.check()

    @property
    def unasked(self) -> Sequence[str]:
        """Machines that only a command of the spec can ask, so that ``foresee`` leaves them alone."""
        return ()

    @abstractmethod
    def submit(self, handover: Handover) -> str:
        """Hand in a job's script, whose output goes to its log.

        Return its number. What the queue answers is in the job's ``answer`` as soon as it has answered,
        whether we live or not.

        Raises
        ------
        MachineError
            The queue cannot be asked, or refuses.
        """

    def submit_all(self, handovers: Sequence[Handover]) -> None:
        """Hand in jobs, and note the number of each.

        Raises
        ------
        MachineError
            As of ``submit``; jobs before it are handed in.
        """
        for handover in handovers:
            handover.job.note_id(self.submit(handover))

    @abstractmethod
    def number(self, answer: str) -> str | None:
        """Return the job of which an answer speaks; ``None`` where it speaks of none."""

    @abstractmethod
    def state(self, job: Job) -> JobState:
        """State of a job that has a number.

        Raises
        ------
        MachineError
            The queue cannot be asked.
        """

    def look_at(self, jobs: Sequence[Job]) -> None:
        """Ask for the states of jobs at once, where that is faster; ``state`` then tells them."""
        del jobs

    @abstractmethod
    def cancel(self, job: Job) -> None:
        """End a job, whatever it does; nothing where it has ended."""

    def list_nodes(self) -> Sequence[str]:
        """Names of the nodes that jobs may be given, where the queue can be asked; none where it cannot.

        Raises
        ------
        MachineError
            The queue cannot be asked.
        """
        return ()

    def find(self, job: Job, name: str) -> str | None:
        """Return the number of a waiting or running job of this name, where the queue can be asked."""
        del job, name
        return None

    def was_taken_away(self, job: Job) -> bool:
        """Whether the queue ended the job, or lost its node, for reasons that are not the job's."""
        del job
        return False

    def last_words(self, job: Job) -> str:
        """Return the queue's own account of a job that ended without saying so itself."""
        del job
        return ""

    def forget(self, job: Job) -> None:
        """Remove what a settled job left on its machine."""
        del job
