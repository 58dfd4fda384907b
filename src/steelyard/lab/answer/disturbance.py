"""Other programs, and other machines of the same host, that used the CPUs while a record was made."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from steelyard.results.notice import Notice
from steelyard.store import Disturbance, Reading

DISTURBED_SHARE: Final = 0.01
"""Fraction of the elapsed time below which other load explains little of what is compared."""


def select_disturbed(disturbances: Collection[Disturbance]) -> list[Disturbance]:
    """Treatments that waited for a CPU for more than a fraction of their time."""
    return [disturbance for disturbance in disturbances if disturbance.queue_wait_share > DISTURBED_SHARE]


def note_waits(names: tuple[str, ...], among: Collection[Disturbance]) -> list[Notice]:
    """Warning about treatments that waited, with the largest share; none where none did."""
    shares = [disturbance.queue_wait_share for disturbance in among]
    return [Notice("disturbed", names, {"share": max(shares)})] if shares else []


def stolen(record: Reading, spent_s: float) -> list[Notice]:
    """Warning about time of the CPUs that the hypervisor gave to others during the runs."""
    stolen_s = sum(batch.steal_s or 0.0 for batch in record.batches())
    cpus = max((int(run.host.get("cpus_online", 1)) for run in record.runs()), default=1)
    share = stolen_s / (spent_s * cpus) if spent_s else 0.0
    return [Notice("stolen", fields={"share": share})] if share > DISTURBED_SHARE else []
