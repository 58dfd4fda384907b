"""``go test -bench``: a test program for each package that has benchmarks, built once for each tree."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from steelyard.core.errors import ProgramError, UsageError
from steelyard.extensions.gate.harnesses.building import build
from steelyard.extensions.gate.harnesses.harness import (
    REPETITIONS,
    SHARE,
    Harness,
    HarnessProgram,
    NoBenchmarkError,
    Selection,
    Tree,
    add_missing,
    escape,
    name_copy,
)

_OF_TESTS: Final = frozenset(
    {"bench", "benchtime", "benchmem", "count", "cpu", "run", "timeout", "short", "v"}
)
"""Flags of ``go test`` that belong to the program that it builds."""
_SWITCHES: Final = frozenset(
    {"benchmem", "short", "v", "race", "msan", "asan", "cover", "a", "n", "x", "work", "trimpath", "json"}
)
"""Flags without a value."""
_FAILED: Final = re.compile(r"^--- FAIL: (?P<name>Benchmark\S*)\n(?:\s+(?P<why>\S.*))?", re.MULTILINE)
_SUFFIX: Final = re.compile(r"-\d+$")
_TIMEOUT_S: Final = 60.0


class Go(Harness):
    """Results are lines on stdout; each part of a name has a regular expression of its own."""

    name = "go"
    source = "go-bench"
    default_s = 1.5
    builds = True
    draws_layouts = True
    paths_choose = True
    codes_of_failures = frozenset({1})

    def is_started_by(self, words: Sequence[str], tree: Path) -> bool:
        """``go test``."""
        return Path(words[0]).name == "go" and "test" in words[1:2]

    def find_programs(self, words: Sequence[str], tree: Tree) -> list[HarnessProgram]:
        """Build the test program of each package, and keep those that list a benchmark."""
        of_tests, of_build, packages = _split(words[2:])
        if tree.layout:
            of_build = _add_layout(of_build, tree.layout)
        listed = build(
            [words[0], "list", "-f", "{{.ImportPath}} {{.Dir}}", *of_build, *(packages or ["."])], tree
        )
        programs = []
        for line in listed.decode().splitlines():
            package, _, directory = line.partition(" ")
            # The package at the top is "." and has no name of its own, which one below it may have too.
            name = str(_locate(Path(directory), tree))
            place = os.path.relpath(directory, tree.path.resolve())
            program = tree.output / f"{name_copy(name)}.test"
            program.unlink(missing_ok=True)
            build([words[0], "test", "-c", *of_build, "-o", str(program), package], tree)
            if program.exists() and _has_benchmarks(program, Path(directory)):
                programs.append(HarnessProgram(name, (str(program), *of_tests), self.source, place))
        if not programs:
            raise NoBenchmarkError(
                "no package has a benchmark", hint=f"go test -list Benchmark {' '.join(packages) or '.'}"
            )
        return programs

    def find_failures(self, output: str, report: str) -> Mapping[str, str]:
        """Return the benchmarks that called ``b.Fatal``, each with the first line of its log."""
        return {match["name"]: match["why"] or "failed" for match in _FAILED.finditer(output)}

    def launch(self, program: HarnessProgram, selection: Selection) -> list[str]:
        """Run no tests, and each benchmark once for a short time."""
        words = program.words
        if selection.names:
            words = tuple(word for word in words if not word.startswith("-test.bench="))
            words = (*words, f"-test.bench={_make_pattern(selection.names)}")
        short = {
            "-test.bench": ".",
            "-test.benchtime": f"{1000 // SHARE // REPETITIONS}ms",
            "-test.count": str(REPETITIONS),
            "-test.run": "^$",
            **({"-test.benchmem": ""} if selection.has_memory else {}),
        }
        return [*words, *add_missing(words, short)]


def _split(words: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Split words into flags of the test program, flags of the build, and packages."""
    of_tests: list[str] = []
    of_build: list[str] = []
    packages: list[str] = []
    rest: Iterator[str] = iter(words)
    for word in rest:
        if not word.startswith("-"):
            packages.append(word)
            continue
        name, sign, value = word.lstrip("-").partition("=")
        name = name.removeprefix("test.")
        if not sign and name not in _SWITCHES:
            value, sign = next(rest, ""), "="
        if name in _OF_TESTS:
            of_tests.append(f"-test.{name}{sign}{value}")
        elif name != "json":
            of_build.append(f"-{name}{sign}{value}")
    return of_tests, of_build, packages


def _add_layout(of_build: Sequence[str], layout: int) -> list[str]:
    """Add the linker's order of functions to flags of the build, beside other flags of the linker."""
    flags = [word.removeprefix("-ldflags=") for word in of_build if word.startswith("-ldflags=")]
    rest = [word for word in of_build if not word.startswith("-ldflags=")]
    return [*rest, f"-ldflags={' '.join([*flags, f'-randlayout={layout}'])}"]


def _locate(directory: Path, tree: Tree) -> Path:
    """Return a package's place in the tree.

    Raises
    ------
    UsageError
        It is in none, as those of the standard library are.
    """
    try:
        return directory.relative_to(tree.root.resolve())
    except ValueError:
        raise UsageError(
            f"{directory} is not in the tree: base and head would be one", hint="name packages as in ./..."
        ) from None


def _has_benchmarks(program: Path, directory: Path) -> bool:
    try:
        listed = subprocess.run(
            [program, "-test.list", "^Benchmark"],
            cwd=directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ProgramError(
            f"the test program of {directory} took longer than {_TIMEOUT_S:g} s to list its benchmarks",
            hint="go test -list Benchmark there; it may hang in init functions",
        ) from None
    if listed.returncode:
        end = "".join(f"\n    {line}" for line in listed.stderr.decode(errors="replace").splitlines()[-4:])
        raise ProgramError(
            f"the test program of {directory} cannot list its benchmarks: it ended with"
            f" {listed.returncode}{end}",
            hint="go test -list Benchmark there",
        )
    return any(line.startswith(b"Benchmark") for line in listed.stdout.splitlines())


def _make_pattern(names: Sequence[str]) -> str:
    """Join for each part the names that some have there: a superset where parts combine freely.

    The number of CPUs behind a name is none of its parts.
    """
    parts = [name.split("/") for name in names]
    shortest = min(map(len, parts))
    levels = [dict.fromkeys(entry[place] for entry in parts) for place in range(shortest)]
    return "/".join(f"^({'|'.join(_escape_suffix(part) for part in level)})$" for level in levels)


def _escape_suffix(part: str) -> str:
    stem = _SUFFIX.sub("", part)
    return escape(part) if stem == part else f"{escape(stem)}({escape(part[len(stem) :])})?"
