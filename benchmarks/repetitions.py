"""How often the harness of workloads repeats, where a benchmark says it and no precision decides."""

from __future__ import annotations


def fixed(repetitions: int, warmup: int) -> tuple[str, ...]:
    """Options of a program of ``workloads/``: so many repetitions, from a barrier on, by one clock."""
    return (
        *("--warmup", str(warmup), "--repetitions", str(repetitions), "--precision", "0"),
        *("--sync", "barrier", "--clocks", "one"),
    )
