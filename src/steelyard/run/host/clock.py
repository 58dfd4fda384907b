"""The clock that times the trials: where it comes from, how fine it is and what a reading costs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

from steelyard.run.host import files
from steelyard.units import Scalar

_READINGS: Final = 2000
"""Takes a fifth of a millisecond when the clock is read without a system call, 2 ms when not."""


def clock_facts(root: Path) -> Iterator[tuple[str, Scalar | None]]:
    """Name and value of each fact. Step and cost are upper bounds: Python adds its part to each reading."""
    source = root / "sys/devices/system/clocksource/clocksource0"
    yield "clock_source", files.text(source / "current_clocksource")
    yield "clock_sources_available", files.text(source / "available_clocksource")
    step_s, cost_s = _measure()
    yield "clock_step_s", step_s
    yield "clock_cost_s", cost_s


def _measure() -> tuple[float | None, float]:
    """The smallest step seen between two readings (``None``: it stood still), and the mean cost of one."""
    read = time.monotonic_ns
    readings = [read() for _ in range(_READINGS)]
    steps = [later - earlier for earlier, later in pairwise(readings) if later > earlier]
    cost_s = (readings[-1] - readings[0]) / (_READINGS - 1) * 1e-9
    return (min(steps) * 1e-9 if steps else None), cost_s
