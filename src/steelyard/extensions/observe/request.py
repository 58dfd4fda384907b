"""The request of ``observe``, and the experiments that it becomes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.analysis import Analysis
from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.extensions.observe.probes import INCLUDE, NONE, UNPROBED, Probe
from steelyard.extensions.observe.tracing import Tracing
from steelyard.lab.compare.compare import split
from steelyard.spec.experiment import (
    Build,
    Contexts,
    Design,
    Experiment,
    Factor,
    Program,
    Stop,
    UserMetric,
    Verify,
    Zip,
)
from steelyard.spec.text.placeholders import escape

BLOCKS: Final = 20
MAX_TIME_S: Final = 60.0
WITHIN: Final = 0.01
REL_EFFECT: Final = 0.5
"""Fraction of a perturbation that is precise enough: nobody asks whether it is 4.4 or 4.5 times."""
VERSUS: Final = ", versus"
"""Ends the names of levels of the other program."""
_PLACEHOLDERS: Final = ("build", "probe")


class ObserveRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A command, the probes, and how they are compared.

    Attributes
    ----------
    command : str
        Split into words as a shell splits them; ``{build}`` is where the build writes.
    build : str or None
        The build command; ``{probe}`` in it is the option of the probe, ``{build}`` where it writes.
    inputs : sequence of str
        Files, or patterns, of which the build is made.
    counters : sequence of str
        Events of the kernel to count in every run, with and without a probe.
    contexts : bool
        Whether every block has a context of its own, so that a change is not that of one layout.
    within : float
        The margin inside of which a probe is called unperturbed.
    added : bool
        Whether callgrind counts the instructions that probes inside of the program add.
    trace : Tracing or None
        What is read over the course of runs of every level, besides.
    files : sequence of str
        Files that the program writes, to whose contents runs are held; none: those that it is seen to write.
    versus : str or None
        Another command: which of the two is faster, and whether a probe turns that round.
    """

    command: str
    probes: Sequence[Probe]
    build: str | None = None
    inputs: Sequence[str] = ()
    counters: Sequence[str] = ()
    metric: str = "wall_s"
    contexts: bool = True
    within: float = WITHIN
    alpha: float = 0.05
    blocks: int = BLOCKS
    max_time_s: float = MAX_TIME_S
    added: bool = False
    trace: Tracing | None = None
    versus: str | None = None
    files: Sequence[str] = ()
    stdin: str | None = None
    timeout_s: float | None = None
    seed: int = 1

    def experiment(
        self,
        probes: Sequence[Probe],
        *,
        verify: Verify,
        scratch: Path,
        library: Path | None,
        both: bool = False,
    ) -> Experiment:
        """Return the baseline and the probes, each once in each block.

        Parameters
        ----------
        verify : Verify
            What every run is held to.
        scratch : Path
            Where probes that write files beside the program write them.
        library : Path or None
            What the preloaded probe loads.
        both : bool
            Whether ``versus`` runs beside the command, also without a probe and with each.
        """
        programs = {"": self.command} | ({VERSUS: self.versus} if both and self.versus else {})
        words = {suffix: [_place_levels(word) for word in split(text)] for suffix, text in programs.items()}
        levels = [level for level in (Probe(NONE), *probes) for _ in programs]
        commands = {
            f"{level.name}{suffix}": (*map(escape, level.wrap), *words[suffix])
            for level in (Probe(NONE), *probes)
            for suffix in programs
        }
        names = sorted(
            {name for level in levels for name in level.variables} | ({"LD_PRELOAD"} if library else set())
        )
        values: dict[str, tuple[Scalar, ...]] = {"command": tuple(commands)}
        if self.build is not None:
            values["probe"] = tuple(level.option or UNPROBED for level in levels)
        for number, name in enumerate(names):
            values[f"variable{number}"] = tuple(
                str(library) if level.preload and name == "LD_PRELOAD" else level.variables.get(name, "")
                for level in levels
            )
        factors = tuple(Factor(name, tuple(dict.fromkeys(column))) for name, column in values.items())
        rows = tuple(zip(*values.values(), strict=True))
        env = {name: f"{{variable{number}}}" for number, name in enumerate(names)}
        # Where profilers of the compiler write: not into the user's directory.
        env |= {"GMON_OUT_PREFIX": escape(str(scratch / "gmon")), "GCOV_PREFIX": escape(str(scratch))}
        return Experiment(
            name="observe",
            source=os.fspath(Path.cwd()),
            program=Program(
                commands=commands,
                env=env,
                inherit=True,
                stdin=None if self.stdin is None else escape(self.stdin),
                timeout_s=self.timeout_s,
                counters=tuple(self.counters),
                verify=verify,
            ),
            build=self._build(),
            factors=factors,
            zips=(Zip(tuple(values), rows, name="level"),) if len(values) > 1 else (),
            contexts=Contexts({"env_bytes": "random", "aslr": "off"}) if self.contexts else None,
            design=Design(
                blocks=self.blocks,
                seed=self.seed,
                stop=Stop(rel_halfwidth=self.within / 2, rel_effect=REL_EFFECT, max_time_s=self.max_time_s),
            ),
            analysis=Analysis(metric=self.metric, baseline={"command": NONE}),
        )

    def counting(self, experiment: Experiment) -> Experiment:
        """Make the experiment of the same levels, each once under callgrind."""
        import msgspec

        program = msgspec.structs.replace(experiment.program, counters=())
        return msgspec.structs.replace(
            experiment,
            name="observe, instructions",
            program=program,
            contexts=None,
            metrics=(UserMetric("instructions", source="callgrind", event="instructions"),),
            design=Design(blocks=1, discard=0, seed=self.seed),
            analysis=Analysis(metric="instructions", baseline={"command": NONE}),
        )

    def _build(self) -> Build | None:
        if self.build is None:
            if any(probe.option for probe in self.probes):
                raise UsageError(
                    "an option is a probe of the build, but no build is given",
                    hint="--build 'cc -O2 {probe} prog.c -o {build}/prog'",
                )
            return None
        if "{probe}" not in self.build:
            raise UsageError(
                f"the build {self.build!r} has no place for a probe's option",
                hint="put {probe} where the compiler's options stand",
            )
        return Build(
            command=tuple(_place_levels(word) for word in split(self.build)),
            # What the command names is what it is made of, as far as that is there.
            inputs=(
                *(word for word in split(self.build) if Path(word).is_file()),
                *self.inputs,
                f"{INCLUDE}/*.h",
            ),
            env={"CPATH": escape(str(INCLUDE))},
        )


def _place_levels(word: str) -> str:
    """Escape all braces except the two placeholders that a command line can have."""
    text = escape(word)
    for name in _PLACEHOLDERS:
        text = text.replace(f"{{{{{name}}}}}", f"{{{name}}}")
    return text
