"""Run a kernel on a runtime: ``python systems.py KERNEL SYSTEM CORES [GRAPH]``, started by the specs.

Writes the seconds that the kernel took, several times, and what came of it, which is the same number on all
systems: of histogram to triangles a sum over their results (kernels/kernels.hpp), of searches the edges that
Graph500 counts. Beside GAP, on a file of edges, it is the vertices that were reached, triangles or
components; of `bc` and `pagerank`, where GAP prints no more, the sources and 1.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from launching import lines, output

ROOT: Final = Path(__file__).resolve().parents[2]
BUILT: Final = ROOT / "build" / "runtimes"
GRAPH: Final = ROOT / "build" / "workloads" / "openmpi" / "bin" / "graph"
MPIRUN: Final = ROOT / ".cache" / "mpi" / "openmpi" / "bin" / "mpirun"
SCALE: Final = 16
"""Of Graph500's graph."""
TRIALS: Final = 3
ROOTS: Final = (1, 3, 5, 77, 100, 1001)
"""Vertices of the graph in the file from which searches start: all are of its largest component."""


class AlsoOfGap(NamedTuple):
    """A verb of ours, and GAP's kernel with its options."""

    ours: Sequence[object]
    theirs: Sequence[object]
    has_roots: bool = False
    result: str = ""
    """The metric of ours that GAP prints too."""
    printed: str = ""


OF_GAP: Final = {
    "bfs": AlsoOfGap(
        ["bfs", "--direction-optimising"], ["bfs"], True, "vertices_reached", r"BFS Tree has (\d+) nodes"
    ),
    "sssp": AlsoOfGap(
        ["sssp"],
        ["sssp"],
        True,
        "vertices_reached",
        r"SSSP Tree reaches (\d+) nodes",
    ),
    "bc": AlsoOfGap(["bc"], ["bc", "-i", 1], True),
    "cc": AlsoOfGap(
        ["cc", "--direction-optimising"], ["cc"], False, "components", r"There are (\d+) components"
    ),
    "pagerank": AlsoOfGap(["pagerank"], ["pr", "-t", "1e-4", "-i", 100]),
    "triangles": AlsoOfGap(["triangles"], ["tc"], False, "triangles", r"(\d+) triangles"),
}


class Searched(NamedTuple):
    """How a graph is searched by shortest paths: ours and GAP's options that were fastest in a trial on one
    core, of classes 1, 2, 4 … 256 wide and, ours, by direction.
    """

    ours: Sequence[object]
    width: int


PATHS: Final = {
    "edges": Searched(["--direction-optimising"], 2),
    "kron": Searched(["--direction-optimising"], 2),
    "urand": Searched(["--delta", 8], 4),
    "road": Searched(["--delta", 8], 256),
    "kron22": Searched(["--direction-optimising"], 2),
    "urand22": Searched(["--delta", 8], 4),
}
DRAWN: Final = {"kron22": ("rmat1", 22), "urand22": ("uniform", 22)}
"""Generator and scale of graphs that ours draws in place of reading them; GAP reads all."""


class Measured(NamedTuple):
    """Seconds of each repetition, or the mean over sources, and what came of it."""

    times_s: Sequence[float]
    outcome: float


def built(*path: str) -> Path:
    """Find a program that ``build.py`` makes.

    Ends this program where it has not been built.
    """
    program = BUILT.joinpath(*path)
    if not program.is_file():
        sys.exit(
            f"systems.py: no {program}\n\nhint: studies/runtimes/build.py builds it; --help names its options"
        )
    return program


def ranks(cores: int, *command: object) -> list[object]:
    """A program on as many ranks."""
    return [MPIRUN, "-n", cores, *command]


def values(lines: list[dict[str, Any]], metric: str) -> list[float]:
    """All of a metric."""
    return [float(value) for line in lines if line["metric"] == metric for value in line["values"]]


def program(kernel: str, system: str, cores: int) -> Measured:
    """One of ``kernels/``."""
    binary = built("bin", "goodsyard" if system == "messages" else system)
    if system == "goodsyard":
        result = output(ranks(cores, binary, "--kernel", kernel, "--edges", BUILT / "edges.el"))
    elif system == "messages":
        result = output(ranks(cores, binary, "--kernel", kernel, "--by-messages"))
    elif system == "lamellar":
        result = lamellar(binary, kernel, cores)
    elif system == "openmp":
        result = output([binary, kernel], OMP_NUM_THREADS=str(cores), OMP_PROC_BIND="true")
    else:
        result = output(ranks(cores, binary, kernel, BUILT / "edges.el"))
    (outcome,) = values(lines(result), "sum")
    return Measured(values(lines(result), "time_s"), outcome)


