"""GAP and the Graph500 reference code as users have built them, on one thread or rank."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from measuring import AS_ROOT, mpirun

if TYPE_CHECKING:
    from measuring import Timed

KERNELS: Final = {"sssp": "sssp", "bfs": "bfs", "bc": "bc", "cc": "cc", "pagerank": "pr", "triangles": "tc"}
"""GAP's names of ours."""
OPTIONS: Final = {
    "sssp": ("-d", "2"),
    "bc": ("-i", "1"),
    "pagerank": ("-t", "1e-4", "-i", "100"),
}
TRIALS: Final = 3


class Gap:
    """The GAP Benchmark Suite (Beamer, Asanović, Patterson: arXiv:1508.03619)."""

    def __init__(self, directory: Path, timed: Timed) -> None:
        for name in (*KERNELS.values(), "converter"):
            if not (directory / name).is_file():
                sys.exit(f"error: no {directory / name}\n\nhint: --gapbs is a checkout in which make has run")
        self._directory = directory
        self._timed = timed

    def convert(self, edges: Path) -> None:
        """Make what kernels read of a text with `source target weight` a line, beside it."""
        # Only shortest paths have weights there, which are whole numbers.
        plain = edges.with_suffix(".el")
        with edges.open() as weighted, plain.open("w") as written:
            written.writelines(f"{' '.join(line.split()[:2])}\n" for line in weighted)
        for source, suffix, options in ((edges, ".wsg", ("-w",)), (plain, ".sg", ())):
            target = str(edges.with_suffix(suffix))
            command = [str(self._directory / "converter"), "-f", str(source), "-s", *options, "-b", target]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def seconds(self, verb: str, edges: Path, root: int | None) -> float:
        """The median of some trials of a kernel, from one root where it has any."""
        file = edges.with_suffix(".wsg" if verb == "sssp" else ".sg")
        words = ["-f", str(file), "-n", str(TRIALS), *OPTIONS.get(verb, ())]
        words += [] if root is None else ["-r", str(root)]
        command = self._timed.command([str(self._directory / KERNELS[verb]), *words])
        env = {**os.environ, "OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
        trials = re.findall(r"^Trial Time: +([0-9.]+)", done.stdout, re.MULTILINE)
        return statistics.median(map(float, trials))


class Reference:
    """The reference code of Graph500, version 3."""

    def __init__(self, program: Path, starter: str | None, timed: Timed) -> None:
        if not program.is_file():
            sys.exit(f"error: no {program}\n\nhint: --graph500 is a program graph500_reference_bfs_sssp")
        self._program = program
        self._starter = starter or mpirun("mpich")
        self._timed = timed

    def teps(self, scale: int) -> dict[str, float]:
        """Harmonic means over 64 roots, of ``bfs`` and ``sssp``."""
        command = self._timed.command([str(self._program), str(scale)])
        done = subprocess.run(
            [self._starter, "-n", "1", *command],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **AS_ROOT, "SKIP_VALIDATION": "1"},
        )
        text = done.stdout + done.stderr
        result = {}
        for verb in ("bfs", "sssp"):
            (rate,) = re.findall(rf"{verb} +harmonic_mean_TEPS: *!? *([0-9.e+]+)", text)
            result[verb] = float(rate)
        return result
