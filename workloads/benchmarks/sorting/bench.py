"""Two ranks against one, beside DTCMP and KaDiS, and all splitters together against one after the other.

Options: ``--dtcmp DIRECTORY`` and ``--lwgrp DIRECTORY`` (checkouts of LLNL's DTCMP and of lwgrp, which it
needs), ``--kadis DIRECTORY`` (a checkout with its submodules); all are built in a temporary directory.
``--keys N`` a rank, ``--rounds N``, ``--only real`` or ``simulated``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[1]))

import peers
from measuring import AS_ROOT, BUILDS, build, fixed

LIMITS: Final = {"ips4o": 1.6, "vqsort": 1.3}
PHASES: Final = ("local_sort", "splitters", "exchange", "merge")
PEER_LIMIT: Final = 1.5
SPLITTERS_LIMIT: Final = 1 / 20
RANKS: Final = 256
ONCE: Final = fixed(repetitions=1, warmup=0)


def main() -> int:
    """Print what was measured; 1 where a limit is not met."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name in ("--dtcmp", "--lwgrp", "--kadis"):
        parser.add_argument(name, type=Path, metavar="DIRECTORY")
    parser.add_argument("--keys", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=("real", "simulated"))
    args = parser.parse_args()
    if (args.dtcmp is None) != (args.lwgrp is None):
        parser.error("--dtcmp and --lwgrp go together")
    build("openmpi", "smpi")
    met = True
    if args.only != "simulated":
        met = real(args)
    if args.only != "real":
        met = simulated() and met
    return 0 if met else 1


