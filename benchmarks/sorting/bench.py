"""Two ranks against one, beside DTCMP, and all splitters together against one after the other.

Options: ``--peer DIRECTORY`` and ``--lwgrp DIRECTORY`` (checkouts of LLNL's DTCMP and of lwgrp, which it
needs; both are built in a temporary directory), ``--keys N`` a rank, ``--rounds N``, ``--only real`` or
``simulated``.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
OPENMPI: Final = ROOT / ".cache" / "mpi" / "openmpi" / "bin"
BUILDS: Final = ROOT / "build" / "workloads"
LIMITS: Final = {"ips4o": 1.6, "vqsort": 1.3}
PEER_LIMIT: Final = 1.5
SPLITTERS_LIMIT: Final = 1 / 20
RANKS: Final = 256
ONCE: Final = (
    "--warmup",
    "0",
    "--repetitions",
    "1",
    "--precision",
    "0",
    "--sync",
    "barrier",
    "--clocks",
    "one",
)
AS_ROOT: Final = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def main() -> int:
    """Print what was measured; 1 where a limit is not met."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--peer", type=Path, metavar="DIRECTORY")
    parser.add_argument("--lwgrp", type=Path, metavar="DIRECTORY")
    parser.add_argument("--keys", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=("real", "simulated"))
    asked = parser.parse_args()
    if (asked.peer is None) != (asked.lwgrp is None):
        parser.error("--peer and --lwgrp go together")
    subprocess.run([sys.executable, str(ROOT / "scripts" / "mpi.py"), "openmpi", "smpi"], check=True)
    met = True
    if asked.only != "simulated":
        met = real(asked)
    if asked.only != "real":
        met = simulated() and met
    return 0 if met else 1


def real(asked: argparse.Namespace) -> bool:
    """Two ranks, one rank with all keys, and the peer, in turns."""
    took: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        peer = build_peer(asked.peer, asked.lwgrp, Path(name)) if asked.peer else None
        for _ in range(asked.rounds):
            for local in LIMITS:
                for ranks in (1, 2):
                    seconds = psort(ranks, 2 * asked.keys // ranks, local)
                    took.setdefault(f"{local}, {ranks} ranks", []).append(seconds)
            if peer is not None:
                took.setdefault("DTCMP, 2 ranks", []).append(run_peer(peer, asked.keys))
    print(f"{2 * asked.keys:,} uniform 64-bit keys, sample sort; medians of {asked.rounds}")
    for what, values in took.items():
        print(f"{what:<18} {statistics.median(values):8.3f} s")
    found = [
        (f"{local}: 2 ranks over 1", ratio(took[f"{local}, 1 ranks"], took[f"{local}, 2 ranks"]), limit)
        for local, limit in LIMITS.items()
    ]
    if "DTCMP, 2 ranks" in took:
        best = min(LIMITS, key=lambda local: statistics.median(took[f"{local}, 2 ranks"]))
        found.append(
            (f"{best} over DTCMP", ratio(took["DTCMP, 2 ranks"], took[f"{best}, 2 ranks"]), PEER_LIMIT)
        )
    for what, value, limit in found:
        print(f"{what:<24} {value:6.2f} x   limit {limit}: {'met' if value >= limit else 'NOT MET'}")
    return all(value >= limit for _, value, limit in found)


def ratio(over: list[float], under: list[float]) -> float:
    """The median of the rounds' own ratios."""
    return statistics.median(a / b for a, b in zip(over, under, strict=True))


def psort(ranks: int, keys: int, local: str) -> float:
    """Seconds of one sort, the longest of all ranks."""
    command = [str(OPENMPI / "mpirun"), "-n", str(ranks), str(BUILDS / "openmpi/bin/psort"), *ONCE]
    words = ["--algorithm", "sample", "--keys-per-rank", str(keys), "--local", local, "--no-verify"]
    return metric(run([*command, *words], AS_ROOT), "time_s")


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
    """How SimGrid's own starter starts it; collective operations are those of studies/parallel-sorting."""
    collectives = (
        "allreduce:rdb",
        "bcast:binomial_tree",
        "allgather:rdb",
        "alltoall:bruck",
        "barrier:ompi_recursivedoubling",
    )
    costs = [f"smpi/{end}:0:0.4e-6:8e-11" for end in ("os", "or", "ois")]
    settings = [
        "smpi/privatization:1",
        f"smpi/np:{RANKS}",
        f"smpi/hostfile:{hosts}",
        "network/model:SMPI",
        "smpi/simulate-computation:no",
    ]
    options = [f"--cfg={each}" for each in (*settings, *costs, *(f"smpi/{each}" for each in collectives))]
    platform = str(ROOT / "studies" / "machines" / "flat.xml")
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


def run(command: list[str], variables: dict[str, str]) -> list[dict]:
    """The lines of a program that is started."""
    env = {name: value for name, value in os.environ.items() if name != "STEELYARD_METRICS"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**env, **variables})
    if done.returncode:
        sys.exit(f"error: {' '.join(command)}\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"steelyard"')]


def metric(lines: list[dict], name: str, phase: str | None = None) -> float:
    """The only value of a metric, of a phase where one is named."""
    (value,) = next(
        line["values"] for line in lines if line["metric"] == name and line["labels"].get("phase") == phase
    )
    return float(value)


def build_peer(dtcmp: Path, lwgrp: Path, directory: Path) -> Path:
    """Compile DTCMP, lwgrp and the program that calls it."""
    sources = [str(path) for checkout in (lwgrp, dtcmp) for path in sorted((checkout / "src").glob("*.c"))]
    wanted = [path for path in sources if not Path(path).name.startswith(("main", "test"))]
    if not wanted:
        hint = "--peer and --lwgrp name checkouts of LLNL/dtcmp and LLNL/lwgrp"
        sys.exit(f"error: no C sources in src\n\nhint: {hint}")
    program = directory / "dtcmp_sort"
    # What their configure scripts would write is not needed, but included.
    (directory / "config").mkdir()
    (directory / "config" / "config.h").touch()
    (directory / "src").mkdir()
    includes = [f"-I{path}" for path in (lwgrp / "src", dtcmp / "src", directory / "src")]
    driver = str(Path(__file__).with_name("dtcmp_sort.c"))
    subprocess.run(
        [str(OPENMPI / "mpicc"), "-O3", "-w", *includes, driver, *wanted, "-o", str(program)], check=True
    )
    return program


def run_peer(program: Path, keys: int) -> float:
    """Seconds of DTCMP on two ranks."""
    command = [str(OPENMPI / "mpirun"), "-n", "2", str(program), str(keys)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **AS_ROOT})
    return float(done.stdout)


if __name__ == "__main__":
    sys.exit(main())
