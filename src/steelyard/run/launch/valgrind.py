"""A trial under valgrind: what is started instead of the program, and what its summary says.

valgrind runs the program on a processor of its own: it counts each instruction and simulates the caches, in
the sizes that this machine has. Counts repeat exactly, whatever else the machine does; the time of such a
trial is valgrind's. The summary goes to the file of the line protocol, which the runner empties before a
trial and reads after it.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import MachineError
from steelyard.run.host import files
from steelyard.run.launch.launch import Launch
from steelyard.spec.experiment import Experiment
from steelyard.spec.valgrind import Tool, counting, counts_branches, counts_caches

CACHES: Final = Path("/sys/devices/system/cpu/cpu0/cache")

_LOG: Final = "--log-file="

_PROCESS: Final = re.compile(rb"^==(\d+)==", re.MULTILINE)
_LINE: Final = re.compile(rb"^==(\d+)== ([A-Za-z][\w ]*?): +([\d,]+)", re.MULTILINE)


class Cache(msgspec.Struct, frozen=True):
    """One cache of the machine, as cachegrind wants it."""

    bytes: int
    ways: int
    line_bytes: int

    @property
    def sets(self) -> int:
        """Lines that a way holds."""
        return self.bytes // (self.ways * self.line_bytes)

    @property
    def option(self) -> str:
        """``49152,12,64``."""
        return f"{self.bytes},{self.ways},{self.line_bytes}"


def caches(directory: Path = CACHES) -> dict[str, Cache]:
    """``I1``, ``D1`` and ``LL``, the last level, as far as the kernel tells them."""
    by_level: dict[str, Cache] = {}
    levels: dict[int, Cache] = {}
    for index in sorted(directory.glob("index[0-9]*")):
        size = files.text(index / "size") or ""
        ways, line = (
            files.number(index / "ways_of_associativity"),
            files.number(index / "coherency_line_size"),
        )
        level, kind = files.number(index / "level"), files.text(index / "type")
        if not (size[:-1].isdecimal() and size[-1:] in "KM" and ways and line and level):
            continue
        cache = Cache(int(size[:-1]) << {"K": 10, "M": 20}[size[-1]], ways, line)
        if level == 1 and kind in ("Data", "Instruction"):
            by_level["D1" if kind == "Data" else "I1"] = cache
        elif kind == "Unified":
            levels[level] = cache
    return by_level | ({"LL": levels[max(levels)]} if levels else {})


class Valgrind(msgspec.Struct, frozen=True):
    """One tool with its options.

    Attributes
    ----------
    path : str
        Of valgrind itself.
    """

    path: str
    options: tuple[str, ...]

    @classmethod
    def make(cls, experiment: Experiment, directory: Path = CACHES) -> Valgrind | None:
        """Return the tool that the trials of an experiment run under; ``None`` where they are timed.

        Raises
        ------
        MachineError
            No valgrind, or a cache that cachegrind cannot simulate.
        """
        tool = counting(experiment)
        if tool is None:
            return None
        path = shutil.which("valgrind")
        if path is None:
            raise MachineError(
                f"source = {tool!r} needs valgrind, which is not found",
                hint="apt-get install valgrind, or on a cluster: module load valgrind",
            )
        out = f"--{tool}-out-file=/dev/null"
        return cls(
            str(Path(path).absolute()), (f"--tool={tool}", out, *_simulate(experiment, tool, directory))
        )

    def wrap_launch(self, launch: Launch, summary: str) -> Launch:
        """Return the launch under valgrind. ``argv[0]`` is what valgrind starts, so it is the path.

        Parameters
        ----------
        summary : str
            The file that valgrind writes its totals to.
        """
        argv = (self.path, *self.options, f"{_LOG}{summary}", launch.path, *launch.argv[1:])
        return replace(launch, path=self.path, argv=argv, metrics_path=summary)


def locate_program(launch: Launch) -> int:
    """Find the index in ``argv`` of the program that ``wrap_launch`` started."""
    return next(at for at, word in enumerate(launch.argv, 1) if word.startswith(_LOG))


def totals(summary: bytes) -> dict[str, int]:
    """Totals by their names in the summary.

    A child that the program forked writes totals too, under another process id; the program's own stands in
    the first line.
    """
    banner = _PROCESS.search(summary)
    return {
        name.decode(): int(number.replace(b",", b""))
        for process, name, number in _LINE.findall(summary)
        if banner and process == banner[1]
    }


def _simulate(experiment: Experiment, tool: Tool, directory: Path) -> list[str]:
    if tool == "callgrind":
        return []
    options = [f"--branch-sim={'yes' if counts_branches(experiment) else 'no'}"]
    if not counts_caches(experiment):
        return [*options, "--cache-sim=no"]
    simulated = caches(directory)
    for name in ("I1", "D1", "LL"):
        if name not in simulated:
            raise MachineError(
                f"the size of the cache {name}, which cachegrind is to simulate, is not in {directory}",
                hint='count instructions only: event = "instructions"',
            )
    last = simulated["LL"]
    # A last level may have any number of sets (three slices of a power of two); the nearest one below it that
    # cachegrind can simulate is taken. In the first level it would change what is asked.
    sets = 1 << (last.sets.bit_length() - 1)
    simulated["LL"] = Cache(sets * last.ways * last.line_bytes, last.ways, last.line_bytes)
    for name, cache in simulated.items():
        if cache.sets & (cache.sets - 1):
            raise MachineError(
                f"cachegrind cannot simulate the cache {name} of this machine, which has {cache.sets} sets:"
                " no power of two",
                hint='count instructions only: event = "instructions"',
            )
    return [
        *options,
        "--cache-sim=yes",
        *(f"--{name}={simulated[name].option}" for name in ("I1", "D1", "LL")),
    ]
