"""The request of ``explain``, and the experiment that it becomes: both programs, plain and sampled."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.analysis import Analysis
from steelyard.core.units import Scalar
from steelyard.extensions.explain.linking import FILE, SIDE, Linking, name_program
from steelyard.extensions.explain.sampling import Profiler
from steelyard.interventions import INTERVENTIONS
from steelyard.spec.experiment import Contexts, Design, Experiment, Factor, Program, Stop, UserMetric, Zip
from steelyard.spec.text.placeholders import escape

NAME: Final = "explain"
OLD: Final = "old"
NEW: Final = "new"
SAMPLED: Final = " with its sampler"
ARMS: Final = (OLD, NEW, f"{OLD}{SAMPLED}", f"{NEW}{SAMPLED}")
BLOCKS: Final = 20
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
    linking : Linking or None
        Objects from which both programs are linked anew for each block.
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
    linking: Linking | None = None

    def experiment(self, profiler: Profiler, scratch: Path, objects: Path) -> Experiment:
        """Return the experiment of four arms, each once in each block.

        Parameters
        ----------
        scratch : Path
            Directory for what profilers write.
        objects : Path
            Directory of the copies of objects, where there are some.
        """
        file = f"{escape(str(scratch))}/{{trial}}.profile"
        commands: dict[str, tuple[str, ...]] = {}
        for name in (OLD, NEW):
            commands[name] = self.list_escaped_words(name)
            commands[f"{name}{SAMPLED}"] = profiler.wrap(commands[name], file)
        sides = {name: NEW if name.startswith(NEW) else OLD for name in ARMS}
        return self.make_experiment(NAME, {name: commands[name] for name in ARMS}, sides, objects)

    def list_escaped_words(self, name: str) -> tuple[str, ...]:
        """Return the words of a program as an experiment has them."""
        words = [escape(word) for word in (self.new if name == NEW else self.old)]
        if self.linking is not None:
            words[0] = f"{{build}}/{{{FILE}}}"
        return tuple(words)

    def make_experiment(
        self, name: str, commands: Mapping[str, tuple[str, ...]], sides: Mapping[str, str], objects: Path
    ) -> Experiment:
        """Return an experiment of some arms, each once in each block.

        Parameters
        ----------
        commands : Mapping[str, tuple of str]
            Words by arm.
        sides : Mapping[str, str]
            Directory of objects by arm.
        """
        factors, zips = self.list_factors(sides)
        return Experiment(
            name=name,
            source=os.fspath(Path.cwd()),
            program=Program(
                commands=commands,
                inherit=True,
                stdin=None if self.stdin is None else escape(self.stdin),
                timeout_s=self.timeout_s,
            ),
            build=None if self.linking is None else self.linking.make_build(objects),
            factors=factors,
            zips=zips,
            contexts=self.make_contexts(),
            design=Design(blocks=self.blocks, seed=self.seed, stop=Stop(max_time_s=self.max_time_s)),
            metrics=() if self.reported is None else (self.reported,),
            analysis=Analysis(metric=self.metric, baseline={"command": OLD}),
        )

    def make_contexts(self) -> Contexts | None:
        """Return what is drawn for each block."""
        settings: dict[str, Scalar] = {}
        if not INTERVENTIONS["aslr"].missing("off"):
            settings |= {"env_bytes": "random", "aslr": "off"}
        if self.linking is not None:
            settings["code"] = "random"
        return Contexts(settings) if settings else None

    def list_factors(self, sides: Mapping[str, str]) -> tuple[tuple[Factor, ...], tuple[Zip, ...]]:
        """Return the factor of the arms, with those that say from what each is linked.

        Parameters
        ----------
        sides : Mapping[str, str]
            Directory of objects by arm.
        """
        arms = Factor("command", tuple(sides))
        if self.linking is None:
            return (arms,), ()
        old, new = (name_program(words[0]) for words in (self.old, self.new))
        files = {name: old if side == OLD else new for name, side in sides.items()}
        rows = tuple((name, side, files[name]) for name, side in sides.items())
        linked = Factor(SIDE, tuple(dict.fromkeys(sides.values())))
        named = Factor(FILE, tuple(dict.fromkeys(files.values())))
        return (arms, linked, named), (Zip((arms.name, SIDE, FILE), rows, name="arms"),)


def list_words(experiment: Experiment, name: str) -> Sequence[str]:
    """Return the words of a program of the record, as they were typed; of one that is linked, its name."""
    words = [word.replace("{{", "{").replace("}}", "}") for word in experiment.program.commands[name]]
    for link in experiment.zips:
        levels = next(dict(zip(link.names, row, strict=True)) for row in link.levels if row[0] == name)
        words[0] = words[0].replace(f"{{build}}/{{{FILE}}}", str(levels.get(FILE, "")))
    return words