def lamellar(binary: Path, kernel: str, cores: int) -> str:
    """Its processes find each other by numbers in their environment; a thread each."""
    shared = {
        "LAMELLAR_BACKEND": "shmem",
        "LAMELLAR_THREADS": "1",
        "LAMELLAR_NUM_PES": str(cores),
        "LAMELLAR_JOB_ID": str(os.getpid()),
    }
    started = [
        subprocess.Popen(
            [binary, kernel],
            env={**os.environ, **shared, "LAMELLAR_PE_ID": str(rank)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(cores)
    ]
    outputs = [process.communicate()[0] for process in started]
    if any(process.returncode for process in started):
        sys.exit(f"systems.py: {binary} {kernel}: exit codes {[process.returncode for process in started]}")
    return "".join(outputs)


def by_graph(kernel: str, cores: int, *options: str) -> Measured:
    """Our program, on Graph500's graph and from its 64 roots."""
    words = [kernel, "--scale", SCALE, "--sources", 64, *options]
    result = lines(output(ranks(cores, GRAPH, *words)))
    return Measured([statistics.fmean(values(result, "time_s"))], statistics.fmean(values(result, "edges")))


def by_graph500(kernel: str, cores: int) -> Measured:
    """The reference code, which makes the same graph and draws the same roots."""
    reference = built("graph500", "src", "graph500_reference_bfs_sssp")
    result = output(ranks(cores, reference, SCALE), SKIP_VALIDATION="1")
    (took_s,) = re.findall(rf"{kernel} +mean_time: *([0-9.e+-]+)", result)
    (edges,) = re.findall(r"mean_nedge: *([0-9.e+]+)", result)
    return Measured([float(took_s)], float(edges))


def by_graph_of_file(verb: str, cores: int, graph: str) -> Measured:
    """Our program, from the roots that GAP has."""
    also = OF_GAP[verb]
    words = [*also.ours, "--repetitions", TRIALS]
    if graph in DRAWN:
        generator, scale = DRAWN[graph]
        words += ["--generator", generator, "--scale", scale]
    else:
        words += ["--generator", BUILT / f"{graph}.{'wel' if verb == 'sssp' else 'el'}"]
    words += PATHS[graph].ours if verb == "sssp" else []
    words += ["--roots", *ROOTS] if also.has_roots else []
    result = lines(output(ranks(cores, GRAPH, *words)))
    of_roots = [line["values"] for line in result if line["metric"] == "time_s"]
    outcome = sum(values(result, also.result)) if also.result else float(len(of_roots))
    return Measured([statistics.fmean(map(statistics.median, of_roots))], outcome)


def by_gap(verb: str, cores: int, graph: str) -> Measured:
    """GAP, with a thread a core."""
    also = OF_GAP[verb]
    kernel, *options = also.theirs
    file = BUILT / f"{graph}.{'wsg' if verb == 'sssp' else 'sg'}"
    options += ["-d", PATHS[graph].width] if verb == "sssp" else []
    times, outcome = [], 0.0
    for root in ROOTS if also.has_roots else (None,):
        words = [built("gapbs", str(kernel)), "-f", file, "-n", TRIALS, "-a", *options]
        words += [] if root is None else ["-r", root]
        result = output(words, OMP_NUM_THREADS=str(cores))
        times.append(statistics.median(map(float, re.findall(r"Trial Time: +([0-9.]+)", result))))
        counts = re.findall(also.printed, result) if also.printed else ["1"]
        outcome += float(counts[-1])
        if verb == "cc" and graph in DRAWN:
            # Vertices without edges behind the last that has any are not in the file.
            (nodes,) = re.findall(r"Graph has (\d+) nodes", result)
            outcome += (1 << DRAWN[graph][1]) - int(nodes)
    return Measured([statistics.fmean(times)], outcome)


def measure(kernel: str, system: str, cores: int, graph: str = "edges") -> Measured:
    """Run the kernel once, with its repetitions."""
    match [*kernel.split(" beside "), system]:
        case [verb, "GAP", "gap"]:
            return by_gap(verb, cores, graph)
        case [verb, "GAP", _]:
            return by_graph_of_file(verb, cores, graph)
        case ["bfs" | "sssp", "graph500"]:
            return by_graph500(kernel, cores)
        case ["bfs" | "sssp", "goodsyard"]:
            return by_graph(kernel, cores)
        case ["bfs", "tasks"]:
            return by_graph(kernel, cores, "--blocking")
        case _:
            return program(kernel, system, cores)


def main() -> None:
    """Write the lines."""
    kernel, system, cores, *graph = sys.argv[1:]
    measured = measure(kernel, system, int(cores), *graph)
    for metric, unit, result in (("time_s", "s", measured.times_s), ("outcome", "", [measured.outcome])):
        print(json.dumps({"steelyard": 1, "metric": metric, "unit": unit, "values": list(result)}))


if __name__ == "__main__":
    main()
