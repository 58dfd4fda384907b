"""Google Benchmark: a program that was linked with it, statically or not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from steelyard.extensions.gate.harnesses.harness import (
    REPETITIONS,
    SHARE,
    Harness,
    HarnessProgram,
    Selection,
    add_missing,
    has_text,
    locate_program,
    match_any,
)


class GoogleBenchmark(Harness):
    """It writes JSON to a file and takes a regular expression of whole names."""

    name = "google-benchmark"
    source = "google-benchmark"
    metric = "real_time_s"
    default_s = 0.7

    def is_started_by(self, words: Sequence[str], tree: Path) -> bool:
        """Recognise the harness by a flag among the words, or by the library in the program."""
        has_flag = any(word.startswith("--benchmark_") for word in words)
        return has_flag or self.has_benchmarks_inside(words, tree)

    def has_benchmarks_inside(self, words: Sequence[str], tree: Path) -> bool:
        """Recognise benchmarks by the library."""
        return has_text(locate_program(words, tree), (b"benchmark_min_time", b"libbenchmark.so"))

    def launch(self, program: HarnessProgram, selection: Selection) -> list[str]:
        """Put our flags behind the user's, since the last of equal flags counts."""
        short = {
            "--benchmark_repetitions": str(REPETITIONS),
            "--benchmark_min_time": f"{0.5 / SHARE / REPETITIONS:g}",
        }
        return [
            *program.words,
            *add_missing(program.words, short),
            f"--benchmark_out={selection.metrics}",
            "--benchmark_out_format=json",
            *([f"--benchmark_filter={match_any(selection.names)}"] if selection.names else []),
        ]
