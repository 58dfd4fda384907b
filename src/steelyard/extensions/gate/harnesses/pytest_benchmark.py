"""pytest-benchmark: tests with its fixture, run by pytest."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import ClassVar, Final

from steelyard.extensions.gate.harnesses.harness import (
    SHARE,
    Harness,
    HarnessProgram,
    Selection,
    Tree,
    add_missing,
)
from steelyard.extensions.gate.harnesses.python_modules import refuse_modules_from_elsewhere
from steelyard.extensions.repository.tree_request import locate_start
from steelyard.spec.tables.metrics import Harness as Format

_FAILED: Final = re.compile(
    r"^(?:FAILED|ERROR) (?P<test>\S+?::[^\[\n]+?(?:\[.*?\])?)(?: - (?P<why>.*))?$", re.MULTILINE
)
"""A failure in pytest's summary; parameters may have `` - ``, too."""


class PytestBenchmark(Harness):
    """It writes JSON to a file; tests are chosen by their node ids, which take the place of paths."""

    name = "pytest-benchmark"
    source: ClassVar[Format | None] = "pytest-benchmark"
    reads_sources = True
    paths_choose = True
    default_s = 1.3
    codes_of_failures = frozenset({1})
    codes_of_none = frozenset({5})

    def is_started_by(self, words: Sequence[str], tree: Path) -> bool:
        """``pytest`` or ``python -m pytest``, wherever they are installed."""
        is_module = ("-m", "pytest") in pairwise(words)
        return is_module or Path(words[0]).name in ("pytest", "py.test")

    def check_tree(self, program: HarnessProgram, tree: Tree, environment: Mapping[str, str]) -> None:
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

    def find_failures(self, output: str, report: str) -> Mapping[str, str]:
        """Return the tests of pytest's summary: ``FAILED a/test_b.py::test_c - ValueError: why``."""
        return {match["test"]: match["why"] or "failed" for match in _FAILED.finditer(output)}

    def make_environment(self, root: str, place: Path) -> Mapping[str, str]:
        """Modules of the tree come before those that are installed, which may be of another revision."""
        return {"PYTHONPATH": make_python_path(root, place)}


def make_python_path(root: str, place: Path) -> str:
    """``PYTHONPATH`` with the modules of a tree first, and of those the ones where the harness starts."""
    inherited = os.environ.get("PYTHONPATH")
    starts = dict.fromkeys((locate_start(root, str(place)), root))
    modules = [path for start in starts for path in (f"{start}/src", start)]
    return ":".join([*modules, *([inherited] if inherited else [])])


def is_test_path(word: str) -> bool:
    """Whether a word of pytest's command line names tests."""
    return not word.startswith("-") and (
        word.endswith((".py", "/")) or "::" in word or word in TEST_DIRECTORIES
    )


TEST_DIRECTORIES = frozenset({"tests", "test", "benchmarks", "benchmark", "bench", "benches", "."})
"""Words that name a directory of tests in a command line, as most projects call it."""
