"""Rows of UTS: one rank beside the sequential reference, two beside its MPI work stealing, and UTS-mem."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

from measuring import AS_ROOT, held_to, lines_of, median_ratio, mpirun, show

if TYPE_CHECKING:
    import argparse

FLAGS: Final = {
    "T1": "-t 1 -a 3 -d 10 -b 4 -r 19",
    "T2": "-t 1 -a 2 -d 16 -b 6 -r 502",
    "T3": "-t 0 -b 2000 -q 0.124875 -m 8 -r 42",
}
NODES: Final = {"T1": 4_130_071, "T2": 4_117_769, "T3": 4_112_897}
OVER_REFERENCE: Final = {"portable": 1.0, "instructions": 1.7}
"""By the code of SHA-1: our rate over that of the reference, at least."""
RANKS_LIMIT: Final = 1.9
MEMORY_LIMIT: Final = 3.0  # Million nodes a second.
MILLION: Final = 1e6


def value(lines: list[dict[str, Any]], metric: str) -> float:
    """The median of the values of the only line with a metric."""
    (result,) = [line["values"] for line in lines if line["metric"] == metric]
    return statistics.median(map(float, result))


def reference_rate(command: list[str], tree: str, *, by_cpu_time: bool) -> float:
    """Nodes a second of the reference; it has to count as many nodes as the tree has."""
    words = [*command, *FLAGS[tree].split()]
    before = os.times()
    done = subprocess.run(words, capture_output=True, text=True, check=True, env={**os.environ, **AS_ROOT})
    after = os.times()
    text = done.stdout + done.stderr
    counted = re.search(r"Tree size = (\d+)", text)
    if counted is None or int(counted[1]) != NODES[tree]:
        sys.exit(f"error: {' '.join(words)} has not counted the {NODES[tree]} nodes of {tree}")
    if by_cpu_time:
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        return NODES[tree] / spent
    stated = re.search(r"performance = ([0-9.]+) nodes/sec", text)
    if stated is None:
        sys.exit(f"error: {' '.join(words)} states no nodes/sec")
    return float(stated[1])


def has_instructions() -> bool:
    """Whether the processor hashes by instructions; without a rank it would not be known to our program."""
    return value(lines_of("openmpi", 1, "uts", "--tree", "small-fixed"), "sha_instructions") == 1


def one_rank(options: argparse.Namespace) -> bool:
    """Nodes a second of CPU time, in turns with the sequential reference."""
    met = True
    kinds = [kind for kind in OVER_REFERENCE if kind == "portable" or has_instructions()]
    for tree in options.trees:
        rates: dict[str, list[float]] = {kind: [] for kind in kinds}
        theirs: list[float] = []
        for _ in range(options.rounds):
            for kind in kinds:
                lines = lines_of("openmpi", 1, "uts", "--tree", tree, "--sha", kind)
                rates[kind].append(value(lines, "nodes_per_cpu_s"))
            if options.uts is not None:
                theirs.append(reference_rate([str(options.uts)], tree, by_cpu_time=True))
        if theirs:
            show_rate(f"{tree}, one thread, UTS reference", theirs)
        for kind in kinds:
            show_rate(f"{tree}, one rank, {kind}", rates[kind])
            if theirs:
                ratio = median_ratio(rates[kind], theirs)
                met &= held_to("  over the reference", ratio, "x", OVER_REFERENCE[kind], at_most=False)
    return met


def two_ranks(options: argparse.Namespace) -> bool:
    """Elapsed time on two ranks, in turns with one rank and with the reference's MPI work stealing."""
    met = True
    for tree in options.trees:
        rates: dict[int, list[float]] = {1: [], 2: []}
        theirs: list[float] = []
        for _ in range(options.rounds):
            for ranks, result in rates.items():
                lines = lines_of("openmpi", ranks, "uts", "--tree", tree, "--repetitions", "3")
                result.append(value(lines, "nodes_per_s"))
            if options.uts_mpi is not None:
                start = [mpirun(options.mpi_peer), "-n", "2", str(options.uts_mpi)]
                theirs.append(reference_rate(start, tree, by_cpu_time=False))
        show_rate(f"{tree}, two ranks", rates[2])
        ratio = median_ratio(rates[2], rates[1])
        met &= held_to("  over one rank", ratio, "x", RANKS_LIMIT, at_most=False)
        if theirs:
            show_rate(f"{tree}, two ranks, UTS reference by MPI work stealing", theirs)
            met &= held_to("  over it", median_ratio(rates[2], theirs), "x", 1.0, at_most=False)
    return met


def memory(arguments: argparse.Namespace) -> bool:
    """UTS-mem on one rank, every read by a delegate: executed at once, and sent as a message."""
    met = True
    for tree in arguments.trees:
        for title, options in (
            ("at once", ()),
            ("as messages", ("--delegates-to-self", "--active-tasks", "256", "--buffer-bytes", "4096")),
        ):
            rates = [
                value(lines_of("openmpi", 1, "uts", "--tree", tree, "--memory", *options), "nodes_per_cpu_s")
                for _ in range(arguments.rounds)
            ]
            rate = statistics.median(rates) / MILLION
            name = f"UTS-mem {tree}, one rank, delegates {title}"
            met &= held_to(name, rate, "M/s", MEMORY_LIMIT, at_most=False)
    return met


def show_rate(title: str, rates: list[float]) -> None:
    """Print the median of rates that have no limit of their own."""
    show(title, statistics.median(rates) / MILLION, "M/s")


ROWS: Final = {"uts": one_rank, "two-ranks": two_ranks, "memory": memory}
