"""Catch2, mitata, and programs that write the lists of services: what they report is read as it stands."""

from __future__ import annotations

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
    add_missing,
    has_text,
    locate_program,
    read_failures,
)
from steelyard.extensions.gate.harnesses.others import Tinybench, list_scripts
from steelyard.spec.tables.metrics import Harness as Format

_SAMPLES: Final = 100
"""Of a benchmark by the defaults of Catch2."""


class Catch2(Harness):
    """A program with benchmarks of Catch2; test cases are chosen, each with all of its benchmarks."""

    name = "catch2"
    source = "catch2"
    default_s = 0.5
    # Version 3 has one code for failed tests, and version 2 counts them.
    codes_of_failures = frozenset(range(1, 256))

    def is_started_by(self, words: Sequence[str], tree: Path) -> bool:
        """Recognise the harness by an element of its report."""
        return self.has_benchmarks_inside(words, tree)

    def has_benchmarks_inside(self, words: Sequence[str], tree: Path) -> bool:
        """Recognise benchmarks by an option of the library for them."""
        return has_text(locate_program(words, tree), (b"--benchmark-samples",))

    def launch(self, program: HarnessProgram, selection: Selection) -> list[str]:
        """XML of few samples; test cases in place of those that the user's words choose."""
        # A word behind an option may be its value.
        words = [
            word
            for before, word in pairwise(program.words)
            if word.startswith("-") or before.startswith("-") or not selection.names
        ]
        short = {
            "--benchmark-samples": str(_SAMPLES // SHARE),
            "--benchmark-resamples": "100",
            "--benchmark-warmup-time": "20",
        }
        options = [part for option in add_missing(words, short) for part in option.split("=")]
        cases = dict.fromkeys(name.partition(" > ")[0] for name in selection.names)
        chosen = [",".join(map(_escape, cases))] if cases else []
        return [program.words[0], *words, *options, "-r", "xml", "-o", selection.metrics, *chosen]

    def find_failures(self, output: str, report: str) -> Mapping[str, str]:
        """Return the benchmarks that threw, and those of test cases that failed, by the report."""
        return read_failures(report, "catch2")


def _escape(name: str) -> str:
    """Return the name of a test case as Catch2 takes it: of itself alone."""
    return re.sub(r"([\\,\[\]*~\"])", r"\\\1", name)


class Mitata(Tinybench):
    """A script for node that ends with ``run({ format: 'json' })`` of mitata; it takes no filter."""

    name = "mitata"
    source = "mitata"
    default_s = 0.7

    def is_started_by(self, words: Sequence[str], tree: Path) -> bool:
        """``node FILE``, where the file imports mitata."""
        return any(has_text(tree / word, (b"mitata",)) for word in list_scripts(words))


class Bencher(Harness):
    """A program that prints Bencher's metrics; it takes no filter."""

    name = "bencher"
    source: ClassVar[Format | None] = "bencher"
    reads_sources = True
    can_filter = False

    def is_started_by(self, words: Sequence[str], tree: Path) -> bool:
        """Recognise nothing: the harness is only used where it is asked for."""
        return False

    def launch(self, program: HarnessProgram, selection: Selection) -> list[str]:
        """Launch the program as it is."""
        return list(program.words)


class ActionBenchmark(Bencher):
    """The same, of a program that prints the list of github-action-benchmark."""

    name = "github-action-benchmark"
    source = "github-action-benchmark"
