"""``Submission``: a scheduler, and how jobs are made and watched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from steelyard.core.sample import Treatment
from steelyard.extensions.clusters.scheduler import Scheduler
from steelyard.spec.text.placeholders import format_level


class Share(msgspec.Struct, frozen=True):
    """Treatments whose trials go into the same jobs.

    Attributes
    ----------
    levels : mapping of str to str
        Of the factors that the queue is told, as texts; empty where one job takes all treatments.
    treatments : frozenset of int
    """

    levels: Mapping[str, str]
    treatments: frozenset[int]


class Submission(msgspec.Struct, frozen=True):
    """A scheduler, and how jobs are made and watched.

    Attributes
    ----------
    script : str
        With ``{run}`` where the trials are run.
    handed_on : sequence of str
        Beginnings of the names of variables that programs get from their job.
    poll_s : float
        Pause between two questions to the queue, in the long run.
    factors : sequence of str
        Each combination of their levels has jobs of its own.
    jobs : int
        How many may wait or run at once.
    """

    scheduler: Scheduler
    script: str
    handed_on: Sequence[str] = ()
    poll_s: float = 10.0
    factors: Sequence[str] = ()
    jobs: int = 1

    def shares(self, treatments: Sequence[Treatment]) -> list[Share]:
        """Return the treatments by the jobs that they share, in the order of the treatments."""
        together: dict[tuple[str, ...], set[int]] = {}
        for treatment in treatments:
            levels = tuple(format_level(treatment.levels[name]) for name in self.factors)
            together.setdefault(levels, set()).add(treatment.id)
        return [
            Share(dict(zip(self.factors, levels, strict=True)), frozenset(ids))
            for levels, ids in together.items()
        ]
