"""ASV and BenchmarkDotNet, which write results into a directory, from where ``gather`` takes them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from steelyard.core.errors import UsageError
from steelyard.extensions.gate.harnesses import gather
from steelyard.extensions.gate.harnesses.harness import (
    SHARE,
    Harness,
    HarnessProgram,
    Selection,
    Tree,
    add_missing,
    match_any,
    read_failures,
)
from steelyard.extensions.gate.harnesses.pytest_benchmark import make_python_path
from steelyard.extensions.gate.harnesses.python_modules import refuse_modules_from_elsewhere
from steelyard.extensions.repository.repository import Repository

_GATHER: Final = (sys.executable, "-I", gather.__file__)


class Asv(Harness):
    """``asv run`` in the environment that exists, for the commit of each tree."""

    name = "asv"
    source = "asv"
    reads_sources = True
    default_s = 2.0
    codes_of_failures = frozenset({2})

    def is_started_by(self, words: Sequence[str], tree: Path) -> bool:
        """``asv run``, or ``python -m asv run``."""
        return "run" in words and (Path(words[0]).name == "asv" or ("-m", "asv") in pairwise(words))

    def find_programs(self, words: Sequence[str], tree: Tree) -> list[HarnessProgram]:
        """Return the command, with the commit of the tree.

        Raises
        ------
        UsageError
            The tree has no configuration, or is no checkout of a commit.
        """
        config = _find_option(words, "--config") or "asv.conf.json"
        if not (tree.path / config).is_file():
            raise UsageError(f"{config} is not in the tree", hint="name it: asv --config FILE run")
        commit = Repository(tree.path).commit("HEAD")
        rest = [word for word in words if word != f"--config={config}"]
        if "--config" in rest:
            place = rest.index("--config")
            del rest[place : place + 2]
        run = rest.index("run") + 1
        named = [*rest[:run], f"{gather.CONFIG}{config}", f"--set-commit-hash={commit}", *rest[run:]]
        return [HarnessProgram("", tuple(named), self.source)]

    def launch(self, program: HarnessProgram, selection: Selection) -> list[str]:
        """One round of few samples, and those benchmarks alone."""
        words = list(program.words)
        if not {"--python", "-E", "--environment"} & {word.partition("=")[0] for word in words}:
            words.append("--python=same")
        attributes = {"rounds": "1", "repeat": "5", "sample_time": f"{0.1 / SHARE:g}", "warmup_time": "0.02"}
        present = {value.partition("=")[0] for value in words}
        for key, value in attributes.items():
            if key not in present:
                words += ["-a", f"{key}={value}"]
        chosen = ["--bench", match_any(selection.names)] if selection.names else []
        return [*_GATHER, selection.metrics, "results/*/*-*.json", *words, "--record-samples", *chosen]

    def find_failures(self, output: str, report: str) -> Mapping[str, str]:
        """Return the benchmarks, each with its parameters, that raised."""
        return read_failures(report, "asv")

    def make_environment(self, root: str, place: Path) -> Mapping[str, str]:
        """Modules of the tree come first; ASV passes on only the variable of its own name."""
        path = make_python_path(root, place)
        return {"PYTHONPATH": path, "ASV_PYTHONPATH": path}

    def check_tree(self, program: HarnessProgram, tree: Tree, environment: Mapping[str, str]) -> None:
        """Refuse modules that an editable install would take from another tree."""
        refuse_modules_from_elsewhere(program.words, tree, environment)


class BenchmarkDotNet(Harness):
    """A program that is built, in its own process; its full report as JSON."""

    name = "benchmarkdotnet"
    source = "benchmarkdotnet"
    default_s = 15.0

    def is_started_by(self, words: Sequence[str], tree: Path) -> bool:
        """``dotnet NAME.dll`` with the library beside it."""
        if Path(words[0]).name != "dotnet":
            return False
        library = _find_library(words, tree)
        return library is not None and (library.parent / "BenchmarkDotNet.dll").is_file()

    def find_programs(self, words: Sequence[str], tree: Tree) -> list[HarnessProgram]:
        """Return the library of the tree.

        Raises
        ------
        UsageError
            No library is named (``dotnet run`` would build in each trial), or it is not in the tree.
        """
        library = _find_library(words, tree.path)
        if library is None:
            raise UsageError(
                f"{' '.join(words)}: names no built library of the tree",
                hint="--build 'dotnet build -c Release', and: dotnet bin/Release/net8.0/NAME.dll",
            )
        in_tree = tuple(str(library) if word.endswith(".dll") else word for word in words)
        return [HarnessProgram("", in_tree, self.source)]

    def launch(self, program: HarnessProgram, selection: Selection) -> list[str]:
        """Few iterations in the process itself, which would else build a project for each benchmark."""
        words = list(program.words)
        if selection.names and "--filter" in words:
            place = words.index("--filter") + 1
            end = next((at for at in range(place, len(words)) if words[at].startswith("-")), len(words))
            del words[place - 1 : end]
        options = {"--warmupCount": "3", "--iterationCount": "5"}
        short = [word for key, value in options.items() if key not in words for word in (key, value)]
        names = list(selection.names) or ([] if "--filter" in words else ["*"])
        return [
            *_GATHER,
            selection.metrics,
            "results/*-report-full.json",
            *words,
            *add_missing(words, {"--inProcess": ""}),
            *short,
            "--exporters",
            "fulljson",
            "--artifacts",
            gather.RESULTS,
            *(["--filter", *names] if names else []),
        ]


def _find_library(words: Sequence[str], tree: Path) -> Path | None:
    names = [word for word in words[1:] if word.endswith(".dll") and not Path(word).is_absolute()]
    file = tree / names[0] if names else None
    return file if file is not None and file.is_file() else None


def _find_option(words: Sequence[str], option: str) -> str | None:
    for word, after in pairwise([*words, ""]):
        if word == option:
            return after
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return None
