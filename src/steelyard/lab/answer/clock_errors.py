"""What the clock of a record adds to the uncertainty of elapsed times, as far as the record knows it."""

from __future__ import annotations

import math
from typing import Final

from steelyard.stats.uncertainty.type_b import TypeB
from steelyard.store import Record

TIMED: Final = "wall_s"
"""The metric that is two readings of that clock."""


def clock_errors(record: Record, metric: str) -> tuple[TypeB, ...]:
    """The step of the clock, one error for each treatment, and what a reading costs, which all share.

    Both are the largest that any run found, and upper bounds: u = size / sqrt(12) for an error anywhere
    between 0 and the size (GUM F.2.2.1).
    """
    if metric != TIMED:
        return ()
    facts = [run.host for run in record.runs()]
    errors = []
    for name, key, shared in (
        ("step of the clock", "clock_step_s", False),
        ("cost of reading the clock", "clock_cost_s", True),
    ):
        sizes = [float(host[key]) for host in facts if isinstance(host.get(key), int | float)]
        if sizes and max(sizes) > 0:
            errors.append(TypeB(name, max(sizes) / math.sqrt(12), shared=shared, measured=True))
    return tuple(errors)
