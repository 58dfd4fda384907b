"""``Measurement``: everything that is known of one finished trial."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from steelyard.core.units import Scalar

Status = Literal["ok", "failed", "timed_out", "spawn_failed", "hook_failed"]
"""``ok`` ran and passed its verification; ``failed`` ran and did not; the others say what came in between."""


class Value(msgspec.Struct, frozen=True):
    """One value of a metric that is not built in: iteration ``i`` (from 0) under ``labels``."""

    metric: str
    value: float
    i: int = 0
    labels: Mapping[str, Scalar] = {}


class Measurement(msgspec.Struct, frozen=True, gc=False):
    """One finished trial. ``None`` is "not observed here", never zero.

    The collector of garbage need not look at it, nor at other structs of one trial: none can hold what holds
    it. Up to ``reason``, the fields are the columns of a record's table, with these names.

    Attributes
    ----------
    trial : int
        From 1, by place in the plan: ``(block - 1) * trials_per_block + place``.
    block, place : int
        Both from 1.
    start_ns : int
        Unix time.
    wall_ns : int
        From before the start to after the end, start-up included.
    user_us, system_us : int
        Sampled at clock ticks one by one; their sum is exact.
    argv_bytes, env_bytes : int
        What the kernel copied to the stack of the program, so that equal contexts can be proved.
    left_processes : int
        Descendants that outlived the program and were ended.
    reason : str or None
        In words, where the status is not ``ok``.
    stdout, stderr : bytes or None
        Captured output of a trial that is not ``ok``; ``None`` otherwise, since its values are extracted.
    """

    trial: int
    block: int
    place: int
    treatment: int
    status: Status
    start_ns: int
    wall_ns: int
    user_us: int
    system_us: int
    rss_bytes: int
    minor_faults: int
    major_faults: int
    voluntary_switches: int
    involuntary_switches: int
    queue_wait_ns: int | None
    exit_code: int | None
    signal: int | None
    cpu: int | None
    argv_bytes: int
    env_bytes: int
    left_processes: int
    reason: str | None = None
    values: tuple[Value, ...] = ()
    stdout: bytes | None = None
    stderr: bytes | None = None
