"""The workloads as ``./dev mpi`` builds them, started for real."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from programs import ROOT, STARTING, Ended, built

SMPIMAIN = Path("/usr/lib/x86_64-linux-gnu/simgrid/smpimain")
FLAT = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<cluster id="flat" prefix="node-" suffix="" radical="0-63" speed="10Gf" bw="12.5GBps" lat="1us"
         sharing_policy="SPLITDUPLEX"/>
</platform>
"""


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., Ended]:
    """``start("mpich", "collectives", 4, "--ops", "bcast")``: ranks on this machine, as many as asked for."""

    def run(library: str, program: str, ranks: int, *arguments: str, **env: str) -> Ended:
        path = built(library, f"bin/{program}")
        prefix = ROOT / ".cache" / "mpi" / library
        words, variables = STARTING[library]
        metrics = tmp_path / "metrics"
        metrics.unlink(missing_ok=True)
        surroundings = {
            **os.environ,
            **variables,
            "PATH": f"{prefix / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "STEELYARD_METRICS": str(metrics),
            **env,
        }
        done = subprocess.run(
            [str(prefix / "bin" / "mpirun"), *words, "-n", str(ranks), str(path), *arguments],
            env={**surroundings, "I_MPI_ROOT": str(prefix)} if library == "impi" else surroundings,
            capture_output=True,
            text=True,
            check=False,
        )
        return Ended(done, metrics)

    return run


@pytest.fixture
def openmpi(start: Callable[..., Ended]) -> Callable[..., Ended]:
    """The same with Open MPI."""
    return lambda *options, **env: start("openmpi", *options, **env)


@pytest.fixture
def simulated(tmp_path: Path) -> Callable[..., Ended]:
    """``simulated("collectives", 16, …)`` on a flat network; ``configuration`` goes to SimGrid."""
    platform, hosts = tmp_path / "flat.xml", tmp_path / "hosts"
    platform.write_text(FLAT)
    hosts.write_text("".join(f"node-{i}\n" for i in range(64)))

    def run(program: str, ranks: int, *arguments: str, configuration: tuple[str, ...] = ()) -> Ended:
        path = built("smpi", f"bin/{program}")
        metrics = tmp_path / "metrics"
        metrics.unlink(missing_ok=True)
        settings = (
            "smpi/privatization:1",
            f"smpi/np:{ranks}",
            f"smpi/hostfile:{hosts}",
            "surf/precision:1e-9",
            "network/model:SMPI",
            "smpi/simulate-computation:no",
            "smpi/os:0:0.4e-6:8e-11",
            "smpi/or:0:0.4e-6:8e-11",
            "smpi/ois:0:0.4e-6:8e-11",
            *configuration,
        )
        done = subprocess.run(
            [
                str(SMPIMAIN),
                str(path),
                *(f"--cfg={setting}" for setting in settings),
                "--log=root.thres:warning",
                str(platform),
                *arguments,
            ],
            env={**os.environ, "SMPI_GLOBAL_SIZE": str(ranks), "STEELYARD_METRICS": str(metrics)},
            capture_output=True,
            text=True,
            check=False,
        )
        return Ended(done, metrics)

    return run
