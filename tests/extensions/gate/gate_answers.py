"""Answers of gates as they come out of no gate, for what is made of answers."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from steelyard.extensions.gate.results import Gate, GatedBenchmark, GatedMetric

TIME = GatedMetric("real_time_s", "s", "lower", 0.03)


def make_answer(*benchmarks: GatedBenchmark, **changes: Any) -> Gate:
    """Return the answer of a gate with these benchmarks, of Google Benchmark unless ``changes`` say else."""
    answer = Gate(
        base="a" * 12,
        head="b" * 12,
        harness="google-benchmark",
        command="./bench",
        metrics=(TIME,),
        margin=0.03,
        alpha=0.05,
        measured_s=1.0,
        max_time_s=9.0,
        out_of_time=False,
        benchmarks=benchmarks,
    )
    return replace(answer, **changes)
