"""Sentences of README.md with numbers, and the data that give them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from prose import Sentence

HERE: Final = Path(__file__).parent
OUTSIDE: Final[dict[str, Any]] = json.loads((HERE / "summary.json").read_text())
INSIDE: Final[dict[str, Any]] = json.loads((HERE / "inside.json").read_text())
LOADS: Final[dict[str, Any]] = INSIDE["clocks"]
ALONE: Final[dict[str, Any]] = LOADS["none"]
PAGE: Final = (
    *("CLOCK_REALTIME", "CLOCK_MONOTONIC", "CLOCK_MONOTONIC_RAW"),
    *("system_clock", "high_resolution_clock", "steady_clock", "gettimeofday"),
)
"""Clocks that are read from the page which the kernel shares with every process."""
PYTHON: Final = ("time.perf_counter", "time.monotonic", "time.time")
CALLS: Final = ("CLOCK_THREAD_CPUTIME_ID", "CLOCK_PROCESS_CPUTIME_ID", "clock", "getrusage")
"""Clocks of CPU time, which are system calls; Python's take these and a call of their own."""
IN_STEPS: Final = ("time", "CLOCK_MONOTONIC_COARSE", "times", "timeit")
COUNTER: Final = "rdtsc"
FENCED: Final = ("lfence; rdtsc", "rdtscp; lfence")
MILLI: Final = 1e3
GIVEN: Final = (
    r"by 1, 10, 100 or 1000 ms, and",
    r"the \*\*cost\*\*, is at most 10 %",
    r"in steps of 10 ms say nothing to 1 % of runs below a second",
    r"runs below\s+100 ms",
    r"From 100 ms on",
    r"too much at 100 ms",
    r"At 10 ms steps it reads 0",
    r"over the first 100 ms",
    r"takes 50 ms of CPU time",
    r"Medians of 20 processes",
    r"\*\*For runs below 100 ms",
    r"move in steps of 10 and 4 ms",
    r"that 30 runs may not have shown",
    r"off at 10 ms each",
    r"of 50 ms\.",
    r"Open MPI 5\.0\.11",
)
"""What was asked, and steps that the system documents."""


def nanoseconds(clocks: Iterable[str]) -> tuple[float, float]:
    """The least and the largest cost of a reading, of their medians."""
    costs = [1e9 * ALONE[clock]["cost_s"][0] for clock in clocks]
    return min(costs), max(costs)


def off(clocks: Iterable[str], part: slice) -> float:
    """The most that readings of a millisecond are off, alone and beside a load."""
    ratios = [
        ratio for load in LOADS.values() for clock in clocks for ratio in load[clock]["ratio_1ms"][part]
    ]
    return max(abs(float(ratio) - 1) for ratio in ratios)


def sentences() -> Iterator[Sentence]:
    """Every sentence with numbers that were measured."""
    starts = [MILLI * clock["cost_s"] for clock in OUTSIDE["runner"].values()]
    yield "ending a process takes {} to {} ms here", min(starts), max(starts)
    hyperfine, perf = (OUTSIDE[name]["100000"] for name in ("hyperfine", "perf"))
    yield (
        "hyperfine's reading has {} % too much at 100 ms ({} to {}), that of `perf stat` {} % ({} to {}",
        *(100 * value for clock in (hyperfine, perf) for value in (clock["bias"], *clock["bias_ci95"])),
    )
    yield "`perf stat` takes {} ms around each run", MILLI * OUTSIDE["perf"]["1000000"]["cost_s"]
    yield (
        "page ({} to {} ns) or the time-stamp counter ({} ns) will do**",
        *nanoseconds(PAGE),
        nanoseconds([COUNTER])[0],
    )
    median, every = slice(0, 1), slice(0, 3)
    elapsed = [*PAGE, COUNTER, "rdtscp", *FENCED]
    yield "the median of each is within {} % of the reference", 100 * off(elapsed, median)
    yield "(single processes to {} %)", 100 * off(elapsed, every)
    fences = [
        nanoseconds([fenced])[0] - nanoseconds([bare])[0]
        for fenced, bare in zip(FENCED, (COUNTER, "rdtscp"), strict=True)
    ]
    yield "Fences cost {} to {} ns", min(fences), max(fences)
    yield "clocks of elapsed time cost {} to {} ns", *nanoseconds(PYTHON)
    yield "are system calls ({} to {} ns)", *nanoseconds(CALLS)
    of_cpu = [*CALLS, "time.thread_time", "time.process_time"]
    yield (
        "Their medians are within {} µs of a millisecond (single processes {})",
        MILLI * off(of_cpu, median),
        MILLI * off(of_cpu, every),
    )
    yield (
        "single reading of a millisecond is {} % too little",
        100 * (1 - min(ALONE["times"]["ratio_1ms"][:3])),
    )
    yield "its own call in the reading, {} µs", MILLI * (ALONE["timeit"]["ratio_1ms"][0] - 1)
    yield (
        "only the control group sees**: {} of it",
        INSIDE["family"]["none"]["group"]["outlives"][0],
    )
    yield "each: {} of 50 ms", INSIDE["family"]["none"]["time"]["alone"][0]
