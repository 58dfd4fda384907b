"""What a process costs from outside: wall time, and CPU time with all that it waited for."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Without what would make Python compile Steelyard anew each time."""

STEELYARD = (sys.executable, "-m", "steelyard")


@dataclass
class Costs:
    """Of one way to do something, a value a round."""

    wall_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)

    @property
    def median_wall_s(self) -> float:
        """Seconds."""
        return statistics.median(self.wall_s)

    @property
    def median_cpu_s(self) -> float:
        """Seconds, user and system, of the process and its children."""
        return statistics.median(self.cpu_s)


def run(command: Sequence[object]) -> tuple[float, float]:
    """Wall and CPU seconds of a process that has to succeed; its output is dropped."""
    words = [str(word) for word in command]
    start_s = time.perf_counter()
    process = subprocess.Popen(
        words,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None  # noqa: S101 - it was asked for
    result = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - start_s
    process.stderr.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"error: {' '.join(words)}: exit code {process.returncode}\n{result}")
    return wall_s, usage.ru_utime + usage.ru_stime


def alternate(ways: Mapping[str, Callable[[], tuple[float, float]]], rounds: int) -> dict[str, Costs]:
    """Each way once a round, in turn, the order reversed every other round."""
    costs = {name: Costs() for name in ways}
    for number in range(rounds):
        for name in list(ways) if number % 2 == 0 else reversed(list(ways)):
            wall_s, cpu_s = ways[name]()
            costs[name].wall_s.append(wall_s)
            costs[name].cpu_s.append(cpu_s)
    return costs
