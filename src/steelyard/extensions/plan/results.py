"""``Preview``: an experiment before it runs, and ``Outlook``: the differences that its design could show.

The document of a preview is ``steelyard/plan``. History: version 1, the first; ``simulations``,
``nodes``, ``unasked`` and ``until`` came later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import msgspec

from steelyard.core.factorial.signs import SignTable
from steelyard.core.look_schedule import Until
from steelyard.core.units import Scalar
from steelyard.results.document import Format
from steelyard.results.unit import Unit


class Pilot(msgspec.Struct, frozen=True):
    """The spread that a comparison had in a record that is there; ``treatment`` names it."""

    treatment: str
    s: float


class OutlookRow(msgspec.Struct, frozen=True):
    """Outlook for one spread. Numbers are units; ``None`` is more than anybody runs.

    Attributes
    ----------
    s : float
        Of the log ratio of a unit; of a run's logarithm where nothing pairs runs.
    pilot : str or None
        The treatment that had it in the record.
    shows : float or None
        The smallest relative difference that the units planned show with 80 % power.
    needed : tuple
        Units that show each of ``Outlook.differences``.
    precise : int or None
        Units after which the precision that the stop rule wants ends the run; ``None`` too without one.
    equivalent : int or None
        Units that show, with 90 % power, that equal treatments are within the margin; ``None`` too without
        one.
    """

    s: float
    pilot: str | None
    shows: float | None
    needed: tuple[int | None, ...]
    precise: int | None
    equivalent: int | None


class Outlook(msgspec.Struct, frozen=True):
    """Differences that a design could show.

    Attributes
    ----------
    units : int
        Planned; at the first look of a stop rule.
    comparisons : int
        In the largest family.
    level : float
        At which the first of them is tested by Holm: alpha / comparisons.
    target, margin : float or None
        Of the stop rule, and of the analysis.
    fewest : int or None
        Units from which on a difference can show at all; ``None`` where those planned are as many.
    decided : bool
        The run is looked at until verdicts are decided: ``level`` is that of all looks together, and units
        needed are those of the look by which so many experiments are decided.
    """

    unit: Unit
    units: int
    comparisons: int
    level: float
    target: float | None
    margin: float | None
    rows: tuple[OutlookRow, ...]
    differences: tuple[float, ...]
    fewest: int | None = None
    decided: bool = False


class PlannedTreatment(msgspec.Struct, frozen=True):
    """A treatment, and the command that it runs, as one would type it."""

    id: int
    label: str
    command: str
    levels: Mapping[str, Scalar] = msgspec.field(default_factory=dict)


class Simulation(msgspec.Struct, frozen=True):
    """A simulation that has not run yet.

    Attributes
    ----------
    wall_s, memory_bytes : float or None
        As simulations of fewer ranks in the record let expect; ``None`` where there are none.
    basis : tuple of int
        Their numbers of ranks.
    """

    label: str
    ranks: int
    wall_s: float | None
    memory_bytes: float | None
    basis: tuple[int, ...]


class Refusal(msgspec.Struct, frozen=True):
    """Error with which a run on this machine would end before anything is measured, and its cure."""

    error: str
    hint: str | None = None


class Preview(msgspec.Struct, frozen=True):
    """Runs that an experiment would make, and the differences that it could show.

    Attributes
    ----------
    blocks : int
        At the first look where a stop rule decides, else all of them; discarded ones excluded.
    most_blocks : int or None
        That a stop rule allows; ``None`` without a stop rule, or where only time limits it.
    in_rows : bool
        The runs of one treatment follow each other; ``first_block`` holds those of all, and ``discard`` runs
        come before those of each.
    target, max_time_s : float or None
        Of the stop rule: relative half-width wanted, and the time allowed.
    decided : bool
        The stop rule ends the run when every verdict is decided.
    until : {"size", "verdict"}
        Whether intervals have to be narrow then, too.
    contexts : int
        Different ones in ``blocks``; 0 where the experiment declares none.
    first_block : tuple of str
        Labels in the order in which the first block runs, every launch of it.
    builds : int
        Programs that are built before the first look, some of them in the cache already; 0 without a build.
    estimated_s : float or None
        For ``blocks`` and the discarded ones; ``None`` where nothing has run yet to tell.
    inseparable : tuple of str
        Sentences: what the design cannot tell apart.
    changes_here : tuple of str
        ``here`` in documents. Sentences: what each intervention changes on this machine, and what it lacks.
    refused : tuple of Refusal
        What a run on this machine would refuse, as far as it can be told with nothing started.
    signs : SignTable or None
        Where two steps of each factor are run.
    outlook : Outlook or None
        What it could show; ``None`` where nothing is compared.
    simulations : tuple of Simulation
        Those that have not run yet, of programs on a simulated machine.
    memory_available_bytes : int or None
        Of this machine, now; ``None`` where nothing is simulated.
    nodes : Mapping[str, int]
        Of ``blocks``, how many lie on each node of a queue; empty where no nodes are drawn.
    unasked : tuple of str
        Machines whose state is not in ``refused``, since only a command of the spec can ask for it.
    """

    experiment: str
    treatments: tuple[PlannedTreatment, ...]
    blocks: int
    seed: int
    order: Literal["randomized-blocks", "sequential"]
    first_block: tuple[str, ...]
    replicates: int = 1
    discard: int = 0
    in_rows: bool = False
    contexts: int = 0
    passes: int = 1
    builds: int = 0
    most_blocks: int | None = None
    target: float | None = None
    max_time_s: float | None = None
    estimated_s: float | None = None
    inseparable: tuple[str, ...] = ()
    changes_here: tuple[str, ...] = msgspec.field(default=(), name="here")
    refused: tuple[Refusal, ...] = ()
    signs: SignTable | None = None
    outlook: Outlook | None = None
    decided: bool = False
    until: Until = "size"
    simulations: tuple[Simulation, ...] = ()
    memory_available_bytes: int | None = None
    nodes: Mapping[str, int] = {}
    unasked: tuple[str, ...] = ()

    @property
    def trials(self) -> int:
        """Launches in ``blocks`` and the discarded ones."""
        if self.in_rows:
            return len(self.first_block) + self.discard * len(self.treatments)
        return (self.blocks + self.discard) * len(self.first_block)


PLAN: Final = Format(
    "steelyard/plan",
    1,
    Preview,
    extra={
        "trials": int,
        "launch": Mapping[str, str],
        "build": Mapping[str, Sequence[str] | int] | None,
        "claims": Sequence[str],
    },
)
"""``launch``, ``build`` and ``claims``: what the spec asks for, in words."""
