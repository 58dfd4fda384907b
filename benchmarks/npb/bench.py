"""The NAS kernels of workloads/npb beside another implementation of them, in randomised blocks.

``./dev bench npb --peer DIR``: DIR has its programs as NPB's Makefiles leave them (``cg.W`` or ``cg.W.x``),
such as ``NPB-OMP/bin`` of GMAP's C++ port after ``make cg CLASS=W``; ours are those of ``./dev mpi plain``.
Without ``--peer``, ours twice. Kernel seconds are what the programs say, and a run counts where its result is
verified.
Limits: no kernel below 1 × of the peer's speed, EP at least 5 ×, memory at most 1.1 ×.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import sys
import tempfile
from pathlib import Path
from typing import Final

from steelyard import Laboratory
from steelyard.errors import MachineError, SteelyardError
from steelyard.spec import experiment

OURS: Final = Path(__file__).resolve().parents[2] / "build" / "workloads" / "plain" / "bin" / "npb"
KERNELS: Final = ("ep", "cg", "mg", "ft", "is")
LEAST_SPEED: Final = {"ep": 5.0}
"""Times the speed of the peer; 1 for the others."""
MOST_MEMORY: Final = 1.1
SECONDS: Final = r'(?:Time in seconds *= *|"metric":"time_s".*"values":\[)([0-9.eE+-]+)'
VERIFIED: Final = r'Verification *= *SUCCESSFUL|"metric":"time_s"'


def peer_program(peer: Path, kernel: str, size: str) -> Path:
    """The peer's program.

    Raises
    ------
    MachineError
        It is not there.
    """
    for name in (f"{kernel}.{size}", f"{kernel}.{size}.x"):
        if (peer / name).is_file():
            return peer / name
    raise MachineError(
        f"--peer {peer}: neither {kernel}.{size} nor {kernel}.{size}.x is there",
        hint=f"in its tree: make {kernel} CLASS={size}, and name the directory that it fills",
    )


def laboratory(given: argparse.Namespace, kernel: str, size: str, threads: int, at: Path) -> Laboratory:
    """Both programs on one problem; ours twice where no peer is named, as a null."""
    ours = [str(given.npb), kernel, "--class", size, "--threads", str(threads)]
    other = [str(peer_program(given.peer, kernel, size))] if given.peer else ours
    asked = experiment(
        name=f"{kernel} {size}, {threads} threads",
        program={
            "commands": {"peer": other, "ours": ours},
            "env": {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": given.wait},
            "verify": {"stdout": VERIFIED},
        },
        metrics={"kernel_s": {"pattern": SECONDS, "unit": "s"}},
        design={"blocks": given.blocks, "seed": given.seed},
    )
    return Laboratory(asked, record=at / f"{kernel}-{size}-{threads}.lab")


def ratio(lab: Laboratory, metric: str) -> tuple[float, str]:
    """How many times better ours is, and the 95 % interval as text."""
    (judged,) = lab.analyze(metric=metric).value.judged
    value = getattr(judged.speedup, "value", math.nan)
    interval = judged.ci95
    return value, "–" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"


def means(lab: Laboratory, metric: str) -> dict[str, float]:
    """Of each program."""
    return {
        str(sample.treatment.levels["command"]): float(sum(sample.values) / len(sample.values))
        for sample in lab.samples(metric)
    }


def row(lab: Laboratory, kernel: str) -> tuple[str, bool]:
    """One line of the table, and whether it keeps the limits."""
    seconds, memory = means(lab, "kernel_s"), means(lab, "rss_bytes")
    speed, interval = ratio(lab, "kernel_s")
    cpu, cpu_interval = ratio(lab, "cpu_s")
    larger = memory["ours"] / memory["peer"]
    kept = speed >= LEAST_SPEED.get(kernel, 1.0) and larger <= MOST_MEMORY
    text = (
        f"{seconds['peer']:9.3f} {seconds['ours']:9.4f}   {speed:6.2f} × ({interval:>16})"
        f"   {cpu:6.2f} × ({cpu_interval:>16})   {larger:5.2f} ×   {'kept' if kept else 'MISSED'}"
    )
    return text, kept


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--peer", type=Path, help="directory of the peer's programs, such as cg.W")
    parser.add_argument(
        "--npb", type=Path, default=OURS, help="our program (default: that of ./dev mpi plain)"
    )
    parser.add_argument("--kernels", nargs="+", choices=KERNELS, default=KERNELS)
    parser.add_argument("--classes", nargs="+", choices=tuple("SWAB"), default=["W", "A"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--wait", choices=("passive", "active"), default="passive")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main() -> int:
    """Measure and print; 1 where a limit is missed."""
    given = options()
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} CPUs, load average {load:.1f}, {given.blocks} blocks, threads wait {given.wait}")
    print(
        "kernel class threads   peer s    ours s   speed (95 %)                 process CPU (95 %)"
        "           memory   limits"
    )
    all_kept = True
    try:
        if not given.npb.is_file():
            raise MachineError(f"{given.npb} is missing", hint="./dev mpi plain")
        with tempfile.TemporaryDirectory() as name:
            for size, kernel, threads in itertools.product(given.classes, given.kernels, given.threads):
                lab = laboratory(given, kernel, size, threads, Path(name))
                lab.run()
                text, kept = row(lab, kernel)
                all_kept = all_kept and (kept or given.peer is None)
                print(f"{kernel:<6} {size:<5} {threads:7d} {text}", flush=True)
    except SteelyardError as error:
        sys.stderr.write(f"error: {error.message}\n" + (f"\nhint: {error.hint}\n" if error.hint else ""))
        return error.exit_code
    return 0 if all_kept else 1


if __name__ == "__main__":
    sys.exit(main())
