"""Where ``./dev mpi`` puts the programs, and what came of one that was started."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

ROOT = Path(__file__).parents[3]
BUILDS = ROOT / "build" / "workloads"

THROTTLE = "MPIR_CVAR_CH4_PROGRESS_THROTTLE"
STARTING = {
    "openmpi": (
        ("--map-by", ":OVERSUBSCRIBE"),
        {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_osc": "^ucx"},
    ),
    "mpich": (
        ("-bind-to", "none"),
        {"UCX_TLS": "self,sm", THROTTLE: "1", f"{THROTTLE}_NO_PROGRESS_COUNT": "10"},
    ),
    "impi": ((), {"I_MPI_FABRICS": "shm", "I_MPI_PIN": "0"}),
}
"""Words and variables by which a library starts more ranks than there are CPUs.

Ranks of one machine need no network: UCX refuses to start where a device goes away while it reads the list.
"""


def built(name: str, program: str) -> Path:
    """A program of a build tree; skips the test where it is not built."""
    path = BUILDS / name / program
    if not path.is_file():
        pytest.skip(f"the workloads are not built for {name}: ./dev mpi {name}")
    return path


class Ended:
    """How a job ended, and the lines of the protocol that it wrote."""

    def __init__(self, done: subprocess.CompletedProcess[str], metrics: Path) -> None:
        self.code = done.returncode
        self.stdout = done.stdout
        self.stderr = done.stderr
        text = metrics.read_bytes() if metrics.exists() else b""
        self.lines: list[dict[str, Any]] = [msgspec.json.decode(line) for line in text.splitlines()]

    def values(self, metric: str, **labels: object) -> list[float]:
        """The values of the only line with this metric and these labels."""
        result: list[float]
        (result,) = [
            line["values"]
            for line in self.lines
            if line["metric"] == metric and labels.items() <= line["labels"].items()
        ]
        return result
