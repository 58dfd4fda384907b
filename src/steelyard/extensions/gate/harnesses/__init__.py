"""Harnesses that ``steelyard gate`` knows: one class each, tried in order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from steelyard.core.errors import UsageError
from steelyard.extensions.gate.harnesses.cargo import Cargo
from steelyard.extensions.gate.harnesses.codspeed import Codspeed
from steelyard.extensions.gate.harnesses.gathering import Asv, BenchmarkDotNet
from steelyard.extensions.gate.harnesses.go import Go
from steelyard.extensions.gate.harnesses.google_benchmark import GoogleBenchmark
from steelyard.extensions.gate.harnesses.harness import Harness
from steelyard.extensions.gate.harnesses.jmh import Jmh
from steelyard.extensions.gate.harnesses.others import Hyperfine, Nanobench, Plain, Tinybench, Vitest
from steelyard.extensions.gate.harnesses.pytest_benchmark import PytestBenchmark
from steelyard.extensions.gate.harnesses.reporting import ActionBenchmark, Bencher, Catch2, Mitata

HARNESSES: Final[tuple[Harness, ...]] = (
    Cargo(),
    Go(),
    Codspeed(),
    PytestBenchmark(),
    Asv(),
    Vitest(),
    Tinybench(),
    Mitata(),
    Hyperfine(),
    Jmh(),
    BenchmarkDotNet(),
    GoogleBenchmark(),
    Nanobench(),
    Catch2(),
    Bencher(),
    ActionBenchmark(),
    Plain(),
)
NAMES: Final = tuple(entry.name for entry in HARNESSES)


def find_harness(name: str | None, words: Sequence[str], tree: Path) -> Harness:
    """Return the harness of this name, or the first that recognises the command in a tree that is built.

    Raises
    ------
    UsageError
        No known harness can run these benchmarks.
    """
    if name is not None:
        return next(entry for entry in HARNESSES if entry.name == name)
    for entry in HARNESSES:
        if entry.is_started_by(words, tree):
            return entry
    raise UsageError(
        f"{' '.join(words)}: not recognised as a harness of benchmarks",
        hint=f"name it: --harness {'|'.join(NAMES)}; or time the whole program: --time",
    )
