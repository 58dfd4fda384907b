"""``Harness``: how one tool that times benchmarks is recognised, made ready, filtered, and kept short."""

from __future__ import annotations

import re
import shutil
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final
from urllib.parse import quote

import msgspec

from steelyard.core.errors import NoReportError, UsageError
from steelyard.spec.tables.metrics import Harness as Format

SHARE: Final = 10
"""Processes over which the time is spread that a harness takes for one benchmark by its defaults."""

REPETITIONS: Final = 5
"""Within a process, of which the median counts: what disturbs one of them does not disturb it."""


class HarnessProgram(msgspec.Struct, frozen=True):
    """A program of a harness in one tree.

    Attributes
    ----------
    name : str
        What tells it from others of the same command; empty where it is the only one.
    words : tuple of str
        Without the options that the gate adds.
    source : str or None
        The format of what it reports; ``None`` where the gate times the process.
    directory : str
        Where it starts, relative to the tree.
    trouble : str or None
        Why it cannot run: what it reports is not known.
    """

    name: str
    words: tuple[str, ...]
    source: Format | None
    directory: str = "."
    trouble: str | None = None


class Tree(msgspec.Struct, frozen=True):
    """One side of the gate.

    Attributes
    ----------
    root : Path
        The sources, built.
    place : Path
        Where in them the build and the command of the harness start, relative to ``root``.
    output : Path
        Directory for programs that the gate builds.
    cache : Path
        Directory that both sides share.
    layout : int
        Number of the order in which code is laid out; 0 for the linker's own.
    """

    root: Path
    output: Path
    cache: Path
    layout: int = 0
    place: Path = Path()

    @property
    def path(self) -> Path:
        """Where the command of the harness starts."""
        return self.root / self.place


class NoBenchmarkError(NoReportError):
    """The tree was built, and has no benchmark that the command chooses."""


class Selection(msgspec.Struct, frozen=True):
    """Benchmarks that a process runs: ``names``, or all where there are none.

    Attributes
    ----------
    metrics : str
        File for what the harness reports.
    has_memory : bool
        Memory is reported, too, where an option of the harness says so.
    """

    metrics: str
    names: tuple[str, ...] = ()
    has_memory: bool = False


class Harness(ABC):
    """One harness; what most have in common is written here.

    Attributes
    ----------
    name : str
        As ``--harness`` takes it.
    source : str or None
        Of its programs.
    metric : str
        That is compared unless another is asked for.
    default_s : float
        That it takes for one benchmark by its defaults.
    can_filter : bool
        Whether it runs some of its benchmarks alone.
    builds : bool
        Whether its command builds what it runs.
    reads_sources : bool
        Whether what is installed once reads the benchmarks from the tree, as pytest does.
    draws_layouts : bool
        Whether it links by ``Tree.layout`` what it builds.
    paths_choose : bool
        Whether paths among its words choose benchmarks, and do nothing else.
    codes_of_failures : frozenset of int
        Exit codes with which benchmarks failed and the report has the others.
    codes_of_none : frozenset of int
        Exit codes with which no benchmark ran.
    """

    name: ClassVar[str]
    source: ClassVar[Format | None]
    metric: ClassVar[str] = "time_s"
    default_s: ClassVar[float] = 1.0
    can_filter: ClassVar[bool] = True
    builds: ClassVar[bool] = False
    reads_sources: ClassVar[bool] = False
    draws_layouts: ClassVar[bool] = False
    paths_choose: ClassVar[bool] = False
    codes_of_failures: ClassVar[frozenset[int]] = frozenset()
    codes_of_none: ClassVar[frozenset[int]] = frozenset()

    @abstractmethod
    def is_started_by(self, words: Sequence[str], tree: Path) -> bool:
        """Whether the command starts this harness."""

    def has_benchmarks_inside(self, words: Sequence[str], tree: Path) -> bool:
        """Whether the program that the command starts has the benchmarks in it, and reads no sources."""
        return False

    def find_programs(self, words: Sequence[str], tree: Tree) -> list[HarnessProgram]:
        """Return the programs of the command, built where the harness builds them.

        Raises
        ------
        ProgramError
            The command that builds the benchmarks fails.
        UsageError
            The same program would stand for both trees.
        """
        installed = find_installed(words[0])
        if installed is not None and self.has_benchmarks_inside([installed], tree.path):
            raise UsageError(
                f"{words[0]} is one program for base and head, which would be compared with itself",
                hint="name it by its path in the tree, as in build/bench, and how it is built: --build",
            )
        return [HarnessProgram("", resolve(words, tree.path), self.source)]

    def get_default_s(self, program: HarnessProgram) -> float:
        """Seconds that one benchmark of a program takes by its defaults."""
        return self.default_s

    @abstractmethod
    def launch(self, program: HarnessProgram, selection: Selection) -> list[str]:
        """Return the words of a process that runs these benchmarks for a short time."""

    def check_tree(  # noqa: B027 -- most harnesses run a program that was built in the tree
        self, program: HarnessProgram, tree: Tree, environment: Mapping[str, str]
    ) -> None:
        """Check that a process of the program runs the code of the tree; ``environment`` is all of it.

        Raises
        ------
        UsageError
            It would run other code, the same for both sides.
        """

    def find_failures(self, output: str, report: str) -> Mapping[str, str]:
        """Return the benchmarks that failed, and why, by what the harness printed or reported."""
        return {}

    def make_environment(self, root: str, place: Path) -> Mapping[str, str]:
        """Variables of its processes; ``root`` is the path of the side, ``place`` as in ``Tree``."""
        return {}


def read_failures(report: str, source: Format) -> Mapping[str, str]:
    """Return the benchmarks that failed or were skipped by a report, and why.

    A process that ended before its report did says nothing of its benchmarks.
    """
    # Readers of a dozen formats, which few runs need.
    from steelyard.extensions.exchange.importers import read_output

    try:
        return read_output(report, "its report", source).skipped
    except UsageError:
        return {}


def find_installed(word: str) -> str | None:
    """Return the program that a word means where it is none of the tree.

    Its path is then absolute, or it has none.
    """
    return shutil.which(word) if "/" not in word or Path(word).is_absolute() else None


def resolve(words: Sequence[str], tree: Path) -> tuple[str, ...]:
    """Return the words, the program among them found in the tree where it has a relative path."""
    first, *rest = words
    if "/" in first and not Path(first).is_absolute():
        first = str(tree / first.removeprefix("./"))
    return (first, *rest)


def name_copy(name: str) -> str:
    """Return a file name for a program, and for no other: ``a/b-c`` and ``a-b/c`` are two."""
    return quote(name, safe="")


def add_missing(words: Sequence[str], options: Mapping[str, str]) -> list[str]:
    """Options that the words do not give already, each with its value; an empty value stands for none."""
    present = {word.partition("=")[0] for word in words}
    return [f"{name}={value}" if value else name for name, value in options.items() if name not in present]


def escape(text: str) -> str:
    """Return the text as a regular expression of Go, Rust, Java and POSIX alike."""
    return re.sub(r"([\\.^$*+?()\[\]{}|])", r"\\\1", text)


def match_any(names: Sequence[str]) -> str:
    """Return a regular expression for these names and no others."""
    return f"^({'|'.join(map(escape, names))})$"


def has_text(file: Path, marks: Sequence[bytes]) -> bool:
    """Whether a program has one of these texts in it."""
    if not file.is_file():
        return False
    content = file.read_bytes()
    return any(mark in content for mark in marks)


def locate_program(words: Sequence[str], tree: Path) -> Path:
    """Return the file that a command starts, as far as its path says."""
    return Path(resolve(words, tree)[0])
