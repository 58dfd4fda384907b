"""What is measured: a program of C or of Python, with the functions in which a slow-down can be planted."""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path

from programs import (
    LEAST_PERIOD,
    LINK,
    Package,
    Plant,
    Program,
    compile_objects,
    copy_package,
    find_definition,
    find_functions,
    link,
)

from steelyard.extensions.explain.callgrind import read_callgrind
from steelyard.extensions.explain.linking import Linking, read_linking
from steelyard.extensions.explain.names import clean_symbol
from steelyard.extensions.explain.sampling import Perf, ProfileCommand, Profiler

LEAST_CALLS = 6
LEAST_SHARE = 0.01
CALIBRATIONS = 3
SPIN = "int main(void) { for (volatile unsigned spin = 60000000u; spin; spin = spin - 1); }\n"
PYTHON_SPIN = "for _spin in range(5000000): pass\n"
COUNT_CALLS = """\
import cProfile, pstats, runpy, sys
profile = cProfile.Profile()
sys.argv = sys.argv[1:]
profile.enable()
runpy.run_path(sys.argv[0], run_name="__main__")
profile.disable()
for (file, line, name), (_, calls, *_) in pstats.Stats(profile).stats.items():
    print(file, line, calls, sep="\\t")
"""


def measure_cpu_s(words: list[str]) -> float:
    """CPU time of a run, by perf: the clock of the task."""
    done = subprocess.run(
        ["perf", "stat", "-x,", "-e", "task-clock", "--", *words], capture_output=True, text=True, check=True
    )
    line = next(line for line in done.stderr.splitlines() if "task-clock" in line)
    return 1e-3 * float(line.split(",")[0])


class Subject(ABC):
    """A program as it is.

    Attributes
    ----------
    old : tuple of str
        Its words.
    calls : Mapping[str, int]
        Of the functions in which something can be planted.
    """

    name: str
    directory: Path
    profiler: Profiler
    old: tuple[str, ...]
    calls: Mapping[str, int]
    spin: list[str]
    turns: float

    def calibrate(self) -> tuple[float, float]:
        """Seconds of the program and of a turn of the loop, taken in turns."""
        pairs = [(measure_cpu_s([*self.old]), measure_cpu_s(self.spin)) for _ in range(CALIBRATIONS)]
        program, spin = (statistics.median(values) for values in zip(*pairs, strict=True))
        return program, spin / self.turns

    def draw(self, draw: random.Random, size: float) -> dict[str, Plant]:
        """One function or three, drawn, with loops that together take a share ``size`` of the time."""
        program_s, turn_s = self.calibrate()
        count = draw.choice((1, 3))
        turns = size * program_s / (count * turn_s)
        able = sorted(name for name, calls in self.calls.items() if self.suits(calls, turns))
        return {name: self.plan(turns, self.calls[name]) for name in draw.sample(able, min(count, len(able)))}

    @abstractmethod
    def suits(self, calls: int, turns: float) -> bool:
        """Whether so many turns can be planted into so many calls."""

    @abstractmethod
    def plan(self, turns: float, calls: int) -> Plant:
        """A plant of so many turns in a run."""

    @abstractmethod
    def build(self, directory: Path, plants: Mapping[str, Plant], layout: int) -> tuple[str, ...]:
        """A program with plants: its words."""

    @abstractmethod
    def find_linking(self, directory: Path) -> Linking | None:
        """The objects of the program as it is and of the one that was built in ``directory``."""


