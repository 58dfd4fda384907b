"""Capabilities of this machine: what can be observed and set, found by trying it once through the runner.

The facts of ``run.host`` are the settings of a machine; whether a container's filter lets a setting through,
and which counters its hypervisor exposes, only a trial shows.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from steelyard.core.units import Scalar
from steelyard.interventions import INTERVENTIONS
from steelyard.interventions.named import Named
from steelyard.run.launch.launch import Launch
from steelyard.run.runner.counter_facts import TREE
from steelyard.run.runner.runner import find_runner, probe_launches

HARDWARE: Final = ("cycles", "instructions", "cache_misses", "branch_misses")
PARANOID: Final = 1
"""The largest kernel.perf_event_paranoid at which anybody may count, the kernel's part included."""
SOFTWARE: Final = ("task_clock", "page_faults", "context_switches", "cpu_migrations")


@lru_cache(maxsize=1)
def capabilities() -> dict[str, Scalar]:
    """Facts in the manner of ``host_facts``, found once for each process.

    ``counters_available`` and ``counters_missing`` are names joined by commas, of ``HARDWARE``,
    ``SOFTWARE`` and ``TREE``; ``interventions_missing`` of interventions or their levels.

    To be asked for where no trial runs or will run within a second: the first counter of a machine makes its
    kernel change its own code and wait for every CPU, 10 to 30 ms, and change it back a second later.

    Raises
    ------
    MachineError
        The runner cannot start here.
    """
    # Any program will do; this one is there, and says how it is called.
    program = str(find_runner().absolute())
    plain = Launch(program, (program,), (), "/", queue_wait=True)
    cpu = min(os.sched_getaffinity(0))
    observed, unrandomised, pinned, counting = probe_launches(
        [
            plain,
            replace(plain, aslr_off=True),
            replace(plain, affinity=(cpu,)),
            replace(plain, counters=(*HARDWARE, *SOFTWARE, *TREE)),
        ]
    )
    available = [name for name, value in counting.counters.items() if value is not None]
    return {
        "aslr_can_be_off": unrandomised.status == "ok",
        "affinity_can_be_set": pinned.status == "ok" and pinned.cpu == cpu,
        "queue_wait_available": observed.queue_wait_ns is not None,
        "compiler_available": shutil.which("cc") is not None,
        "interventions_missing": ",".join(_list_missing()),
        "counters_available": ",".join(available),
        "counters_missing": ",".join(name for name in counting.counters if name not in available),
    }


def find_missing_counters(names: Sequence[str]) -> tuple[str, ...]:
    """Those of these events that this machine does not count, tried once through the runner.

    Raises
    ------
    MachineError
        The runner cannot start here.
    """
    program = str(find_runner().absolute())
    (counting,) = probe_launches([Launch(program, (program,), (), "/", counters=tuple(names))])
    return tuple(name for name in names if counting.counters.get(name) is None)


def has_forbidden_counters(facts: Mapping[str, Scalar]) -> bool:
    """Whether the kernel keeps counters from users of this machine, which root could change.

    Parameters
    ----------
    facts : mapping of str to Scalar
        ``host_facts()``.
    """
    paranoid = facts.get("perf_event_paranoid")
    return isinstance(paranoid, int) and paranoid > PARANOID and not facts.get("virtualization")


def _list_missing() -> Iterator[str]:
    """Interventions that cannot be made here, as ``name``, and levels of others, as ``name=level``."""
    for name, intervention in INTERVENTIONS.items():
        # A few names, of which some may be missing; of numbers, the first speaks for all.
        levels = intervention.levels if isinstance(intervention, Named) else intervention.population()[-1:]
        lacks = [level for level in levels if intervention.missing(level) is not None]
        if lacks and len(lacks) == len(levels):
            yield name
        else:
            yield from (f"{name}={level}" for level in lacks)
