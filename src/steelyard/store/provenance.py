"""Provenance of a record's values, by its spec and the machines that ran it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.sample import Provenance, Treatment
from steelyard.core.units import Metric
from steelyard.spec.ranks import is_overcommitted, ranks_of
from steelyard.spec.text.placeholders import format_level
from steelyard.store.entries import Run

Sessions = Literal["", "apart", "units"]
"""How sessions of another tool and treatments of an import belong together: nothing is known; each level of
``SESSION`` is one session; or each trial is one."""
SESSION: Final = "file"
"""Factor of imports whose levels are files, or several of them."""
TIMES: Final = ("s", "1/s", "B/s")
"""Units of what depends on how many ranks share a CPU; memory and counts do not."""


class _Launch(msgspec.Struct, frozen=True):
    """The keys of ``[launch]`` from which provenance follows; a newer version may have more."""

    kind: str = "local"
    ranks: str | None = None
    arguments: tuple[str, ...] = ()


class _Spec(msgspec.Struct, frozen=True):
    launch: _Launch = _Launch()


class Origins(msgspec.Struct, frozen=True):
    """The provenance of each sample of a record.

    Attributes
    ----------
    kind : str
        Of launch.
    ranks : str or None
        How many a treatment has, with placeholders.
    cpus : int or None
        The fewest that a run of the record could use; ``None`` where that is not known.
    one_process : bool
        Whether the trials are repetitions within one process.
    sessions : {"", "apart", "units"}
    overcommitted : bool
        Whether Slurm was asked to let ranks share CPUs.
    """

    kind: str
    ranks: str | None
    cpus: int | None
    one_process: bool = False
    overcommitted: bool = False
    sessions: Sessions = ""

    @classmethod
    def make(
        cls,
        experiment_json: str | bytes,
        runs: Sequence[Run],
        *,
        one_process: bool = False,
        sessions: Sessions = "",
    ) -> Origins:
        """Read them from a record, even one whose spec a newer version wrote."""
        launch = msgspec.json.decode(experiment_json, type=_Spec).launch
        numbers = [cpus for run in runs if isinstance(cpus := run.host.get("cpus_usable"), int)]
        overcommitted = (
            launch.kind == "slurm" and launch.ranks is not None and is_overcommitted(launch.arguments)
        )
        cpus = min(numbers, default=None)
        return cls(launch.kind, launch.ranks, cpus, one_process, overcommitted, sessions)

    @property
    def simulated(self) -> bool:
        """Whether what programs report is of a simulated machine."""
        return self.kind == "smpi"

    def provenance(self, metric: Metric, treatment: Treatment) -> Provenance:
        """Return the provenance of a sample.

        Under a simulator, reported values are simulated, and what is measured from outside is the simulator's
        own.
        """
        match self.kind:
            case "smpi" if metric.kind in ("user", "derived"):
                return "simulated"
            case "mpi" if metric.unit in TIMES and self.cpus is not None:
                return "crowded" if self._count(treatment) > self.cpus else "measured"
            case "slurm" if metric.unit in TIMES and self.overcommitted:
                return "crowded"
            case _ if self.sessions == "units":
                return "session"
            case _:
                return "one_process" if self.one_process else "measured"

    def session(self, treatment: Treatment) -> str:
        """Return the only session of a treatment; empty where there are several, or none is known."""
        return str(treatment.levels.get(SESSION, "")) if self.sessions == "apart" else ""

    def _count(self, treatment: Treatment) -> int:
        names = {name: format_level(level) for name, level in treatment.levels.items()}
        try:
            return ranks_of(self.ranks or "1", names)
        except UsageError:
            return 1  # A record that did not come from here.
