"""``Experiment``: what a spec says, checked and typed.

It is built by ``steelyard.spec``; every other room only reads it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from steelyard.core.analysis import Analysis
from steelyard.core.units import Scalar
from steelyard.spec.claims.claim import Claim
from steelyard.spec.tables.build import Build
from steelyard.spec.tables.contexts import Range
from steelyard.spec.tables.design import Design, Stop
from steelyard.spec.tables.factors import Factor, LevelCommands, Zip
from steelyard.spec.tables.launch import LaunchMethod, LocalLaunch, Noise
from steelyard.spec.tables.metrics import Reduce, UserMetric
from steelyard.spec.tables.program import Program, Verify

__all__ = [
    "Analysis",
    "Build",
    "Contexts",
    "Design",
    "Experiment",
    "Factor",
    "LaunchMethod",
    "LevelCommands",
    "Noise",
    "Program",
    "Range",
    "Reduce",
    "Stop",
    "UserMetric",
    "Verify",
    "Zip",
]


class Contexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nuisance settings, drawn for each context.

    ``"random"``, a fixed level, a list to draw from, or a range.
    """

    settings: Mapping[str, Scalar | tuple[Scalar, ...] | Range]
    passes: int = 1

    @property
    def drawn(self) -> tuple[str, ...]:
        """Names of the settings that differ between contexts."""
        return tuple(
            name
            for name, setting in self.settings.items()
            if setting == "random" or isinstance(setting, tuple | Range)
        )


class Experiment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One experiment, complete: what ``spec`` gives and everything else takes.

    ``source`` is the absolute directory of the spec (``{source}``), where relative paths start.
    """

    name: str
    source: str
    program: Program
    build: Build | None = None
    factors: tuple[Factor, ...] = ()
    zips: tuple[Zip, ...] = ()
    contexts: Contexts | None = None
    design: Design = Design()
    metrics: tuple[UserMetric, ...] = ()
    analysis: Analysis = Analysis()
    launch: LaunchMethod = LocalLaunch()
    claims: tuple[Claim, ...] = ()
    levels: tuple[LevelCommands, ...] = ()

    @property
    def needs_queue_wait(self) -> bool:
        """Whether the wait for a CPU is analysed, claimed or computed with, and so needed of every trial."""
        derived = (metric.derive or "" for metric in self.metrics)
        claimed = (field for claim in self.claims for field in msgspec.structs.astuple(claim))
        return (
            self.analysis.metric == "queue_wait_s"
            or any(re.search(r"\bqueue_wait_s\b", text) for text in derived)
            or any(field == "queue_wait_s" for field in claimed)
        )

    @property
    def limit(self) -> float | None:
        """Value of the metric that is judged at which a run that times out is ended, where that counts."""
        if self.analysis.failures != "as-limit":
            return None
        limits = {metric.name: metric.limit for metric in self.metrics}
        return limits.get(self.analysis.metric, self.program.timeout_s)

    @property
    def keeps_failures(self) -> bool:
        """Whether a trial that fails or times out is an outcome, which ends no run and repeats no block."""
        if self.program.on_failure is not None:
            return self.program.on_failure == "continue"
        stop = self.design.stop
        return self.analysis.failures == "as-limit" and (stop is None or not stop.looks)

    @property
    def hard(self) -> tuple[str, ...]:
        """The factors that are hard to change, whose levels make whole plots; in the order of the factors."""
        named = {level.factor for level in self.levels if level.change == "hard"}
        return tuple(factor.name for factor in self.factors if factor.name in named)
