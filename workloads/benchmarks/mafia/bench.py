"""MAFIA beside the code behind the paper: the sum of gen, dedup, pcount and unjoin, in turns, one thread.

Options: ``--peer DIRECTORY`` (a checkout of cppmafia, gpumafia's folder of that name, which is built in a
temporary directory), ``--rounds N``, ``-k N``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from measuring import BUILDS, build

MAFIA: Final = BUILDS / "plain" / "bin" / "mafia"
PHASES: Final = ("gen", "dedup", "pcount", "unjoin")
LIMIT: Final = 0.5
THEIRS: Final = re.compile(r"^finding (?:and dedup|dense|unjoined).*: ([0-9.e+-]+) s$", re.MULTILINE)


def main() -> int:
    """Print the medians, their ratio and the peak of memory; 1 where the limit is not met."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--peer", type=Path, metavar="DIRECTORY")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("-k", type=int, default=14)
    args = parser.parse_args()
    build("plain")
    with tempfile.TemporaryDirectory() as name:
        points = generate(Path(name) / "points.dat", args.k)
        peer = build_peer(args.peer, Path(name)) if args.peer else None
        ours, theirs, peak = [], [], 0.0
        for _ in range(args.rounds):
            seconds, peak = run_ours(points)
            ours.append(seconds)
            if peer is not None:
                theirs.append(run_peer(peer, points))
    print(f"n = 100,000, d = 20, m = 3, k = {args.k}, one thread; medians of {args.rounds}")
    print(f"mafia     {statistics.median(ours):8.3f} s   peak {peak / 1e6:.0f} MB")
    if not theirs:
        return 0
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
    print(f"cppmafia  {statistics.median(theirs):8.3f} s")
    print(f"ratio     {ratio:8.3f}     limit {LIMIT}: {'met' if ratio <= LIMIT else 'NOT MET'}")
    return 0 if ratio <= LIMIT else 1


def generate(path: Path, k: int) -> Path:
    """Points for both; the notes on what is planted are ours, and left out."""
    subprocess.run([MAFIA, "generate", "--data", path, "--cluster-dimensions", str(k)], check=True)
    lines = [line for line in path.read_text().splitlines(keepends=True) if not line.startswith("#")]
    path.write_text("".join(lines))
    return path


def run_ours(points: Path) -> tuple[float, float]:
    """Seconds of the four phases, and the peak of memory in bytes."""
    once = ("--warmup", "0", "--repetitions", "1", "--precision", "0")
    # Lines go to stdout where no file is named.
    env = {name: value for name, value in os.environ.items() if name != "STEELYARD_METRICS"}
    done = subprocess.run(
        [MAFIA, "cluster", "--data", points, *once], capture_output=True, text=True, check=True, env=env
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    seconds = sum(
        line["values"][0]
        for line in lines
        if line["metric"] == "phase_s" and line["labels"]["phase"] in PHASES
    )
    return seconds, next(line["values"][0] for line in lines if line["metric"] == "peak_bytes")


def build_peer(checkout: Path, directory: Path) -> Path:
    """Compile the peer's sources as its makefile does with g++."""
    program = directory / "cppmafia"
    sources = sorted(str(path) for path in (checkout / "src").glob("*.cpp"))
    if not sources:
        sys.exit(
            f"error: {checkout}/src has no C++ sources\n\nhint: --peer names the folder cppmafia of gpumafia"
        )
    subprocess.run(["g++", "-w", "-fopenmp", "-O3", "-std=gnu++98", *sources, "-o", program], check=True)
    return program


def run_peer(program: Path, points: Path) -> float:
    """Seconds of the same phases, as it says itself."""
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [program, "--seq", "--timing", points], capture_output=True, text=True, check=True, env=env
    )
    result = [float(value) for value in THEIRS.findall(done.stdout + done.stderr)]
    if len(result) != 3:
        sys.exit("error: the peer does not say what its phases took")
    return sum(result)


if __name__ == "__main__":
    sys.exit(main())
