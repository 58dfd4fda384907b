"""Window synchronisation beside a plain loop, on CPUs that others use as well.

``./dev bench window``: MPICH's Allgather of 8 bytes between two ranks, by ``collectives --sync window`` and
by a loop of calls without synchronisation (loop.c), in turns, while one more process computes on each CPU. A
loop overlaps calls and so is the lower bound of what a synchronised start can report.

Limit: the first quartile of valid repetitions at most 1.3 × that of the loop, in the median of the rounds.
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

sys.path.insert(0, str(Path(__file__).parents[1]))

from measuring import BUILDS, MPI, build, busy

MPICH: Final = MPI / "mpich" / "bin"
LIMIT: Final = 1.3


def main() -> int:
    """Print the rounds; 1 where the limit is not met."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--bytes", type=int, default=8)
    parser.add_argument("--sync", choices=("window", "round-time"), default="window")
    parser.add_argument("--idle", action="store_true", help="without others on the CPUs")
    args = parser.parse_args()
    build("mpich")
    with tempfile.TemporaryDirectory() as name, busy(0 if args.idle else os.cpu_count() or 1):
        loop = Path(name) / "loop"
        subprocess.run(
            [str(MPICH / "mpicc"), "-O2", "-o", str(loop), str(Path(__file__).with_name("loop.c"))],
            check=True,
        )
        rounds = [(plain(loop, args), synchronised(args)) for _ in range(args.rounds)]
    print(f"{os.getloadavg()[0]:.1f} load average; first quartiles in µs, loop and {args.sync}:")
    for plain_s, window_s in rounds:
        print(f"  {1e6 * plain_s:8.2f} {1e6 * window_s:8.2f}  {window_s / plain_s:6.2f} ×")
    ratio = statistics.median(window_s / plain_s for plain_s, window_s in rounds)
    met = ratio <= LIMIT
    print(f"median {ratio:.2f} ×, limit {LIMIT} ×: {'met' if met else 'missed'}")
    return 0 if met else 1


def launched(options: argparse.Namespace, *words: str) -> str:
    """What a program with ranks prints."""
    command = [str(MPICH / "mpiexec"), "-n", str(options.ranks), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout


def plain(loop: Path, options: argparse.Namespace) -> float:
    """Seconds by the loop."""
    return float(launched(options, str(loop), str(options.bytes)))


def synchronised(arguments: argparse.Namespace) -> float:
    """Seconds by the harness."""
    program = BUILDS / "mpich" / "bin" / "collectives"
    options = (
        "--ops",
        "allgather",
        "--bytes",
        str(arguments.bytes),
        "--sync",
        arguments.sync,
        "--budget",
        "10",
    )
    for line in launched(arguments, str(program), *options).splitlines():
        read = json.loads(line) if line.startswith("{") else {}
        if read.get("metric") == "latency_quantile_s":
            return float(read["values"][0])
    raise SystemExit("collectives reported no latency")


if __name__ == "__main__":
    sys.exit(main())
