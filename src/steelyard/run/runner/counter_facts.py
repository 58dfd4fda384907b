"""Facts of a run about what its counters are read from, and what the machine takes while it idles."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from steelyard.core.counters import EVENTS, find_event
from steelyard.core.units import Scalar
from steelyard.run.host.control_groups import find_control_groups
from steelyard.run.host.energy import find_energy_source
from steelyard.run.launch.launch import Launch
from steelyard.run.runner.runner import probe_launches

ENERGY: Final = tuple(name for name, event in EVENTS.items() if event.source == "energy")
TREE: Final = tuple(name for name, event in EVENTS.items() if event.source == "tree")
_IDLE_S: Final = "0.5"
"""RAPL counts anew about every millisecond."""


def describe_sources(names: Sequence[str], root: Path = Path("/")) -> dict[str, Scalar]:
    """Return ``NAME_source`` for each counter of energy or of the tree.

    It says where the counter is read, or why it cannot be.
    """
    facts: dict[str, Scalar] = {}
    for name in names:
        event, _ = find_event(name)
        if event.source == "energy":
            facts[f"{name}_source"] = str(find_energy_source(event.domain, root))
        elif event.source == "tree":
            groups = find_control_groups(root)
            able = groups.base is not None and (groups.memory or name != "tree_memory_bytes")
            facts[f"{name}_source"] = f"cgroup v2 in {groups.base}" if able else groups.reason
    return facts


def measure_idle_power(names: Sequence[str]) -> dict[str, Scalar]:
    """``NAME_idle_w`` for each counter of energy: watts over half a second in which a program sleeps.

    Other work of the machine is in it as it is in every trial.

    Raises
    ------
    MachineError
        The runner cannot start here.
    """
    energy = tuple(name for name in names if find_event(name)[0].source == "energy")
    sleep = shutil.which("sleep")
    if not energy or sleep is None:
        return {}
    (idle,) = probe_launches([Launch(sleep, (sleep, _IDLE_S), (), "/", counters=energy)])
    return {
        f"{name}_idle_w": joules / (idle.wall_ns * 1e-9)
        for name, joules in idle.counters.items()
        if joules is not None and idle.wall_ns
    }
