"""``kind = "smpi"``: SimGrid runs all ranks in one process, on a machine that it simulates.

The program is compiled with ``smpicxx``. Times are simulated ones; nothing of what the ranks compute takes
any, and the same program gives the same times to the bit.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from steelyard.core.errors import MachineError, UsageError
from steelyard.core.units import Scalar
from steelyard.files.user_directories import locate_cache
from steelyard.run.launch.launch import Launch
from steelyard.run.launch.launcher.mpi_library import NAMES, find_library
from steelyard.run.launch.launcher.noise import noise_library, settings_of
from steelyard.run.launch.launcher.simulator import simulator
from steelyard.run.launch.preloading import preload
from steelyard.spec.platform import list_places
from steelyard.spec.ranks import ranks_of
from steelyard.spec.simulated import scatter_seed, seed_text, shares_of
from steelyard.spec.tables.launch import SimulatedLaunch
from steelyard.spec.text.placeholders import expand

SETTINGS: Final = (
    "smpi/privatization:1",
    # Times below this are lost; smpirun's own value.
    "surf/precision:1e-9",
    "network/model:SMPI",
    # What ranks compute takes no time, so that results do not depend on this machine.
    "smpi/simulate-computation:no",
    "smpi/host-speed:10Gf",
    # What a message costs its sender and receiver (LogGP's o): without, a root that talks to all of them one
    # after the other looks as fast as a tree.
    "smpi/os:0:0.4e-6:8e-11",
    "smpi/or:0:0.4e-6:8e-11",
    "smpi/ois:0:0.4e-6:8e-11",
    # By default a program that polls is made to wait longer and longer.
    "smpi/iprobe:1e-7",
    "smpi/test:1e-6",
    "smpi/grow-injected-times:no",
)


class Smpi:
    """Starts programs on simulated machines."""

    def __init__(self, launch: SimulatedLaunch, source: str) -> None:
        self._method = launch
        self._source = source
        self._hosts = locate_cache(os.environ) / "hosts"
        self._noise = locate_cache(os.environ) / "noise"

    def wrap_launch(self, launch: Launch, names: Mapping[str, str], run: str) -> Launch:  # noqa: ARG002 -- it keeps none
        """See ``Launcher``."""
        _refuse_linked(launch.path)
        method, ranks = self._method, ranks_of(self._method.ranks, names)
        platform, hosts = self._find_places(names)
        hostfile = self._write_hostfile(hosts)
        settings = [*SETTINGS, f"smpi/np:{ranks}", f"smpi/hostfile:{hostfile}"]
        if method.selector is not None:
            settings.append(f"smpi/coll-selector:{expand(method.selector, names)}")
        settings += [f"smpi/{op}:{expand(name, names)}" for op, name in method.algorithms.items()]
        starter, env = simulator().path, launch.env
        logs = ["--log=root.thres:warning"]
        if shares := shares_of(method, names):
            env = preload(env, noise_library(self._noise, simulator()))
            settings += settings_of(shares, seed_text(method, names))
            # Hosts warn that they do not cost what smpi/os and smpi/or say, which is what noise is.
            logs.append("--log=smpi_host.thres:error")
        words = (
            starter,
            launch.path,
            *(f"--cfg={setting}" for setting in settings),
            *logs,
            *(expand(word, names) for word in method.arguments),
            str(platform),
            *launch.argv[1:],
        )
        return replace(launch, path=starter, argv=words, env=(*env, f"SMPI_GLOBAL_SIZE={ranks}"))

    def check(self, launch: Launch, names: Mapping[str, str]) -> None:
        """See ``Launcher``; whether noise can be compiled, only trying would tell."""
        _refuse_linked(launch.path)
        self._find_places(names)
        shares_of(self._method, names)
        seed_text(self._method, names)
        simulator()

    def facts(self) -> Mapping[str, Scalar]:
        """Return the simulator."""
        return {"simulator": f"SimGrid {simulator().version}"}

    def _find_places(self, names: Mapping[str, str]) -> tuple[Path, list[str]]:
        """Return the platform, and the host of each rank."""
        platform, ranks = self._find_platform(names), ranks_of(self._method.ranks, names)
        return platform, list_places(platform, ranks, scatter_seed(self._method, names))

    def _find_platform(self, names: Mapping[str, str]) -> Path:
        text = expand(self._method.platform, names)
        path = Path(os.path.normpath(Path(self._source, text)))
        with_suffix = path.with_name(f"{path.name}.xml")
        for candidate in (path, with_suffix):
            if candidate.is_file():
                return candidate
        raise UsageError(
            f"platform {text!r} not found (looked for {path} and {with_suffix})",
            hint="give the path of an XML platform of SimGrid",
        )

    def _write_hostfile(self, hosts: list[str]) -> Path:
        """One host a line, a line a rank; named by its contents, so that it never changes."""
        text = "".join(f"{host}\n" for host in hosts)
        path = self._hosts / hashlib.sha256(text.encode()).hexdigest()[:24]
        if set(" \t\n,") & set(str(path)):
            # SimGrid takes what follows for another of its settings, and aborts.
            raise MachineError(
                f"SimGrid needs a cache whose path has neither blank nor comma, and it is {self._hosts}",
                hint="set XDG_CACHE_HOME to another directory",
            )
        if not path.is_file():
            self._hosts.mkdir(parents=True, exist_ok=True)
            # Whole or not there: another run may want it now.
            half = path.with_suffix(f".{os.getpid()}")
            half.write_text(text)
            half.replace(path)
        return path


def _refuse_linked(program: str) -> None:
    """Refuse a program of a real library: the simulator cannot load it, and says so of its copy only."""
    linked = find_library(program)
    if linked not in (None, "simgrid"):
        raise MachineError(
            f'{program} is linked to {NAMES[linked]}, and kind = "smpi" runs programs built for SimGrid',
            hint='compile it with smpicc or smpicxx, or write kind = "mpi" in [launch]',
        )
