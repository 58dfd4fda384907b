"""The NAS kernels beside another implementation of them, in turns.

``./dev bench npb --peer DIR``: DIR has its programs as NPB's Makefiles leave them (``cg.W`` or ``cg.W.x``),
such as ``NPB-OMP/bin`` of GMAP's C++ port after ``make cg CLASS=W``; ours are those of ``./dev mpi plain``.
Without ``--peer``, ours twice. Kernel seconds are what the programs say, and a run counts where its result is
verified. Figures are medians of the rounds' own ratios, with least and most; which begins a round is
drawn. Limits: no kernel below 1 × of the peer's speed, EP at least 5 ×, memory at most 1.1 ×.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from measuring import BUILDS, build

OURS: Final = BUILDS / "plain" / "bin" / "npb"
KERNELS: Final = ("ep", "cg", "mg", "ft", "is", "bt", "sp", "lu")
LEAST_SPEED: Final = {"ep": 5.0}
"""Times the speed of the peer; 1 for the others."""
MOST_MEMORY: Final = 1.1
SECONDS: Final = re.compile(r'(?:Time in seconds *= *|"metric":"time_s".*"values":\[)([0-9.eE+-]+)')
VERIFIED: Final = re.compile(r'Verification *= *SUCCESSFUL|"metric":"time_s"')


class Run(NamedTuple):
    """What one run took: kernel and CPU seconds, and peak memory in bytes."""

    kernel_s: float
    cpu_s: float
    memory_bytes: int


def peer_program(peer: Path, kernel: str, size: str) -> Path:
    """The peer's program; ends the benchmark where it is not there."""
    for name in (f"{kernel}.{size}", f"{kernel}.{size}.x"):
        if (peer / name).is_file():
            return peer / name
    raise SystemExit(
        f"error: --peer {peer}: neither {kernel}.{size} nor {kernel}.{size}.x is there\n\n"
        f"hint: in its tree: make {kernel} CLASS={size}, and name the directory that it fills"
    )


def run(command: list[str], threads: int, wait: str) -> Run:
    """Run a program once; ends the benchmark where its result is not verified."""
    env = {name: value for name, value in os.environ.items() if name != "STEELYARD_METRICS"}
    env |= {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": wait}
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, env=env)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    seconds = SECONDS.search(text)
    if process.returncode or seconds is None or not VERIFIED.search(text):
        raise SystemExit(f"error: {' '.join(command)}: exit code {process.returncode}, not verified\n{text}")
    return Run(float(seconds[1]), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def show_row(name: str, pairs: list[tuple[Run, Run]], least_speed: float) -> bool:
    """Print a row of (peer, ours) of each round; whether its limits are kept."""
    speeds = [peer.kernel_s / ours.kernel_s for peer, ours in pairs]
    cpu = [peer.cpu_s / ours.cpu_s for peer, ours in pairs]
    larger = statistics.median(ours.memory_bytes / peer.memory_bytes for peer, ours in pairs)
    is_met = statistics.median(speeds) >= least_speed and larger <= MOST_MEMORY
    columns = [
        f"{statistics.median(values):6.2f} × ({f'{min(values):.2f} to {max(values):.2f}':>16})"
        for values in (speeds, cpu)
    ]
    print(name, *columns, f"{larger:5.2f} ×   {'kept' if is_met else 'MISSED'}", sep="   ", flush=True)
    return is_met


def read_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--peer", type=Path, help="directory of the peer's programs, such as cg.W")
    parser.add_argument("--kernels", nargs="+", choices=KERNELS, default=KERNELS)
    parser.add_argument("--classes", nargs="+", choices=tuple("SWAB"), default=["W", "A"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--wait", choices=("passive", "active"), default="passive")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main() -> int:
    """Measure and print; 1 where a limit is missed."""
    options = read_options()
    build("plain")
    order = random.Random(options.seed)
    load = os.getloadavg()[0]
    print(
        f"{os.cpu_count()} CPUs, load average {load:.1f}, {options.rounds} rounds,"
        f" threads wait {options.wait}"
    )
    print(
        "kernel class threads   speed (least to most)         process CPU                   memory   limits"
    )
    all_kept = True
    for size, kernel, threads in itertools.product(options.classes, options.kernels, options.threads):
        ours = [str(OURS), kernel, "--class", size, "--threads", str(threads)]
        peer = [str(peer_program(options.peer, kernel, size))] if options.peer else ours
        pairs = []
        for _ in range(options.rounds):
            runs: dict[int, Run] = {}
            for turn in order.sample([0, 1], 2):
                runs[turn] = run((peer, ours)[turn], threads, options.wait)
            pairs.append((runs[0], runs[1]))
        row = show_row(f"{kernel:<6} {size:<5} {threads:7d}", pairs, LEAST_SPEED.get(kernel, 1.0))
        all_kept = all_kept and (row or options.peer is None)
    return 0 if all_kept else 1


if __name__ == "__main__":
    sys.exit(main())
