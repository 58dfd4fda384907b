"""Virtual time beside SimGrid, and beside this machine: how far off are programs in virtual time?

Options: ``--rows simgrid machine``; ``--ranks 2 4 8 16`` of the first; ``--real-ranks 1 2``, ``--rounds N``
and ``--only NAME`` of the second. Rows of SimGrid repeat to the bit. Those of the machine take rates of
operations that ``calibrate`` measures, and a network that ``ping`` and ``reads`` measure, both in the same
run; the fastest of the rounds counts. One rank is timed by CPU time, which other programs on the machine
disturb least, two by elapsed time.

Rates of operations know no cache that misses and no queue. So each program is also given a rate of its own,
``--compute-times``: how much longer one rank of this machine takes for a smaller input than is charged. On
two ranks, which share caches and work on what the other has just written, there is a third row: the rate that
two ranks take for the smaller input. The limit is for the rates of as many ranks.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from measuring import BUILDS, ROOT, Timed, build, fastest, fixed, lines_of
from simgrid_runs import simgrid_lines

FLAT: Final = ROOT / "workloads" / "virtual" / "networks" / "flat.json"
SIMGRID_LIMIT: Final = 0.05
MACHINE_LIMIT: Final = 0.25
CALIBRATED: Final = ("--compute", "calibrated")
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


def virtual_lines(network: Path, ranks: int, program: str, *arguments: str) -> list[dict[str, Any]]:
    """The lines of a program in virtual time."""
    words = [str(BUILDS / "virtual" / "bin" / program), *arguments, "--network", f"virtual:{network}"]
    done = subprocess.run([*words, "--ranks", str(ranks)], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def total_s(lines: list[dict[str, Any]]) -> float:
    """The time of all sources, the fastest repetition of each."""
    return float(sum(min(line["values"]) for line in lines if line["metric"] == "time_s"))


def compare(what: str, ranks: int, reference_s: float, virtual_s: float, limit: float | None = None) -> bool:
    """Print a row; whether the virtual time is within the limit of the other, where there is one."""
    factor = virtual_s / reference_s
    met = limit is None or abs(factor - 1) <= limit
    verdict = "" if met else f"  NOT within {limit:.0%}"
    print(
        f"{what:<44} p = {ranks:<3} {1e3 * reference_s:10.3f} ms {1e3 * virtual_s:10.3f} ms"
        f"  factor {factor:.3f}{verdict}",
        flush=True,
    )
    return met


def beside_simgrid(ranks: list[int]) -> list[bool]:
    """On the flat network, whose SimGrid platform is that of the sorting benchmark."""
    print("                                                        SimGrid    virtual time")
    return [
        compare(
            what,
            count,
            total_s(simgrid_lines(count, *words, *CALIBRATED)),
            total_s(virtual_lines(FLAT, count, *words, *CALIBRATED)),
            SIMGRID_LIMIT,
        )
        for what, words in SIMULATED.items()
        for count in ranks
    ]


def measured_network(transport: str, directory: Path) -> Path:
    """What a message takes between two ranks of this machine, as a network file."""
    words = ("--transport", transport, "--buffer-bytes", "4096")
    once = fixed(repetitions=5, warmup=1)
    counts = {8: 200_000, 4096: 50_000}
    message_s = {}
    for size, count in counts.items():
        asked = (*once, "--ops", "raw", *words, "--payload", str(size), "--count", str(count))
        message_s[size] = fastest(lines_of("openmpi", 2, "ping", *asked), "time_s") / count
    byte_s = max(0.0, message_s[4096] - message_s[8]) / (4096 - 8)
    reads = ("--ops", "reads", "--in-flight", "1", "--reads", "20000", "--execution", "fibre")
    there_and_back_s = fastest(lines_of("openmpi", 2, "runtime", *once, *reads, *words), "time_s") / 20000
    link = {
        "latency_s": max(0.0, there_and_back_s / 2 - 2 * message_s[8]),
        "send_s": message_s[8],
        "send_byte_s": byte_s,
        "receive_s": message_s[8],
        "receive_byte_s": byte_s,
    }
    print(f"{transport}: " + ", ".join(f"{key} {value:.3g}" for key, value in link.items()))
    document = {"format": "steelyard-network", "version": 1, "nodes": 1, "ranks_of_node": 2, "inside": link}
    file = directory / f"{transport}.json"
    file.write_text(json.dumps(document))
    return file


def alone_network(directory: Path) -> Path:
    """A rank alone sends to nobody."""
    file = directory / "alone.json"
    file.write_text(json.dumps({"format": "steelyard-network", "version": 1, "nodes": 1}))
    return file


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
        for what, program in ((name, its) for name, its in REAL.items() if only in name):
            for transport, network in networks.items():

                def real(ranks: int, words: tuple[str, ...], chosen: str = transport) -> float:
                    timed = by_cpu_time if ranks == 1 else None
                    asked = (*words, "--transport", chosen)
                    return min(
                        total_s(lines_of("openmpi", ranks, *asked, timed=timed)) for _ in range(rounds)
                    )

                def ours(ranks: int, *words: str, chosen: Path = network) -> float:
                    return total_s(virtual_lines(chosen, ranks, *words, *CALIBRATED, "--rates", str(rates)))

                alone = own_rate(1, program.smaller, real, ours)
                for ranks in counts:
                    took_s = real(ranks, program.words)
                    compare(f"{what}, {transport}, rates", ranks, took_s, ours(ranks, *program.words))
                    rates_of = {f"× {alone:.2f}": alone}
                    if ranks > 1:
                        together = own_rate(ranks, program.smaller, real, ours)
                        rates_of[f"× {together:.2f} of {ranks}"] = together
                    for place, (rate, times) in enumerate(rates_of.items(), 1):
                        virtual_s = ours(ranks, *program.words, "--compute-times", f"{times:.3f}")
                        limit = MACHINE_LIMIT if place == len(rates_of) else None
                        is_met = compare(f"{what}, {transport}, {rate}", ranks, took_s, virtual_s, limit)
                        met += [is_met] if limit else []
    return met


def main() -> int:
    """Print row by row what was measured; 1 where a row is not within its limit."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", nargs="+", choices=["simgrid", "machine"], default=["simgrid", "machine"])
    parser.add_argument("--ranks", nargs="+", type=int, default=[2, 4, 8, 16])
    parser.add_argument("--real-ranks", nargs="+", type=int, default=[1, 2], choices=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="of the machine, programs whose name has this")
    args = parser.parse_args()
    references = {"simgrid": ("smpi",), "machine": ("plain", "openmpi")}
    build("virtual", *(tree for rows in args.rows for tree in references[rows]))
    met = beside_simgrid(args.ranks) if "simgrid" in args.rows else []
    met += beside_machine(args.rounds, args.real_ranks, args.only) if "machine" in args.rows else []
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
