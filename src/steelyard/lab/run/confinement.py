"""Limits of a trial, and what sets it apart from the host: refused at once where they would not hold."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from steelyard.core.errors import MachineError
from steelyard.run.host.control_groups import find_control_groups
from steelyard.run.launch.launch import Launch
from steelyard.run.measure.start_failure import start_failure
from steelyard.run.runner.runner import find_runner, probe_launches
from steelyard.spec.tables.program import Program

_HINTS: Final = {
    "isolate = true": "run Steelyard as root: no overlay shows a whole file system in a user namespace",
    "network = false": "run Steelyard as root, or as: unshare --map-root-user --net steelyard …",
}


def refuse_limits(program: Program, root: Path = Path("/")) -> None:
    """Refuse limits for which this machine has no control groups; starts nothing.

    Parameters
    ----------
    root : Path
        Where /proc and /sys hang.

    Raises
    ------
    MachineError
        Names the key, and why its limit would not hold.
    """
    if not program.has_limits:
        return
    key = "cpu_limit" if program.cpu_limit_s is not None else "memory_limit"
    groups = find_control_groups(root)
    if groups.base is not None and program.memory_limit_bytes is not None and not groups.memory:
        key = "memory_limit"
    elif groups.base is not None:
        return
    instead = "ulimit -v in the command limits the address space of each process"
    hint = groups.hint or (instead if key == "memory_limit" else f"leave {key} out")
    raise MachineError(f"{key} is not available on this machine: {groups.reason}", hint=hint)


def refuse_confinement(program: Program) -> None:
    """Refuse limits, a file system and a network of a trial's own where the runner cannot give them to one.

    Raises
    ------
    MachineError
        Names the key, and what the kernel said when it was tried once.
    """
    refuse_limits(program)
    if not program.isolate and program.network:
        return
    runner = str(find_runner().absolute())
    plain = Launch(runner, (runner,), (), "/")
    with tempfile.TemporaryDirectory(prefix="steelyard-") as stage:
        trials = {
            "isolate = true": replace(plain, root_path=stage) if program.isolate else plain,
            "network = false": replace(plain, network_off=not program.network),
        }
        for key, raw in zip(trials, probe_launches(list(trials.values())), strict=True):
            if raw.status != "ok":
                raise MachineError(
                    f"{key} is not available on this machine: a trial {start_failure(raw)}", hint=_HINTS[key]
                )