class Native(Subject):
    """A program in C, sampled by perf, linked anew for each block."""

    def __init__(self, program: Program, directory: Path, spin: Path) -> None:
        self.name, self.program, self.directory = program.name, program, directory
        self.profiler, self.spin, self.turns = Perf(), [str(spin)], 6e7
        plain = link(program, compile_objects(program, directory / "plain", (), {}))
        self.functions = [name for name in self._list_hot(plain) if self._is_defined(name)]
        built = link(program, compile_objects(program, directory / "old", self.functions, {}))
        self.old = (str(built),)
        self.counts = count(built, directory)
        self.calls = {name: self.counts.get(name, (0, 0))[1] for name in self.functions}

    def _is_defined(self, name: str) -> bool:
        return any(
            find_definition(source.read_text(errors="replace"), name) for source in self.program.sources
        )

    def _list_hot(self, plain: Path) -> list[str]:
        file = self.directory / "hot.profile"
        subprocess.run(self.profiler.wrap([str(plain)], str(file)), check=True, capture_output=True)
        hot = list_hot(self.profiler, file, plain.name, is_ours=lambda place: not place)
        return [name for name in hot if name != "main"]

    def suits(self, calls: int, turns: float) -> bool:
        """Calls that are few beside the turns: counting them costs as much as a turn at most."""
        return LEAST_CALLS <= calls <= turns / 10 and turns >= LEAST_PERIOD

    def plan(self, turns: float, calls: int) -> Plant:
        """Loops of many turns in some calls."""
        period = max(1, min(calls // 20, round(LEAST_PERIOD * calls / turns)))
        return Plant(round(turns / (calls // period)), period)

    def build(self, directory: Path, plants: Mapping[str, Plant], layout: int) -> tuple[str, ...]:
        """Compile and link it."""
        objects = compile_objects(self.program, directory, self.functions, plants, layout)
        return (str(link(self.program, objects)),)

    def find_linking(self, directory: Path) -> Linking | None:
        """Both directories of objects."""
        return read_linking((str(self.directory / "old/objects"), str(directory / "objects")), LINK)


class Python(Subject):
    """A package of Python, sampled by py-spy."""

    def __init__(self, package: Package, directory: Path, spin: Path) -> None:
        self.name, self.package, self.directory = package.name, package, directory
        spy = package.directory / "bin/py-spy"
        self.profiler = ProfileCommand(f"{spy} record -F -r 2000 -f raw -o {{profile}} -- {{command}}")
        self.spin, self.turns = [sys.executable, str(spin)], 5e6
        self.old = self.build(directory / "old", {}, 0)
        file = directory / "hot.profile"
        subprocess.run(self.profiler.wrap(self.old, str(file)), check=True, capture_output=True)
        hot = list_hot(self.profiler, file, "", is_ours=lambda _: True)
        self.calls = self._count_calls([name for name in hot if self._is_plantable(name)])

    def _is_plantable(self, name: str) -> bool:
        definitions = [definition for _, definition in find_functions(self.directory / "old/library", name)]
        return len(definitions) == 1 and definitions[0].body[0].lineno > definitions[0].lineno

    def _count_calls(self, functions: list[str]) -> dict[str, int]:
        script = self.directory / "count_calls.py"
        script.write_text(COUNT_CALLS)
        done = subprocess.run(
            [sys.executable, str(script), *self.old[1:]], capture_output=True, text=True, check=True
        )
        rows = [line.split("\t") for line in done.stdout.splitlines() if line.count("\t") == 2]
        calls = {(file, int(line)): int(times) for file, line, times in rows}
        places = {name: find_functions(self.directory / "old/library", name)[0] for name in functions}
        return {
            name: calls.get(
                (str(file), min([d.lineno for d in definition.decorator_list] or [definition.lineno])), 0
            )
            for name, (file, definition) in places.items()
        }

    def calibrate(self) -> tuple[float, float]:
        """Seconds of the program and of a turn of the loop, without the start of Python in the latter."""
        program, turn = super().calibrate()
        start = statistics.median(measure_cpu_s([sys.executable, "-c", ""]) for _ in range(CALIBRATIONS))
        return program, turn - start / self.turns

    def suits(self, calls: int, turns: float) -> bool:
        """Calls of which each can have a few turns."""
        return LEAST_CALLS <= calls <= turns / 20

    def plan(self, turns: float, calls: int) -> Plant:
        """A loop in each call."""
        return Plant(round(turns / calls), 1)

    def build(self, directory: Path, plants: Mapping[str, Plant], layout: int) -> tuple[str, ...]:
        """Copy the package."""
        del layout  # A package has none.
        library = copy_package(self.package, directory, plants)
        return (sys.executable, str(directory / "driver.py"), str(library))

    def find_linking(self, directory: Path) -> Linking | None:
        """Nothing is linked."""
        del directory
        return None


def list_hot(profiler: Profiler, file: Path, program: str, *, is_ours: Callable[[str], bool]) -> list[str]:
    """Functions with a hundredth of the time at least."""
    profile = profiler.read({1: file}, {program})[1]
    times: dict[str, float] = {}
    for chain, weight in profile.weights.items():
        if is_ours(chain[-1].place):
            times[chain[-1].name] = times.get(chain[-1].name, 0.0) + weight
    total = sum(profile.weights.values())
    return sorted(name for name, weight in times.items() if weight > LEAST_SHARE * total)


def count(program: Path, directory: Path) -> dict[str, tuple[int, int]]:
    """Function to instructions and calls, by callgrind."""
    file = directory / "callgrind.out"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={file}", str(program)]
    subprocess.run(command, capture_output=True, check=True)
    sums: dict[str, tuple[int, int]] = {}
    with file.open() as lines:
        for entry in read_callgrind(lines):
            name = clean_symbol(entry.name.partition("'")[0])
            before = sums.get(name, (0, 0))
            sums[name] = (before[0] + entry.instructions, before[1] + entry.calls)
    return sums


def make_subject(program: Program | Package, directory: Path) -> Subject:
    """Build and profile a program."""
    directory.mkdir(parents=True, exist_ok=True)
    if isinstance(program, Package):
        spin = directory / "spin.py"
        spin.write_text(PYTHON_SPIN)
        return Python(program, directory, spin)
    source, spin = directory / "spin.c", directory / "spin"
    source.write_text(SPIN)
    subprocess.run(["cc", "-O2", str(source), "-o", str(spin)], check=True)
    return Native(program, directory, spin)
