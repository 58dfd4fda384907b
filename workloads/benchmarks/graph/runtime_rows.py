"""Rows of the runtime: what a message of 8 bytes, and what a switch of fibres costs."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Final

from measuring import ONCE, elapsed, fastest, held_to, lines_of, median_ratio, mpirun, show

if TYPE_CHECKING:
    import argparse

UPDATES: Final = 4_000_000
TABLE_BITS: Final = 13  # 8,192 entries a rank, near the 10,000 bins of the peer's default.
UPDATE_LIMIT_NS: Final = 6.0
PEER_LIMIT: Final = 0.5
SWITCH_LIMITS_NS: Final = {1_000: 15.0, 100_000: 25.0}
SWITCHES: Final = 20_000_000


def updates(arguments: argparse.Namespace) -> bool:
    """Nanoseconds a message of 8 bytes and rank, two ranks, and those of the peer in turns."""
    took: dict[str, list[float]] = {"openmpi": [], "mpich": []}
    peer: list[float] = []
    for _ in range(arguments.rounds):
        for library, values in took.items():
            options = ("--ops", "updates", "--updates", str(UPDATES), "--table-bits", str(TABLE_BITS))
            lines = lines_of(library, 2, "runtime", *ONCE, *options)
            values.append(1e9 * fastest(lines, "time_s") / UPDATES)
        if arguments.conveyors is not None:
            peer.append(conveyors_ns(arguments))
    met = True
    for library, values in took.items():
        value = statistics.median(values)
        met &= held_to(f"8-byte updates, 2 ranks, {library}", value, "ns", UPDATE_LIMIT_NS)
    if peer:
        show("conveyors", statistics.median(peer), "ns")
        ours = [min(values) for values in zip(*took.values(), strict=True)]
        met &= held_to("the faster over conveyors", median_ratio(ours, peer), "x", PEER_LIMIT)
    return met


def conveyors_ns(options: argparse.Namespace) -> float:
    """The same of the peer, which does not time itself: many updates less few, so that the start cancels.

    It draws its targets between its messages, ours are drawn before.
    """
    start = [options.conveyors_mpirun or mpirun("openmpi"), "-n", "2", options.conveyors, "10000"]
    few, many = UPDATES // 4, 5 * UPDATES
    return 1e9 * (elapsed([*start, str(many)]) - elapsed([*start, str(few)])) / (many - few)


def switches(arguments: argparse.Namespace) -> bool:
    """Nanoseconds from the scheduler to a fibre and back, with few and with many fibres."""
    met = True
    dense = ("--stack-bytes", "8192", "--stack-pages", "huge")
    for live, limit in SWITCH_LIMITS_NS.items():
        rounds = SWITCHES // live
        count = ("--live", str(live), "--rounds", str(rounds))
        options = ("--ops", "switches", "--execution", "fibre", *count, *dense)
        values = [
            1e9 * fastest(lines_of("openmpi", 1, "runtime", *ONCE, *options), "time_s") / (live * rounds)
            for _ in range(arguments.rounds)
        ]
        met &= held_to(f"fibre switch and back, {live:,} live", statistics.median(values), "ns", limit)
    return met


ROWS: Final = {"updates": updates, "switches": switches}
