"""Harnesses that need a word or two: hyperfine, Vitest, and programs that print a known report."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final

from steelyard.core.errors import MachineError, UsageError
from steelyard.extensions.gate.harnesses.harness import (
    Harness,
    HarnessProgram,
    Selection,
    Tree,
    add_missing,
    has_text,
    locate_program,
    match_any,
    read_failures,
)
from steelyard.files.reading import read_bytes
from steelyard.spec.tables.metrics import Harness as Format


class Hyperfine(Harness):
    """Commands are its benchmarks; it takes no filter."""

    name = "hyperfine"
    source = "hyperfine"
    reads_sources = True
    metric = "own_wall_s"
    default_s = 3.0
    can_filter = False

    def is_started_by(self, words: Sequence[str], tree: Path) -> bool:
        """Recognise the harness by the name of the program."""
        return Path(words[0]).name == "hyperfine"

    def launch(self, program: HarnessProgram, selection: Selection) -> list[str]:
        """Three runs of each command."""
        short = {"--runs": "3", "--style": "none"}
        if {"-r", "--min-runs", "-m", "--max-runs", "-M"} & {*program.words}:
            del short["--runs"]
        return [*program.words, *add_missing(program.words, short), f"--export-json={selection.metrics}"]


FIRST_OF_TASKS: Final = 5
"""Major version of Vitest from which benchmarks are tasks of tests, and ``--outputJson`` is gone."""


class Vitest(Harness):
    """``vitest bench``; node_modules of the tree has the program."""

    name = "vitest"
    source = "vitest"
    reads_sources = True
    default_s = 0.7
    codes_of_failures = frozenset({1})

    def is_started_by(self, words: Sequence[str], tree: Path) -> bool:
        """``vitest bench``, with or without npx."""
        return any(Path(word).name == "vitest" for word in words[:2]) and "bench" in words

    def find_programs(self, words: Sequence[str], tree: Tree) -> list[HarnessProgram]:
        """Return the program itself, and not npx."""
        rest = words[1:] if Path(words[0]).name == "npx" else words
        installed = tree.path / "node_modules/.bin/vitest"
        program = str(installed) if installed.exists() else rest[0]
        if shutil.which(program) is None:
            raise MachineError(
                "vitest is not in node_modules, which no commit has", hint="install it: --build 'npm ci'"
            )
        return [HarnessProgram("", (program, *rest[1:]), self.source)]

    def launch(self, program: HarnessProgram, selection: Selection) -> list[str]:
        """Once, without watching files; names of tests are one regular expression.

        From Vitest 5 on a benchmark is a task of a test, and tests are what can be chosen.
        """
        words = [*program.words, *add_missing(program.words, {"--run": ""})]
        of_tasks = _read_major(program.words[0]) >= FIRST_OF_TASKS
        names = [entry.rpartition(" > ")[0 if of_tasks else 2] for entry in selection.names]
        chosen = ["-t", f"({match_any(tuple(dict.fromkeys(names)))[2:-2]})$"] if names else []
        if of_tasks:
            return [*words, *chosen, "--reporter=json", f"--outputFile={selection.metrics}"]
        return [*words, *chosen, f"--outputJson={selection.metrics}"]

    def find_failures(self, output: str, report: str) -> Mapping[str, str]:
        """Return the benchmarks that threw, and those of tests that failed, by the report."""
        return read_failures(report, "vitest")


def _read_major(program: str) -> int:
    """Return the major version of a Vitest in node_modules; 0 where it does not say."""
    file = Path(program).resolve().parent / "package.json"
    try:
        version = str(json.loads(read_bytes(file, hint="npm ci", largest=2**20))["version"])
        return int(version.partition(".")[0])
    except (UsageError, KeyError, ValueError):
        return 0


class Tinybench(Harness):
    """A script for node that prints the table of tinybench; it takes no filter."""

    name = "tinybench"
    source: ClassVar[Format | None] = "tinybench"
    reads_sources = True
    default_s = 0.75
    can_filter = False

    def is_started_by(self, words: Sequence[str], tree: Path) -> bool:
        """``node FILE``, where the file imports tinybench."""
        return any(has_text(tree / word, (b"tinybench",)) for word in list_scripts(words))

    def find_programs(self, words: Sequence[str], tree: Tree) -> list[HarnessProgram]:
        """Return the command, whose script is that of the tree.

        Raises
        ------
        UsageError
            A script that is the same for both trees.
        """
        for script in list_scripts(words):
            if Path(script).is_absolute():
                raise UsageError(
                    f"{script} is one script for base and head, which would be compared with itself",
                    hint="name it by its path in the tree, as in bench/index.mjs",
                )
        return super().find_programs(words, tree)

    def launch(self, program: HarnessProgram, selection: Selection) -> list[str]:
        """Launch the program as it is: how long a task takes stands in the script."""
        return list(program.words)


def list_scripts(words: Sequence[str]) -> list[str]:
    """Return the scripts among the words of a command of node."""
    return [word for word in words[1:] if word.endswith((".js", ".mjs", ".cjs", ".ts", ".mts"))]


class Nanobench(Harness):
    """A program with nanobench in it: its table on stdout, or its JSON; it takes no filter."""

    name = "nanobench"
    source = "nanobench"
    default_s = 0.1
    can_filter = False

    def is_started_by(self, words: Sequence[str], tree: Path) -> bool:
        """Recognise the harness by a variable that it reads."""
        return self.has_benchmarks_inside(words, tree)

    def has_benchmarks_inside(self, words: Sequence[str], tree: Path) -> bool:
        """Recognise benchmarks by a variable that the harness reads."""
        return has_text(locate_program(words, tree), (b"NANOBENCH_ENDLESS", b"NANOBENCH_SUPPRESS_WARNINGS"))

    def launch(self, program: HarnessProgram, selection: Selection) -> list[str]:
        """Launch the program as it is."""
        return list(program.words)


class Plain(Harness):
    """Any program, timed from outside."""

    name = "time"
    source = None
    metric = "wall_s"
    default_s = 10.0
    can_filter = False

    def is_started_by(self, words: Sequence[str], tree: Path) -> bool:
        """Recognise nothing: the harness is only used where it is asked for."""
        return False

    def launch(self, program: HarnessProgram, selection: Selection) -> list[str]:
        """Launch the program as it is."""
        return list(program.words)
