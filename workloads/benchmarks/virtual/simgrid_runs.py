"""Programs on SimGrid's flat network, as ``kind = "smpi"`` starts them."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

from measuring import BUILDS

SMPIMAIN: Final = Path("/usr/lib/x86_64-linux-gnu/simgrid/smpimain")
PLATFORM: Final = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="flat" prefix="node-" suffix="" radical="0-4095" speed="10Gf" bw="12.5GBps" lat="1us"
           sharing_policy="SPLITDUPLEX"/>
</platform>
"""
SETTINGS: Final = (
    *("smpi/privatization:1", "surf/precision:1e-9", "network/model:SMPI", "smpi/simulate-computation:no"),
    *("smpi/host-speed:10Gf", "smpi/os:0:0.4e-6:8e-11", "smpi/or:0:0.4e-6:8e-11", "smpi/ois:0:0.4e-6:8e-11"),
    *("smpi/test:1e-7", "smpi/grow-injected-times:no"),
    *("smpi/barrier:ompi_recursivedoubling", "smpi/bcast:binomial_tree", "smpi/allreduce:rdb"),
)


def simgrid_lines(ranks: int, program: str, *arguments: str) -> list[dict[str, Any]]:
    """The lines of a program on so many simulated ranks."""
    with tempfile.TemporaryDirectory() as name:
        platform, hosts = Path(name) / "flat.xml", Path(name) / "hosts"
        platform.write_text(PLATFORM)
        hosts.write_text("".join(f"node-{i}\n" for i in range(ranks)))
        settings = (*SETTINGS, f"smpi/np:{ranks}", f"smpi/hostfile:{hosts}")
        words = [str(SMPIMAIN), str(BUILDS / "smpi" / "bin" / program)]
        words += [*(f"--cfg={setting}" for setting in settings), "--log=root.thres:warning"]
        env = {key: value for key, value in os.environ.items() if key != "STEELYARD_METRICS"}
        done = subprocess.run(
            [*words, str(platform), *arguments],
            capture_output=True,
            text=True,
            check=True,
            env={**env, "SMPI_GLOBAL_SIZE": str(ranks)},
        )
    return [json.loads(line) for line in done.stdout.splitlines()]
