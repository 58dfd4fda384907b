"""Rows of small messages and of tasks: what aggregation is worth, what a read that waits and a task cost."""

from __future__ import annotations

import os
import statistics
import subprocess
from typing import TYPE_CHECKING, Final

from measuring import AS_ROOT, BUILDS, ONCE, fastest, held_to, lines_of, median_ratio, show

if TYPE_CHECKING:
    import argparse

PAYLOAD: Final = 32
COUNT: Final = 256_000
AGGREGATED_LIMIT: Final = 20.0
RAW_LIMIT: Final = 0.9
IN_FLIGHT: Final = 10_000
READS: Final = 100  # Of each task.
READS_LIMIT: Final = 10.0  # Million a second and rank.
LIVE: Final = 100_000
DENSE: Final = ("--stack-bytes", "8192", "--stack-pages", "huge")
SPAWN_LIMIT_NS: Final = 40.0
LIVE_LIMIT_GB: Final = 1.0


def ping(arguments: argparse.Namespace) -> bool:
    """32 bytes one way on two ranks: aggregated, each a message, and by plain MPI, in one program.

    What Open MPI takes for a message has two modes, by launch: the receiver is right behind the sender, in
    the lines that this one writes, or not (decision 203). Its ratios are those of the modes, without limit.
    """
    met = True
    for library in ("openmpi", "mpich"):
        took: dict[str, list[float]] = {"aggregated": [], "raw": [], "mpi": []}
        for _ in range(arguments.rounds):
            options = ("--payload", str(PAYLOAD), "--count", str(COUNT))
            lines = lines_of(library, 2, "ping", *ONCE, *options)
            for kind, values in took.items():
                (result,) = [
                    line["values"]
                    for line in lines
                    if line["metric"] == "time_s" and line["labels"]["op"] == kind
                ]
                values.append(min(map(float, result)))
        name = f"ping of {PAYLOAD} bytes, {library}"
        if library == "openmpi":
            show_modes(f"{name}: aggregated over raw", took["raw"], took["aggregated"])
            show_modes(f"{name}: raw over plain MPI", took["mpi"], took["raw"])
            continue
        aggregated = median_ratio(took["raw"], took["aggregated"])
        raw = median_ratio(took["mpi"], took["raw"])
        met &= held_to(f"{name}: aggregated over raw", aggregated, "x", AGGREGATED_LIMIT, at_most=False)
        met &= held_to(f"{name}: raw over plain MPI", raw, "x", RAW_LIMIT, at_most=False)
    return met


def show_modes(title: str, ours: list[float], theirs: list[float]) -> None:
    """Print the median of the launches' ratios, and those of the first and the last mode."""
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    show(title, statistics.median(ratios), "x", f" by mode {min(ratios):.2f} to {max(ratios):.2f}, no limit")


def reads(arguments: argparse.Namespace) -> bool:
    """Reads of 8 bytes of the other rank, each waited for by one of 10,000 tasks, a second and rank."""
    count = ("--in-flight", str(IN_FLIGHT), "--reads", str(READS))
    options = ("--ops", "reads", "--execution", "fibre", *count, *DENSE)
    rates = [
        IN_FLIGHT * READS / fastest(lines_of("openmpi", 2, "runtime", *ONCE, *options), "time_s") / 1e6
        for _ in range(arguments.rounds)
    ]
    name = f"blocking reads, 2 ranks, {IN_FLIGHT:,} tasks each"
    return held_to(name, statistics.median(rates), "M/s", READS_LIMIT, at_most=False)


def tasks(arguments: argparse.Namespace) -> bool:
    """A task that does nothing, begun and ended; and what 100,000 that wait take of memory."""
    rounds = 100
    options = ("--ops", "spawns", "--execution", "fibre", "--live", "1000", "--rounds", str(rounds))
    took = [
        1e9 * fastest(lines_of("openmpi", 1, "runtime", *ONCE, *options), "time_s") / (1000 * rounds)
        for _ in range(arguments.rounds)
    ]
    met = held_to("spawn and run an empty task", statistics.median(took), "ns", SPAWN_LIMIT_NS)
    many = ("--ops", "switches", "--execution", "fibre", "--live", str(LIVE), "--rounds", "1", *DENSE)
    gigabytes = peak_bytes("runtime", *ONCE, *many) / 1e9
    return met & held_to(f"memory of {LIVE:,} live tasks", gigabytes, "GB", LIVE_LIMIT_GB)


def peak_bytes(program: str, *arguments: str) -> float:
    """The most memory that a program has, alone and without a starter."""
    path = BUILDS / "openmpi" / "bin" / program
    started = subprocess.Popen(
        [str(path), *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **AS_ROOT},
    )
    _, status, usage = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode:
        raise subprocess.CalledProcessError(started.returncode, [str(path), *arguments])
    return usage.ru_maxrss * 1024.0


ROWS: Final = {"ping": ping, "reads": reads, "tasks": tasks}
