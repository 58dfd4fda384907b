"""The request of ``explain``, and the experiment that it becomes: both programs, plain and sampled."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.analysis import Analysis
from steelyard.extensions.explain.sampling import Profiler
from steelyard.interventions import INTERVENTIONS
from steelyard.spec.experiment import Contexts, Design, Experiment, Factor, Program, Stop, UserMetric
from steelyard.spec.text.placeholders import escape

NAME: Final = "explain"
OLD: Final = "old"
NEW: Final = "new"
SAMPLED: Final = " with its sampler"
ARMS: Final = (OLD, NEW, f"{OLD}{SAMPLED}", f"{NEW}{SAMPLED}")
BLOCKS: Final = 20
LEAST_BLOCKS: Final = 12
"""From which on the intervals that are stated cover as promised."""
MAX_TIME_S: Final = 180.0
METRICS: Final = ("cpu_s", "wall_s")


class ExplainRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Two commands, and how they are sampled.

    Attributes
    ----------
    old, new : tuple of str
        Words.
    metric : str
        Of which the difference is explained: ``cpu_s``, ``wall_s``, or the name of ``reported``.
    counts : bool
        Whether callgrind counts instructions and calls of both, besides.
    reported : UserMetric or None
        A time that the programs report.
    benchmark : str
        Whose, where they report those of several.
    files : tuple of str
        Of the programs, where something else starts them.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    metric: str = "cpu_s"
    counts: bool = False
    blocks: int = BLOCKS
    max_time_s: float = MAX_TIME_S
    stdin: str | None = None
    timeout_s: float | None = None
    seed: int = 1
    reported: UserMetric | None = None
    benchmark: str = ""
    files: tuple[str, ...] = ()

    def experiment(self, profiler: Profiler, scratch: Path) -> Experiment:
        """Return the experiment of four arms, each once in each block.

        Parameters
        ----------
        scratch : Path
            Directory for what profilers write.
        """
        file = f"{escape(str(scratch))}/{{trial}}.profile"
        commands: dict[str, tuple[str, ...]] = {}
        for name, plain in ((OLD, self.old), (NEW, self.new)):
            words = [escape(word) for word in plain]
            commands[name] = tuple(words)
            commands[f"{name}{SAMPLED}"] = profiler.wrap(words, file)
        is_fixed = not INTERVENTIONS["aslr"].missing("off")
        return Experiment(
            name=NAME,
            source=os.fspath(Path.cwd()),
            program=Program(
                commands={name: commands[name] for name in ARMS},
                inherit=True,
                stdin=None if self.stdin is None else escape(self.stdin),
                timeout_s=self.timeout_s,
            ),
            factors=(Factor("command", ARMS),),
            contexts=Contexts({"env_bytes": "random", "aslr": "off"}) if is_fixed else None,
            design=Design(blocks=self.blocks, seed=self.seed, stop=Stop(max_time_s=self.max_time_s)),
            metrics=() if self.reported is None else (self.reported,),
            analysis=Analysis(metric=self.metric, baseline={"command": OLD}),
        )


def list_words(experiment: Experiment, name: str) -> Sequence[str]:
    """Return the words of a program of the record, as they were typed."""
    return [word.replace("{{", "{").replace("}}", "}") for word in experiment.program.commands[name]]
