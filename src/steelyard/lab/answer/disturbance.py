"""Other programs, and other machines of the same host, that used the CPUs while a record was made."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from steelyard.results.notice import Notice
from steelyard.run.host.conditions import THROTTLED
from steelyard.run.host.machine_counts import OVERHEATED, SWAPPED
from steelyard.store import Disturbance, Reading

LITTLE_BYTES: Final = 1 << 24
"""Swapped by a machine that has memory to spare, now and then."""
DISTURBED_SHARE: Final = 0.01
"""Fraction of the elapsed time below which other load explains little of what is compared."""


def select_disturbed(disturbances: Collection[Disturbance]) -> list[Disturbance]:
    """Treatments that waited for a CPU for more than a fraction of their time."""
    return [disturbance for disturbance in disturbances if disturbance.queue_wait_share > DISTURBED_SHARE]


def note_cpus(
    record: Reading, names: tuple[str, ...], among: Collection[Disturbance], spent_s: float
) -> list[Notice]:
    """Warnings about CPUs that programs did not have: quota, other programs, other machines of the host.

    The wait that the kernel shows of a program contains that for its quota. Where a quota stopped the control
    group for longer than that explains little, it is named instead of others.

    Parameters
    ----------
    names : tuple of str
        What the treatments in ``among`` are called together.
    spent_s : float
        Elapsed time of all trials.
    """
    runs = record.runs()
    throttled_s = sum(float(run.host.get(THROTTLED, 0.0)) for run in runs)
    if spent_s and throttled_s / spent_s > DISTURBED_SHARE:
        limits = [float(run.host["cgroup_cpu_limit"]) for run in runs if "cgroup_cpu_limit" in run.host]
        quota = f"A CPU quota ({min(limits):g} CPUs)" if limits else "A CPU quota"
        waits = [Notice("throttled", fields={"quota": quota, "throttled_s": throttled_s})]
    else:
        waits = _note_waits(names, among)
    return waits + _note_steal(record, spent_s) + _note_counts(record)


def _note_counts(record: Reading) -> list[Notice]:
    """Warnings about heat, and about swapping of more than little."""
    facts = [run.host for run in record.runs()]
    throttles = sum(int(host.get(OVERHEATED, 0)) for host in facts)
    swapped = sum(float(host.get(SWAPPED, 0)) for host in facts)
    notices = [Notice("overheated", fields={"times": f"{throttles:,}"})] if throttles else []
    return notices + ([Notice("swapped", fields={"moved": swapped})] if swapped > LITTLE_BYTES else [])


def _note_waits(names: tuple[str, ...], among: Collection[Disturbance]) -> list[Notice]:
    """Warning about treatments that waited, with the largest share; none where none did."""
    shares = [disturbance.queue_wait_share for disturbance in among]
    return [Notice("disturbed", names, {"share": max(shares)})] if shares else []


def _note_steal(record: Reading, spent_s: float) -> list[Notice]:
    """Warning about time of the CPUs that the hypervisor gave to others during the runs."""
    stolen_s = sum(batch.steal_s or 0.0 for batch in record.batches())
    cpus = max((int(run.host.get("cpus_online", 1)) for run in record.runs()), default=1)
    share = stolen_s / (spent_s * cpus) if spent_s else 0.0
    return [Notice("stolen", fields={"share": share})] if share > DISTURBED_SHARE else []
