"""pytest-benchmark: tests with its fixture, run by pytest."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from steelyard.extensions.gate.harnesses.harness import SHARE, Harness, HarnessProgram, Selection, add_missing
from steelyard.extensions.gate.harnesses.python_modules import refuse_modules_from_elsewhere


class PytestBenchmark(Harness):
    """It writes JSON to a file; tests are chosen by their node ids, which take the place of paths."""

    name = "pytest-benchmark"
    source = "pytest-benchmark"
    reads_sources = True
    default_s = 1.3

    def is_started_by(self, words: Sequence[str], tree: Path) -> bool:
        """``pytest`` or ``python -m pytest``, wherever they are installed."""
        is_module = ("-m", "pytest") in pairwise(words)
        return is_module or Path(words[0]).name in ("pytest", "py.test")

    def check_tree(self, program: HarnessProgram, tree: Path, environment: Mapping[str, str]) -> None:
        """Refuse modules that an editable install would take from another tree."""
        refuse_modules_from_elsewhere(program.words, tree, environment)

    def launch(self, program: HarnessProgram, selection: Selection) -> list[str]:
        """Return rounds for a short time; the user's own caches and reports stay as they are."""
        words = [word for word in program.words if not (selection.names and is_test_path(word))]
        short = {
            "--benchmark-max-time": f"{1 / SHARE:g}",
            "--benchmark-min-rounds": "3",
            "--rootdir": ".",
            "--benchmark-only": "",
        }
        return [
            *words,
            *add_missing(words, short),
            "-q",
            "-p",
            "no:cacheprovider",
            f"--benchmark-json={selection.metrics}",
            *selection.names,
        ]

    def make_environment(self, tree: str) -> Mapping[str, str]:
        """Modules of the tree come before those that are installed, which may be of another revision."""
        return {"PYTHONPATH": make_python_path(tree)}


def make_python_path(tree: str) -> str:
    """``PYTHONPATH`` with the modules of a tree first."""
    inherited = os.environ.get("PYTHONPATH")
    return ":".join([f"{tree}/src", tree, *([inherited] if inherited else [])])


def is_test_path(word: str) -> bool:
    """Whether a word of pytest's command line names tests."""
    return not word.startswith("-") and (
        word.endswith((".py", "/")) or "::" in word or word in TEST_DIRECTORIES
    )


TEST_DIRECTORIES = frozenset({"tests", "test", "benchmarks", "benchmark", "bench", "benches", "."})
"""Words that name a directory of tests in a command line, as most projects call it."""
