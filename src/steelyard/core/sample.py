"""Samples: the values of one metric for one treatment, and where each came from."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
from msgspec.structs import replace

from steelyard.core.units import Metric, Scalar

if TYPE_CHECKING:
    Doubles = array[float]
    Integers = array[int]
else:  # Python 3.11 refuses the parameter when the fields of a value are looked at
    Doubles = Integers = array

Provenance = Literal["measured", "simulated", "crowded", "one_process", "other_code", "session"]
"""Where values come from: a real run, a simulated machine, a real run of more ranks than there are CPUs,
whose times are the work of all ranks together and say nothing of what the program would take elsewhere,
repetitions within one process, in which nothing shows that differs from launch to launch, a real run with
libraries that are not those of the sample that it is compared with, or the mean of a session of another
tool."""


class Treatment(msgspec.Struct, frozen=True):
    """One combination of levels.

    Attributes
    ----------
    id : int
        From 1, in the order of the full factorial (the last factor varies fastest).
    label : str
        What a person calls it: the levels that vary, joined by commas.
    levels : Mapping[str, Scalar]
        Factor to level, every factor of the experiment.
    """

    id: int
    label: str
    levels: Mapping[str, Scalar]


class Failures(msgspec.Struct, frozen=True):
    """How many trials of a treatment failed, of all that were attempted outside discarded blocks."""

    attempted: int = 0
    failed: int = 0
    timed_out: int = 0
    """Part of ``failed``."""
    reason: str = ""
    """Why most of them failed, in words; empty where the record does not say it."""

    @property
    def in_time(self) -> Failures:
        """The sample without what timed out, as if those runs had not failed."""
        return Failures(self.attempted, self.failed - self.timed_out, 0)

    @property
    def share(self) -> float:
        """Failed over attempted; 0 where nothing was attempted."""
        return self.failed / self.attempted if self.attempted else 0.0


class Instances(msgspec.Struct, frozen=True):
    """Problem instances that a sample holds together.

    Attributes
    ----------
    factor : str
        What they are levels of; no factor of the treatment any more.
    levels : tuple of Scalar
        All of the experiment, so that places mean the same in every sample.
    ids : array of int64
        For each value of the sample the place in ``levels`` of its instance.
    """

    factor: str
    levels: tuple[Scalar, ...]
    ids: Integers


class Sample(msgspec.Struct, frozen=True):
    """The values of one metric for one treatment from complete blocks, one a launch, in the order of time.

    Iterations that a program reports are already reduced to one value a launch (methods: a launch is the
    smallest unit of inference). The arrays have equal length; the constructor refuses others.

    Attributes
    ----------
    values : array of double
        In ``metric.unit``.
    blocks, passes, contexts, trials : array of int64
        The block (from 1), the pass (from 1), the context (id; 0 where the experiment has none) and the
        trial of each value.
    labels : Mapping[str, Scalar]
        Labels that the program put on its values (``{"op": "bcast"}``); empty for metrics of a whole trial.
    failures : Failures
        Of the treatment.
    censored : array of int
        1 where a run timed out, so that its value is only a lower bound; empty where none did.
    instances : Instances or None
        Where levels of one factor were put together, since they are the same problems in every run.
    provenance : {"measured", "simulated", "crowded", "one_process", "other_code", "session"}
    session : str
        Of all values, where they are known to have one that the values of other treatments may not have;
        otherwise empty.
    """

    metric: Metric
    treatment: Treatment
    values: Doubles
    blocks: Integers
    passes: Integers
    contexts: Integers
    trials: Integers
    labels: Mapping[str, Scalar] = {}
    failures: Failures = Failures()
    censored: Integers = msgspec.field(default_factory=lambda: array("b"))
    instances: Instances | None = None
    provenance: Provenance = "measured"
    session: str = ""

    def __post_init__(self) -> None:
        lengths = {len(self.values), len(self.blocks), len(self.passes), len(self.contexts), len(self.trials)}
        if self.censored:
            lengths.add(len(self.censored))
        if self.instances is not None:
            lengths.add(len(self.instances.ids))
        if len(lengths) > 1:
            raise ValueError(f"arrays of a sample must have equal length, got lengths {sorted(lengths)}")

    def __len__(self) -> int:
        return len(self.values)

    def select(self, places: Sequence[int]) -> Sample:
        """Sample of the values at ``places``, in that order."""

        def pick(column: array[Any], typecode: str) -> array[Any]:
            return array(typecode, [column[i] for i in places] if column else ())

        columns = {name: pick(getattr(self, name), code) for name, code in COLUMNS.items()}
        instances = self.instances and replace(self.instances, ids=pick(self.instances.ids, "q"))
        return replace(self, **columns, instances=instances)


S_PER_MAD: Final = 1.4826
"""Standard deviation of normal values over their median absolute deviation."""
COLUMNS: Final = {
    "values": "d",
    "blocks": "q",
    "passes": "q",
    "contexts": "q",
    "trials": "q",
    "censored": "b",
}
"""Fields of a ``Sample`` with an entry for each value, and the type codes of their arrays."""
