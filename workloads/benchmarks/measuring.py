"""What the benchmarks share: starting ranks, reading their lines, and printing a row with its limit."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
BUILDS: Final = ROOT / "build" / "workloads"
MPI: Final = ROOT / ".cache" / "mpi"
AS_ROOT: Final = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
"""Open MPI refuses root without."""


def fixed(repetitions: int, warmup: int) -> tuple[str, ...]:
    """Options of a program: so many repetitions, from a barrier on, by one clock; no precision decides."""
    return (
        *("--warmup", str(warmup), "--repetitions", str(repetitions), "--precision", "0"),
        *("--sync", "barrier", "--clocks", "one"),
    )


ONCE: Final = fixed(repetitions=5, warmup=1)


def build(*trees: str) -> None:
    """Set up MPI libraries, and build the programs for them."""
    subprocess.run([sys.executable, str(ROOT / "scripts" / "mpi.py"), *trees], check=True)


@contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that compute all the time."""
    rivals = [subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in rivals:
            process.kill()
            process.wait()


class Timed:
    """How programs are timed: by elapsed time, or where others are at work by the CPU time that they have."""

    def __init__(self, directory: Path, *, by_cpu_time: bool) -> None:
        self._preload: Path | None = None
        if by_cpu_time:
            source = Path(__file__).parent / "graph" / "cpu_clock.c"
            self._preload = directory / "cpu_clock.so"
            subprocess.run(
                ["cc", "-O2", "-shared", "-fPIC", "-o", str(self._preload), str(source)], check=True
            )

    def command(self, words: list[str]) -> list[str]:
        """Start a program of one rank or thread so that its clocks tell this time."""
        return words if self._preload is None else ["env", f"LD_PRELOAD={self._preload}", *words]


def mpirun(library: str) -> str:
    """The starter of a library of ``./dev mpi``."""
    return str(MPI / library / "bin" / "mpirun")


def lines_of(
    library: str, ranks: int, program: str, *arguments: str, timed: Timed | None = None
) -> list[dict[str, Any]]:
    """The lines that one of our programs writes on so many ranks."""
    words = [str(BUILDS / library / "bin" / program), *arguments]
    # Lines go to stdout where no file is named.
    env = {name: value for name, value in os.environ.items() if name != "STEELYARD_METRICS"}
    done = subprocess.run(
        [mpirun(library), "-n", str(ranks), *(timed.command(words) if timed else words)],
        capture_output=True,
        text=True,
        check=True,
        env={**env, **AS_ROOT},
    )
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def fastest(lines: list[dict[str, Any]], metric: str) -> float:
    """The smallest value of the only line with a metric: what the machine can do, undisturbed."""
    (values,) = [line["values"] for line in lines if line["metric"] == metric]
    return float(min(values))


def elapsed(command: list[str]) -> float:
    """Seconds that a whole command takes."""
    begin = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env={**os.environ, **AS_ROOT})
    return time.perf_counter() - begin


def show(title: str, value: float, unit: str, rest: str = "") -> None:
    """Print a figure in its column, and what is said of it."""
    print(f"{title:<56}{value:9.2f} {unit:<4}{rest}".rstrip(), flush=True)


def held_to(title: str, value: float, unit: str, limit: float, *, at_most: bool = True) -> bool:
    """Print a figure with its limit; whether it is met."""
    met = value <= limit if at_most else value >= limit
    words = "at most" if at_most else "at least"
    show(title, value, unit, f" {words} {limit:g}: {'met' if met else 'NOT MET'}")
    return met


def median_ratio(ours: list[float], theirs: list[float]) -> float:
    """The median of the rounds' own ratios."""
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
