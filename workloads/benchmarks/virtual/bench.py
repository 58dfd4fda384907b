"""Virtual time beside SimGrid, and beside this machine: how far off are programs in virtual time?

Options: ``--rows simgrid machine effects``; ``--ranks 2 4 8 16`` of the first; ``--real-ranks 1 2``,
``--rounds N`` and ``--only NAME`` of the others; ``--directory`` keeps the rows of the last. Rows of SimGrid
repeat to the bit. Those of the machine take rates of
operations that ``calibrate`` measures, and a network that ``ping`` and ``reads`` measure, both in the same
run; the fastest of the rounds counts. One rank is timed by CPU time, which other programs on the machine
disturb least, two by elapsed time.

Rates of operations know no cache that misses and no queue. So each program is also given a rate of its own,
``--compute-times``: how much longer one rank of this machine takes for a smaller input than is charged. On
two ranks, which share caches and work on what the other has just written, there is a third row: the rate that
two ranks take for the smaller input. The limit is for the rates of as many ranks.

Effects are ratios of two levels of an option that a study varies, with no rate of a program's own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from effects import beside_machine_by_effects
from machine import CALIBRATED, alone_network, measured_network, real_s, total_s, virtual_lines, virtual_s
from measuring import BUILDS, ROOT, Timed, build, fixed
from simgrid_runs import simgrid_lines

FLAT: Final = ROOT / "workloads" / "virtual" / "networks" / "flat.json"
SIMGRID_LIMIT: Final = 0.05
MACHINE_LIMIT: Final = 0.25
ROWS: Final = {"simgrid": ("smpi",), "machine": ("plain", "openmpi"), "effects": ("plain", "openmpi")}
"""The trees that each needs beside the one in virtual time."""
EFFECTS_KEPT: Final = ROOT / "build" / "effects"
PING: Final = ("ping", *fixed(repetitions=1, warmup=0))
SSSP: Final = ("graph", "sssp", "--generator", "rmat1", "--max-weight", "255", "--delta", "1", "--k", "2")
SIMULATED: Final = {
    "ping, aggregated": (*PING, "--ops", "aggregated", "--count", "20000", "--idle", "wait"),
    "ping, raw": (*PING, "--ops", "raw", "--count", "2000", "--idle", "wait"),
    "UTS T1": ("uts", "--tree", "T1", "--idle", "yield"),
    "UTS T3": ("uts", "--tree", "T3", "--idle", "yield"),
    "BFS, scale 13": ("graph", "bfs", "--scale", "13", "--sources", "2", "--idle", "wait"),
    "BFS by tasks, scale 11": (
        *("graph", "bfs", "--scale", "11", "--sources", "1", "--blocking", "--loop-threshold", "1"),
        *("--buffer-bytes", "4096", "--idle", "wait"),
    ),
    "SSSP, Δ = 1, scale 12": (*SSSP, "--scale", "12", "--order", "delta", "--sources", "2", "--idle", "wait"),
    "SSSP, KLA, scale 12": (*SSSP, "--scale", "12", "--order", "kla", "--sources", "2", "--idle", "wait"),
    "SSSP, KLA, HPX-5, scale 11": (
        *(*SSSP, "--scale", "11", "--order", "kla", "--sources", "1", "--runtime", "hpx-5", "--idle", "wait"),
    ),
}


GEOMETRIC: Final = ("-t", "1", "-a", "3", "-b", "4", "-r", "19")
"""T1 of the UTS suite but for its depth."""


class Program(NamedTuple):
    """What is laid beside this machine, and the smaller input that gives its rate."""

    words: tuple[str, ...]
    smaller: tuple[str, ...]


def _uts(execution: str) -> Program:
    """T1, whose depth is 10, and the same with a level less: a fourth of its nodes."""
    return Program(*(("uts", *GEOMETRIC, "-d", str(depth), "--execution", execution) for depth in (10, 9)))


def _graph(scale: int, *words: str) -> Program:
    return Program(*((*words, "--scale", str(item)) for item in (scale, scale - 1)))


REAL: Final = {
    "UTS T1, handlers": _uts("handler"),
    "UTS T1, fibres": _uts("fibre"),
    "UTS T1, coroutines": _uts("coroutine"),
    "BFS, scale 16": _graph(16, "graph", "bfs", "--sources", "4"),
    "BFS by tasks, scale 14": _graph(
        14, *("graph", "bfs", "--sources", "2", "--blocking", "--loop-threshold", "1")
    ),
    "SSSP, Δ = 1, scale 14": _graph(14, *SSSP, "--order", "delta", "--sources", "4"),
    "SSSP, KLA, scale 14": _graph(14, *SSSP, "--order", "kla", "--sources", "4"),
    "SSSP, KLA, HPX-5, scale 14": _graph(14, *SSSP, "--order", "kla", "--sources", "4", "--runtime", "hpx-5"),
}
TRANSPORTS: Final = ("ring", "point-to-point")


def compare(title: str, ranks: int, reference_s: float, ours_s: float, limit: float | None = None) -> bool:
    """Print a row; whether the virtual time is within the limit of the other, where there is one."""
    factor = ours_s / reference_s
    met = limit is None or abs(factor - 1) <= limit
    verdict = "" if met else f"  NOT within {limit:.0%}"
    print(
        f"{title:<44} p = {ranks:<3} {1e3 * reference_s:10.3f} ms {1e3 * ours_s:10.3f} ms"
        f"  factor {factor:.3f}{verdict}",
        flush=True,
    )
    return met


def beside_simgrid(ranks: list[int]) -> list[bool]:
    """On the flat network, whose SimGrid platform is that of the sorting benchmark."""
    print("                                                        SimGrid    virtual time")
    return [
        compare(
            title,
            count,
            total_s(simgrid_lines(count, *words, *CALIBRATED)),
            total_s(virtual_lines(FLAT, count, *words, *CALIBRATED)),
            SIMGRID_LIMIT,
        )
        for title, words in SIMULATED.items()
        for count in ranks
    ]


def own_rate(
    ranks: int,
    smaller: tuple[str, ...],
    real: Callable[[int, tuple[str, ...]], float],
    ours: Callable[..., float],
) -> float:
    """How much longer so many ranks take for a smaller input than is charged.

    What messages take does not change with it: a few steps find the factor.
    """
    took_s = real(ranks, smaller)
    times = 1.0
    for _ in range(4):
        times *= took_s / ours(ranks, *smaller, "--compute-times", f"{times:.3f}")
    return times


def beside_machine(rounds: int, counts: list[int], only: str) -> list[bool]:
    """Every program whose name has ``only``, execution and transport on so many ranks."""
    met = []
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        rates = directory / "rates.json"
        calibrate = BUILDS / "plain" / "bin" / "calibrate"
        subprocess.run([str(calibrate), "--output", str(rates)], check=True, capture_output=True)
        networks = {
            transport: measured_network(transport, directory) if max(counts) > 1 else alone_network(directory)
            for transport in TRANSPORTS
        }
        by_cpu_time = Timed(directory, by_cpu_time=True)
        print("                                                   this machine    virtual time")
        for title, program in ((name, real_program) for name, real_program in REAL.items() if only in name):
            for transport, network in networks.items():

                def real(ranks: int, words: tuple[str, ...], chosen: str = transport) -> float:
                    timed = by_cpu_time if ranks == 1 else None
                    return min(real_s(ranks, words, chosen, timed) for _ in range(rounds))

                def ours(ranks: int, *words: str, chosen: Path = network) -> float:
                    return virtual_s(chosen, ranks, *words, *CALIBRATED, "--rates", str(rates))

                alone = own_rate(1, program.smaller, real, ours)
                for ranks in counts:
                    took_s = real(ranks, program.words)
                    compare(f"{title}, {transport}, rates", ranks, took_s, ours(ranks, *program.words))
                    rates_of = {f"× {alone:.2f}": alone}
                    if ranks > 1:
                        together = own_rate(ranks, program.smaller, real, ours)
                        rates_of[f"× {together:.2f} of {ranks}"] = together
                    for place, (rate, times) in enumerate(rates_of.items(), 1):
                        ours_s = ours(ranks, *program.words, "--compute-times", f"{times:.3f}")
                        limit = MACHINE_LIMIT if place == len(rates_of) else None
                        is_met = compare(f"{title}, {transport}, {rate}", ranks, took_s, ours_s, limit)
                        met += [is_met] if limit else []
    return met


def main() -> int:
    """Print row by row what was measured; 1 where a row is not within its limit."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", nargs="+", choices=[*ROWS], default=[*ROWS])
    parser.add_argument("--ranks", nargs="+", type=int, default=[2, 4, 8, 16])
    parser.add_argument("--real-ranks", nargs="+", type=int, default=[1, 2], choices=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="of the machine, rows whose name has this")
    parser.add_argument("--directory", type=Path, default=EFFECTS_KEPT, help="effects that are measured")
    args = parser.parse_args()
    build("virtual", *dict.fromkeys(tree for rows in args.rows for tree in ROWS[rows]))
    met = beside_simgrid(args.ranks) if "simgrid" in args.rows else []
    met += beside_machine(args.rounds, args.real_ranks, args.only) if "machine" in args.rows else []
    if "effects" in args.rows:
        met += beside_machine_by_effects(args.rounds, args.real_ranks, args.only, "ring", args.directory)
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
