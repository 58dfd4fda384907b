"""What Python's clocks say of one and the same work, as ``clocks.cpp`` asks it of others; prints lines.

``timeit`` is held to its own promise: what a statement takes that keeps a CPU busy for as long.
"""

from __future__ import annotations

import json
import random
import time
import timeit
from collections.abc import Callable

READINGS = 1000
STEPS = 200
"""Steps that are looked for at most, within ``LOOK_S``."""
LOOK_S = 0.05

CPU = frozenset({"time.process_time", "time.thread_time"})
CLOCKS: dict[str, Callable[[], float]] = {
    "time.perf_counter": time.perf_counter,
    "time.monotonic": time.monotonic,
    "time.time": time.time,
    "time.process_time": time.process_time,
    "time.thread_time": time.thread_time,
}


def report(metric: str, unit: str, clock: str, value: float) -> None:
    """Print a line of the protocol."""
    line = {"steelyard": 1, "metric": metric, "labels": {"clock": clock}, "values": [value]}
    print(json.dumps(line | ({"unit": unit} if unit else {})))


def keep_busy(reference: Callable[[], float], length_s: float) -> None:
    """Compute until the reference has gone on by so much."""
    start = reference()
    while reference() - start < length_s:
        pass


def measure_cost(read: Callable[[], float]) -> float:
    """Return seconds of a reading, the loop included, over many in a row."""
    start = time.perf_counter()
    for _ in range(READINGS):
        read()
    return (time.perf_counter() - start) / READINGS


def find_step(read: Callable[[], float]) -> float:
    """Return the smallest difference between two readings that differ; 0 where none was seen."""
    end, before, steps = time.perf_counter() + LOOK_S, read(), []
    while len(steps) < STEPS and time.perf_counter() < end:
        now = read()
        if now > before:
            steps.append(now - before)
        before = now
    return min(steps, default=0.0)


def compare(name: str, length_s: float) -> float:
    """Return what the clock says of so much work over what the reference says."""
    read = CLOCKS[name]
    reference = time.thread_time if name in CPU else time.perf_counter
    before = reference()
    first = read()
    keep_busy(reference, length_s)
    last = read()
    return (last - first) / (reference() - before)


def compare_timeit(length_s: float) -> float:
    """Return what ``timeit`` says of one call over what is read within it."""
    spent = []

    def work() -> None:
        start = time.perf_counter()
        keep_busy(time.perf_counter, length_s)
        spent.append(time.perf_counter() - start)

    return timeit.timeit(work, number=1) / spent[0]


def main() -> None:
    """Ask all of them, in an order that is drawn."""
    for name in random.sample([*CLOCKS, "timeit"], len(CLOCKS) + 1):
        if name != "timeit":
            report("cost_s", "s", name, measure_cost(CLOCKS[name]))
            if step := find_step(CLOCKS[name]):
                report("step_s", "s", name, step)
        for metric, length_s in (("ratio_1ms", 1e-3), ("ratio_20ms", 20e-3)):
            report(
                metric, "", name, compare_timeit(length_s) if name == "timeit" else compare(name, length_s)
            )


if __name__ == "__main__":
    main()
