"""Rows of the graph algorithms: one rank beside GAP and the Graph500 reference code, two ranks, memory.

MTEPS are undirected edges of the input over time, for everybody; edges, weights and roots are the same.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from graph_peers import TRIALS, Gap, Reference
from measuring import Timed, held_to, lines_of, median_ratio, show

if TYPE_CHECKING:
    import argparse

Lines = list[dict[str, object]]
SOURCES: Final = 8
MEMORY_LIMIT: Final = 1.3
RANKS_LIMIT: Final = 1.5


class Goal(NamedTuple):
    """Options of our program, and our rate over that of a peer: at least this, or as it is."""

    verb: str
    options: tuple[str, ...]
    limit: float | None

    @property
    def name(self) -> str:
        """The command without the generator."""
        return " ".join((self.verb, *self.options))


TURNED: Final = "--direction-optimising"
TRANSPORTS: Final = ("point-to-point", "ring")
OVER_REFERENCE: Final = (
    Goal("sssp", (TURNED,), 3.0),
    Goal("sssp", (), None),
    Goal("bfs", (), 1.0),
    Goal("bfs", (TURNED,), 3.0),
)
OVER_GAP: Final = (
    Goal("sssp", (TURNED,), 0.7),
    Goal("sssp", ("--delta", "2"), None),
    Goal("bfs", (TURNED,), 0.6),
    Goal("bc", (), 0.5),
    Goal("cc", (TURNED,), 0.5),
    Goal("cc", (), None),
    Goal("pagerank", (), 0.5),
    Goal("triangles", (), 0.7),
)
WITH_SOURCES: Final = frozenset({"sssp", "bfs", "bc"})


def values(lines: Lines, metric: str) -> list[float]:
    """The values of a metric, of all sources."""
    result: list[float] = []
    for line in lines:
        if line["metric"] == metric and isinstance(line["values"], list):
            result += map(float, line["values"])
    return result


def ours(ranks: int, verb: str, scale: int, *options: str, timed: Timed | None = None) -> Lines:
    """The lines of our program."""
    return lines_of("openmpi", ranks, "graph", verb, "--scale", str(scale), *options, timed=timed)


def over_reference(options: argparse.Namespace) -> bool:
    """Harmonic means over the 64 roots of the specification, in turns with the reference code."""
    met = True
    with tempfile.TemporaryDirectory() as name:
        timed = Timed(Path(name), by_cpu_time=options.cpu_time)
        peer = Reference(options.graph500, options.graph500_mpirun, timed) if options.graph500 else None
        for scale in options.scales:
            rates: dict[Goal, list[float]] = {goal: [] for goal in OVER_REFERENCE}
            theirs: dict[str, list[float]] = {"bfs": [], "sssp": []}
            for _ in range(options.rounds):
                for goal in OVER_REFERENCE:
                    lines = ours(1, goal.verb, scale, "--sources", "64", *goal.options, timed=timed)
                    rates[goal] += values(lines, "teps_harmonic_mean")
                for verb, rate in peer.teps(scale).items() if peer else ():
                    theirs[verb].append(rate)
            for goal in OVER_REFERENCE:
                met &= hold_goal(goal, scale, rates[goal], "Graph500 reference", theirs[goal.verb])
    return met


def over_gap(options: argparse.Namespace) -> bool:
    """Medians over the same sources, weights whole numbers from 1 to 255, in turns with GAP."""
    met = True
    with tempfile.TemporaryDirectory() as name:
        timed = Timed(Path(name), by_cpu_time=options.cpu_time)
        peer = Gap(options.gapbs, timed) if options.gapbs else None
        for scale in options.scales:
            edges = Path(name) / f"rmat1-{scale}.wel"
            if peer is not None:
                generated = ("generate", "--generator", "rmat1", "--scale", str(scale), "--output")
                lines_of("openmpi", 1, "graph", *generated, str(edges))
                peer.convert(edges)
            for goal in OVER_GAP:
                rates, theirs = [], []
                for _ in range(options.rounds):
                    edges_of_run, took, roots = run_beside_gap(goal, scale, timed)
                    rates.append(edges_of_run / took)
                    if peer is not None:
                        of_roots = [peer.seconds(goal.verb, edges, root) for root in roots]
                        theirs.append(edges_of_run / statistics.median(of_roots))
                met &= hold_goal(goal, scale, rates, "GAP", theirs)
    return met


def run_beside_gap(goal: Goal, scale: int, timed: Timed) -> tuple[float, float, list[int | None]]:
    """Run ours. Returns edges, seconds (the median over roots of the medians over trials), and the roots."""
    options: tuple[str, ...] = ("--sources", str(SOURCES)) if goal.verb in WITH_SOURCES else ()
    options += ("--repetitions", str(TRIALS), "--generator", "rmat1", *goal.options)
    lines = ours(1, goal.verb, scale, *options, timed=timed)
    of_sources = [values([line], "time_s") for line in lines if line["metric"] == "time_s"]
    roots: list[int | None] = [int(root) for root in values(lines, "root")]
    return (
        statistics.median(values(lines, "edges")),
        statistics.median(map(statistics.median, of_sources)),
        roots or [None],
    )


def hold_goal(goal: Goal, scale: int, rates: list[float], peer: str, theirs: list[float]) -> bool:
    """Print both rates, and hold their ratio to its limit; True without a peer."""
    show(f"{goal.name}, scale {scale}", statistics.median(rates) / 1e6, "MTEPS")
    if not theirs:
        return True
    show(f"  {peer}", statistics.median(theirs) / 1e6, "MTEPS")
    ratio = median_ratio(rates, theirs)
    if goal.limit is None:
        show(f"  over {peer}", ratio, "x")
        return True
    return held_to(f"  over {peer}", ratio, "x", goal.limit, at_most=False)


def two_ranks(arguments: argparse.Namespace) -> bool:
    """SSSP on one rank and on two with each transport, all in turns."""
    met = True
    for scale in arguments.scales:
        took: dict[tuple[str, int], list[float]] = {
            (transport, ranks): [] for transport in TRANSPORTS for ranks in (1, 2)
        }
        for _ in range(arguments.rounds):
            for (transport, ranks), seconds in took.items():
                options = (TURNED, "--sources", str(SOURCES), "--transport", transport)
                seconds.append(statistics.median(values(ours(ranks, "sssp", scale, *options), "time_s")))
        for transport in TRANSPORTS:
            ratio = median_ratio(took[transport, 1], took[transport, 2])
            title = f"sssp, scale {scale}, {transport}: two ranks over one"
            met &= held_to(title, ratio, "x", RANKS_LIMIT, at_most=False)
    return met


def memory(options: argparse.Namespace) -> bool:
    """What two ranks have at most with each transport, over rows, distances and parents."""
    met = True
    for scale in options.scales:
        for transport in TRANSPORTS:
            ratios = []
            for _ in range(options.rounds):
                lines = ours(2, "sssp", scale, TURNED, "--transport", transport)
                needed = sum(values(lines, "graph_bytes")) + 8 * 2**scale
                ratios.append(sum(values(lines, "peak_bytes")) / needed)
            title = f"memory over CSR and state, scale {scale}, {transport}"
            met &= held_to(title, statistics.median(ratios), "x", MEMORY_LIMIT)
    return met


ROWS: Final = {"graph500": over_reference, "gap": over_gap, "two-ranks": two_ranks, "memory": memory}
