"""What is said of other work, of two states and of the order within pairs; the wait for a quiet machine."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from steelyard.extensions.gate.benchmark import BenchmarkOfSuite, Pair
from steelyard.extensions.gate.disturbance import (
    ORDER_ALPHA,
    STEP_S,
    note_order,
    note_states,
    note_waits,
    wait_quiet,
)
from steelyard.extensions.gate.results import GatedMetric
from steelyard.run.host import HostLoad

TIME = GatedMetric("time_s", "s", "lower", 0.03)


def benchmark(base, head, first=(), name="sort", metric=TIME):
    entry = BenchmarkOfSuite(0, name, name, metric, 0.03, (1.0, 1.0))
    order = first if len(first) else [False] * len(base)
    entry.add(
        [Pair(*map(float, pair), bool(is_first)) for *pair, is_first in zip(base, head, order, strict=True)]
    )
    return entry


@pytest.mark.parametrize(("waited_s", "words"), [(0.0, None), (1.0, None), (34.0, "34 %"), (900.0, "100 %")])
def test_waits_for_cpus_are_said_from_one_per_cent_on(waited_s, words):
    notes = note_waits(waited_s, 100.0)
    assert bool(notes) == (words is not None)
    assert words is None or f"waited for one {words} of their time" in notes[0]
    assert note_waits(0.0, 0.0) == []


def test_two_states_of_a_side_are_named_with_their_distance():
    rng = np.random.default_rng(480)
    steady = np.exp(rng.normal(0, 0.002, 40))
    states = steady * np.where(np.arange(40) % 4 == 0, 1.13, 1.0)
    (note,) = note_states([benchmark(steady, states), benchmark(steady, steady[::-1])])
    assert note.startswith(
        "sort has two states, by process: 13 % apart in head (25 % of processes in the rarer"
    )
    count = GatedMetric("allocs", "", "lower")
    assert note_states([benchmark(steady, states, metric=count)]) == []
    assert note_states([benchmark([], [])]) == []
    notes = note_states([benchmark(steady, states, name=f"b{place}") for place in range(5)])
    assert len(notes) == 4
    assert notes[-1] == "2 more benchmarks have two states, too."


def pairs(rng, blocks, effect):
    first = rng.permutation(np.arange(blocks) % 2 == 0)
    noise = rng.normal(0, 0.01, (2, blocks))
    base = np.exp(noise[0] + np.where(first, 0.0, effect))
    head = np.exp(noise[1] + np.where(first, effect, 0.0))
    return base, head, first


def test_what_runs_second_and_takes_longer_is_named_with_the_effect():
    rng = np.random.default_rng(481)
    (note,) = note_order([benchmark(*pairs(rng, 40, 0.06)), benchmark(*pairs(rng, 40, 0.0), name="find")])
    assert note.startswith("The order within pairs matters for sort: what runs second takes 6")
    assert note.endswith("% longer.")
    (note,) = note_order([benchmark(*pairs(rng, 40, -0.06))])
    assert note.endswith("% less.")


def test_order_that_does_not_matter_is_seldom_named():
    """400 suites of two at 1 % are 4 ± 2.0 by the rank sum, exact for these sizes."""
    rng = np.random.default_rng(482)
    named = sum(
        bool(note_order([benchmark(*pairs(rng, 16, 0.0)), benchmark(*pairs(rng, 16, 0.0))]))
        for _ in range(400)
    )
    assert named <= 400 * ORDER_ALPHA + 3 * 2.0


@pytest.mark.parametrize("first", [[True] * 8, [False] * 8])
def test_pairs_of_one_order_say_nothing(first):
    assert note_order([benchmark(range(1, 9), range(2, 10), first)]) == []


class Machine:
    """Readings whose CPU time grows by so many CPUs in each step; no time passes."""

    def __init__(self, *cpus: float) -> None:
        self._cpus = itertools.chain(cpus, itertools.repeat(cpus[-1]))
        self.at_s = self._busy_s = 0.0

    def read(self) -> HostLoad:
        return HostLoad(self.at_s, self._busy_s, 0.0, None, None, None, None)

    def sleep(self, seconds: float) -> None:
        self.at_s += seconds
        self._busy_s += next(self._cpus) * seconds


def test_a_gate_begins_after_three_quiet_readings():
    machine, messages = Machine(2.0, 0.0, 1.5, 0.0), []
    assert wait_quiet(600.0, messages.append, machine.read, machine.sleep) is None
    assert machine.at_s == 6 * STEP_S
    assert messages == ["waiting up to 10 min for a quiet machine"]


def test_a_machine_that_is_never_quiet_is_said_and_the_gate_begins():
    machine = Machine(1.8)
    note = wait_quiet(60.0, lambda _: None, machine.read, machine.sleep)
    assert machine.at_s == 60.0
    assert note == "The machine was not quiet within 1 min: other work used 1.8 CPUs when the gate began."
