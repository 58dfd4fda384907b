"""Why benchmarks stay open: other work, two states of the machine, the order within pairs; and a quiet hour.

Verdicts stand whatever is said here: blocks in random order allow for all of it, at the price of wide
intervals.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from steelyard.core.units import format_duration
from steelyard.extensions.gate.benchmark import BenchmarkOfSuite
from steelyard.extensions.gate.sides import SIDES
from steelyard.lab.answer.disturbance import DISTURBED_SHARE
from steelyard.report.text.digits import percent
from steelyard.run.host import HostLoad
from steelyard.stats.describe.bimodality import gap
from steelyard.stats.hypothesis.holm import holm
from steelyard.stats.hypothesis.mann_whitney import rank_sum

MOST_NAMED: Final = 3
"""Benchmarks that one sentence names."""
STEP_S: Final = 5.0
"""Between two readings of what a machine does; shorter ones are too coarse by clock ticks."""
QUIET_CPUS: Final = 0.1
"""CPUs that others may use on a quiet machine: demons and the shell."""
QUIET_STEPS: Final = 3
"""Quiet readings one after the other, after which a gate begins."""
ORDER_ALPHA: Final = 0.01
"""Probability to say of any benchmark that order matters, where it does not."""

Tell = Callable[[str], None]


def note_waits(waited_s: float, spent_s: float) -> list[str]:
    """Say that processes waited for CPUs that other work used."""
    share = waited_s / spent_s if spent_s else 0.0
    if share <= DISTURBED_SHARE:
        return []
    text = (
        f"Other work took CPUs: processes waited for one {percent(min(1.0, share))} of their time, which"
        " widens intervals. --wait-quiet 10min begins when the machine is quiet."
    )
    return [text]


def note_states(benchmarks: Sequence[BenchmarkOfSuite]) -> list[str]:
    """Say which open benchmarks have two states, process by process, and how far these are apart."""
    sentences = []
    for entry in benchmarks:
        if not entry.has_ratio or entry.metric.is_count:
            continue
        gaps = {
            side: gap(np.asarray(values))
            for side, values in zip(SIDES, (entry.base, entry.head), strict=True)
        }
        parts = [
            f"{percent(state.ratio - 1)} apart in {side} ({percent(state.share)} of processes in the rarer)"
            for side, state in gaps.items()
            if state is not None
        ]
        if parts:
            sentences.append(f"{entry.title} has two states, by process: {' and '.join(parts)}.")
    return _limit(sentences, "have two states, too")


def note_order(benchmarks: Sequence[BenchmarkOfSuite]) -> list[str]:
    """Say of which benchmarks the difference depends on which side ran first (rank sum, Holm)."""
    tested = []
    for entry in benchmarks:
        if not entry.has_ratio or len(entry.is_base_first) != len(entry.base):
            continue
        first = np.asarray(entry.is_base_first)
        differences = entry.differences
        after, before = differences[first], differences[~first]
        outcome = rank_sum(after, before)
        if outcome is not None:
            tested.append((entry, outcome.p, float(np.median(after) - np.median(before)) / 2))
    judged = holm([p for _, p, _ in tested], ORDER_ALPHA)
    sentences = [
        f"The order within pairs matters for {entry.title}: what runs second takes"
        f" {percent(abs(np.expm1(effect)))} {'longer' if effect > 0 else 'less'}."
        for (entry, _, effect), verdict in zip(tested, judged, strict=True)
        if verdict.rejected
    ]
    return _limit(sentences, "depend on the order, too")


def wait_quiet(
    most_s: float,
    tell: Tell,
    read: Callable[[], HostLoad] = HostLoad.read,
    sleep: Callable[[float], None] = time.sleep,
) -> str | None:
    """Wait until other programs leave the CPUs alone; return what to say where they never did.

    Parameters
    ----------
    most_s : float
        The longest wait; after it the gate begins all the same.
    """
    earlier = began = read()
    quiet = 0
    cpus = 0.0
    tell(f"waiting up to {format_duration(most_s)} for a quiet machine")
    while quiet < QUIET_STEPS:
        sleep(STEP_S)
        now = read()
        change = now.since(earlier)
        cpus = (change.busy_s + change.steal_s) / change.elapsed_s if change.elapsed_s > 0 else 0.0
        quiet = quiet + 1 if cpus <= QUIET_CPUS else 0
        earlier = now
        if quiet < QUIET_STEPS and now.at_s - began.at_s >= most_s:
            return (
                f"The machine was not quiet within {format_duration(most_s)}: other work used {cpus:.1f} CPUs"
                " when the gate began."
            )
    return None


def _limit(sentences: list[str], verb: str) -> list[str]:
    surplus = len(sentences) - MOST_NAMED
    return [*sentences[:MOST_NAMED], f"{surplus} more benchmarks {verb}."] if surplus > 0 else sentences
