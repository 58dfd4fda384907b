"""The request of ``audit``, and the experiments that it becomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from steelyard.core.units import Scalar
from steelyard.extensions.audit.classes import CYCLES
from steelyard.lab.compare.compare import CompareRequest
from steelyard.spec.experiment import Contexts, Design, Experiment, Factor, Stop, UserMetric, Zip

MAX_TIME_S: Final = 50.0
ALPHA: Final = 0.01
LEAST: Final = 0.02

_SLOWDOWN: Final = 200
"""Time of a run under cachegrind over its own, at most."""

Row = Mapping[str, Scalar]
"""One setting of all kinds of context that are audited."""


class AuditRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A command, and how it is audited.

    Attributes
    ----------
    command : str
        Split into words as a shell splits them, and started without one.
    only : sequence of str
        Kinds of context to audit; those that are usual where empty.
    counts : bool
        Count lengths of the environment under cachegrind, and time only those whose counts differ.
    thorough : bool
        Visit every residue of the page, however long that takes.
    max_time_s : float
        What the numbers of levels and blocks are planned for. The least that can find anything is done even
        where it takes longer, unless ``limited``.
    limited : bool
        Begin nothing that is not likely to end within ``max_time_s``, all stages together.
    alpha : float
        Probability of one false finding or more.
    least : float
        Relative effect that matters.
    metric : str or None
        What "time" is; ``None``: CPU time where the pilot shows that the program computes on one CPU and does
        little else, so that others who want the CPU are in no result; elapsed time otherwise.
    """

    command: str
    only: Sequence[str] = ()
    counts: bool = False
    thorough: bool = False
    max_time_s: float = MAX_TIME_S
    limited: bool = False
    alpha: float = ALPHA
    least: float = LEAST
    metric: str | None = None
    stdin: str | None = None
    timeout_s: float | None = None
    ignore_failure: bool = False
    seed: int = 1

    def experiment(
        self,
        rows: Sequence[Row],
        *,
        stage: str,
        blocks: int,
        discard: int,
        fixed: Row,
        stop: Stop | None = None,
    ) -> Experiment:
        """Every row once in each block, in random order.

        Parameters
        ----------
        rows : sequence of Row
            All of the same kinds of context; treatments are numbered in their order.
        fixed : Row
            What all rows share and none names.
        """
        plain = CompareRequest(
            commands=(self.command,),
            stdin=self.stdin,
            timeout_s=self.timeout_s,
            ignore_failure=self.ignore_failure,
            metric=self.metric or "wall_s",
            rel_halfwidth=None,
        ).experiment()
        names = tuple(rows[0])
        factors = tuple(
            Factor(name, tuple(dict.fromkeys(row[name] for row in rows)), intervention=True) for name in names
        )
        steps = tuple(tuple(row[name] for name in names) for row in rows)
        return msgspec.structs.replace(
            plain,
            name=f"audit, {stage}",
            factors=(*plain.factors, *factors),
            zips=(Zip(names, steps, name="context"),) if names else (),
            contexts=Contexts(dict(fixed)) if fixed else None,
            design=Design(blocks=blocks, discard=discard, seed=self.seed, stop=stop),
        )

    def count_at(self, levels: Sequence[int], *, stage: str, blocks: int, stop: Stop | None) -> Experiment:
        """Return a run under cachegrind in each block, at one of the ``levels`` of the environment."""
        plain = CompareRequest(
            commands=(self.command,),
            stdin=self.stdin,
            timeout_s=None if self.timeout_s is None else _SLOWDOWN * self.timeout_s,
            ignore_failure=self.ignore_failure,
            rel_halfwidth=None,
        ).experiment()
        return msgspec.structs.replace(
            plain,
            name=f"audit, {stage}",
            metrics=tuple(UserMetric(name=event, source="cachegrind", event=event) for event in CYCLES),
            analysis=msgspec.structs.replace(plain.analysis, metric="instructions"),
            contexts=Contexts({"env_bytes": tuple(levels), "aslr": "off"}),
            design=Design(blocks=blocks, discard=0, seed=self.seed, stop=stop),
        )
