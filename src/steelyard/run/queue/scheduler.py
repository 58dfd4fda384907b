"""``Scheduler``: the operations that Steelyard needs of a queue."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal

JobState = Literal["waiting", "running", "ended"]
"""``ended`` says nothing about how; neither does a job that the queue has forgotten."""


class Scheduler(ABC):
    """Three questions, by which every queue can be used; a job is attached to by asking for its state.

    Attributes
    ----------
    denials : int
        Answers in a row, ``ended`` each, that are believed.
    absence_s : float
        From the first of them to the last, at least.
    """

    denials: ClassVar[int] = 1
    absence_s: ClassVar[float] = 0.0

    @abstractmethod
    def check(self) -> None:
        """Ask whether there is a queue, without handing in anything; within seconds.

        Raises
        ------
        MachineError
            No queue answers.
        """

    @abstractmethod
    def submit(
        self,
        script: Path,
        log: Path,
        name: str,
        answer: Path,
        levels: Mapping[str, str],
        node: str | None = None,
    ) -> str:
        """Hand in a script whose output goes to ``log``, under a name that no other job has, for ``node`` if
        one is given; gives the job. ``levels`` of factors stand where its words name those. What the queue
        answers is in ``answer`` as soon as it has answered, whether we live or not.

        Raises
        ------
        MachineError
            The queue cannot be asked, or refuses.
        """

    @abstractmethod
    def number(self, answer: str) -> str | None:
        """The job of which an answer speaks; ``None`` where it speaks of none."""

    @abstractmethod
    def state(self, job: str) -> JobState:
        """State of a job.

        Raises
        ------
        MachineError
            The queue cannot be asked.
        """

    @abstractmethod
    def cancel(self, job: str) -> None:
        """End a job, whatever it does; nothing where it has ended."""

    def list_nodes(self) -> Sequence[str]:
        """Names of the nodes that jobs may be given, where the queue can be asked; none where it cannot.

        Raises
        ------
        MachineError
            The queue cannot be asked.
        """
        return ()

    def find(self, name: str) -> str | None:
        """The job of this name that waits or runs, where the queue can be asked for names."""
        del name
        return None

    def was_taken_away(self, job: str) -> bool:
        """Whether the queue ended the job, or lost its node, for reasons that are not the job's."""
        del job
        return False

    def last_words(self, job: str) -> str:
        """The queue's own account of a job that ended without saying so itself."""
        del job
        return ""