def real(options: argparse.Namespace) -> bool:
    """Two ranks, one rank with all keys, and the peers, in turns."""
    took: dict[str, list[float]] = {}
    phases: dict[str, list[list[float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        result = peers.build(options.dtcmp, options.lwgrp, options.kadis, Path(name))
        for _ in range(options.rounds):
            for local, ranks in itertools.product(LIMITS, (1, 2)):
                lines = psort(ranks, 2 * options.keys // ranks, local)
                took.setdefault(f"{local}, {ranks}", []).append(metric(lines, "time_s"))
                program = [metric(lines, "phase_s", phase) for phase in PHASES]
                phases.setdefault(f"{local}, {ranks}", []).append(program)
            for peer_name, peer in list(result.items()):
                took_s = peers.run(peer, options.keys)
                if took_s is None:
                    del result[peer_name]
                    took.pop(peer_name, None)
                else:
                    took.setdefault(peer_name, []).append(took_s)
    print(
        f"{2 * options.keys:,} uniform 64-bit keys; psort: sample sort, local sort and ranks;"
        " peers: two ranks"
    )
    print(f"{'':<14} {'median':>8} {'least':>8} {'most':>8}   s, of {options.rounds} in turns")
    for title, values in took.items():
        print(f"{title:<14} {statistics.median(values):8.3f} {min(values):8.3f} {max(values):8.3f}")
    print("Phases, the longest of both ranks, medians in ms: " + ", ".join(PHASES))
    for title, rows in phases.items():
        medians = [statistics.median(column) * 1e3 for column in zip(*rows, strict=True)]
        print(f"{title:<14} " + " ".join(f"{median:10.1f}" for median in medians))
    met = [
        hold_ratio(f"{local}, 2 ranks over 1", took[f"{local}, 1"], took[f"{local}, 2"], limit)
        for local, limit in LIMITS.items()
    ]
    if result:
        best = min((f"{local}, 2" for local in LIMITS), key=lambda name: statistics.median(took[name]))
        fastest_peer = min(result, key=lambda name: statistics.median(took[name]))
        met.append(
            hold_ratio(f"{best} ranks over {fastest_peer}", took[fastest_peer], took[best], PEER_LIMIT)
        )
    return all(met)


def hold_ratio(title: str, over: list[float], under: list[float], limit: float) -> bool:
    """Print the median of the rounds' own ratios beside the limit; whether it is met."""
    ratios = [a / b for a, b in zip(over, under, strict=True)]
    value = statistics.median(ratios)
    verdict = "met" if value >= limit else "NOT MET"
    print(f"{title:<32} {value:5.2f} x ({min(ratios):.2f} to {max(ratios):.2f})   limit {limit}: {verdict}")
    return value >= limit


def psort(ranks: int, keys: int, local: str) -> list[dict[str, Any]]:
    """The lines of one sort: times are the longest of all ranks."""
    command = [str(peers.OPENMPI / "mpirun"), "-n", str(ranks), str(BUILDS / "openmpi/bin/psort"), *ONCE]
    words = ["--algorithm", "sample", "--keys-per-rank", str(keys), "--local", local, "--no-verify"]
    return run([*command, *words], AS_ROOT)


def simulated() -> bool:
    """Splitters of exact splitting on a flat machine, where a message costs what the textbook says."""
    hosts = "".join(f"node-{rank}\n" for rank in range(RANKS))
    seconds = {}
    with tempfile.NamedTemporaryFile("w", suffix=".hosts") as file:
        file.write(hosts)
        file.flush()
        for schedule in ("sequential", "batched"):
            seconds[schedule] = metric(
                run(simulation(file.name, schedule), {"SMPI_GLOBAL_SIZE": str(RANKS)}), "phase_s", "splitters"
            )
    share = seconds["batched"] / seconds["sequential"]
    apart, together = (seconds[schedule] * 1e3 for schedule in ("sequential", "batched"))
    verdict = "met" if share <= SPLITTERS_LIMIT else "NOT MET"
    print(
        f"exact splitting, p = {RANKS}, n/p = 1,000, simulated: splitters one after the other {apart:.1f} ms,"
    )
    print(f"together {together:.2f} ms: {share:.4f}   limit {SPLITTERS_LIMIT}: {verdict}")
    return share <= SPLITTERS_LIMIT


def simulation(hosts: str, schedule: str) -> list[str]:
    """How SimGrid's own starter starts it; collective operations are the textbook's."""
    collectives = (
        "allreduce:rdb",
        "bcast:binomial_tree",
        "allgather:rdb",
        "alltoall:bruck",
        "alltoallv:ring",
        "barrier:ompi_recursivedoubling",
    )
    costs = [f"smpi/{end}:0:0.4e-6:8e-11" for end in ("os", "or", "ois")]
    settings = [
        "smpi/privatization:1",
        f"smpi/np:{RANKS}",
        f"smpi/hostfile:{hosts}",
        "network/model:SMPI",
        "smpi/simulate-computation:no",
        # Acknowledgements in the other direction: what slows a simulation of many ranks.
        "network/crosstraffic:0",
        "smpi/send-is-detached-thresh:0",
    ]
    options = [
        f"--cfg={item}" for item in (*settings, *costs, *(f"smpi/{collective}" for collective in collectives))
    ]
    platform = str(Path(__file__).with_name("flat.xml"))
    words = [
        "--algorithm",
        "exact",
        "--schedule",
        schedule,
        "--keys-per-rank",
        "1000",
        "--compute",
        "calibrated",
        *ONCE,
    ]
    starter = "/usr/lib/x86_64-linux-gnu/simgrid/smpimain"
    return [starter, str(BUILDS / "smpi/bin/psort"), *options, "--log=root.thres:warning", platform, *words]


def run(command: list[str], variables: dict[str, str]) -> list[dict[str, Any]]:
    """The lines of a program that is started."""
    env = {name: value for name, value in os.environ.items() if name != "STEELYARD_METRICS"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**env, **variables})
    if done.returncode:
        sys.exit(f"error: {' '.join(command)}\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"steelyard"')]


def metric(lines: list[dict[str, Any]], name: str, phase: str | None = None) -> float:
    """The only value of a metric, of a phase where one is named."""
    (value,) = next(
        line["values"] for line in lines if line["metric"] == name and line["labels"].get("phase") == phase
    )
    return float(value)


if __name__ == "__main__":
    sys.exit(main())
