"""``scheduling``: the scheduler's class of the program (``sched_setscheduler(2)``, in the child).

A program of a real-time class runs whenever it can and nothing of lower class does, Steelyard and the rest of
the machine included. So that a machine survives that, the kernel lets real-time classes have
``sched_rt_runtime_us`` of every ``sched_rt_period_us`` (0.95 s of 1 s): a program that computes longer
without a pause is stalled for the remaining 50 ms, which is then part of its time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import ClassVar, Final

from steelyard.core.units import Scalar
from steelyard.interventions.launch_change import LaunchChange, SchedulingClass
from steelyard.interventions.named import Named
from steelyard.interventions.rights import CAP_SYS_NICE, has_capability

_CLASSES: Final = {
    "other": SchedulingClass(os.SCHED_OTHER),
    "batch": SchedulingClass(os.SCHED_BATCH),
    "idle": SchedulingClass(os.SCHED_IDLE),
    "fifo": SchedulingClass(os.SCHED_FIFO, 1),
    "rr": SchedulingClass(os.SCHED_RR, 1),
}
_REALTIME: Final = ("fifo", "rr")


def may_be_realtime() -> bool:
    """Whether this process may start a child in a real-time class of the lowest priority."""
    if has_capability(CAP_SYS_NICE):
        return True
    import resource

    return resource.getrlimit(resource.RLIMIT_RTPRIO)[0] != 0


class Scheduling(Named):
    """The scheduler's class."""

    name: ClassVar[str] = "scheduling"
    about: ClassVar[str] = "the scheduler's class of the program; real-time ones are stalled 50 ms a second"
    levels_text: ClassVar[str] = '"other" (the usual one), "batch", "idle", "fifo" or "rr" (real time)'
    levels: ClassVar[tuple[str, ...]] = tuple(_CLASSES)

    def __init__(self, realtime: Callable[[], bool] = may_be_realtime) -> None:
        self.realtime = realtime

    def missing(self, level: Scalar) -> str | None:
        """Missing for the level: the right to real time."""
        if level not in _REALTIME or self.realtime():
            return None
        return "real-time classes need CAP_SYS_NICE (root) or a limit on rtprio (ulimit -r)"

    def change(self, level: Scalar) -> LaunchChange:
        """Return the class; the level ``other`` sets it too, since Steelyard itself may run in another."""
        return LaunchChange(scheduling=_CLASSES[str(level)])
