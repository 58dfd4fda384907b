"""Passes over the timed tests of a file, or of a group in several files.

Each runs all of them once, in random order, with their fixtures set up again, and gives each one value.
Neighbouring values share what the machine did meanwhile.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

import msgspec
import pytest
from _pytest.runner import runtestprotocol

from steelyard.extensions.pytest import reference
from steelyard.extensions.pytest.fixture import TimedTest

TIMED: Final = pytest.StashKey[TimedTest]()
"""Where a test keeps what it measures."""


class Ran(msgspec.Struct):
    """A test, the reports that it ends with, and the order in which passes took it.

    Attributes
    ----------
    item : pytest.Item
    reports : list of pytest.TestReport
        Of its first pass that failed, was skipped or measured nothing; else of its last.
    beside : list of float
        Seconds that the reference took just before each of its passes.
    """

    item: pytest.Item
    reports: list[pytest.TestReport]
    beside: list[float] = msgspec.field(default_factory=list)

    @property
    def timed(self) -> TimedTest:
        """What it measured."""
        return self.item.stash[TIMED]


def run_passes(
    items: Sequence[pytest.Item], nextitem: pytest.Item | None, *, blocks: int, seed: str
) -> tuple[list[Ran], list[list[int]]]:
    """Run all tests of a file or group, once to find their warm-up, then ``blocks`` times.

    Returns
    -------
    ran : list of Ran
        In the order of ``items``.
    orders : list of lists of int
        For each block the places in ``items`` of what was timed, in the order of execution.
    """
    ran = [Ran(item, []) for item in items]
    orders: list[list[int]] = []
    draw = random.Random(seed)
    beside = reference.loop()
    going = list(range(len(items)))
    shared = _find_shared(items)
    tear_down(items[0], shared)
    for block in range(blocks + 1):
        order = draw.sample(going, len(going)) if block else list(going)
        for position, place in enumerate(order):
            last = block == blocks and position + 1 == len(order)
            if block:
                ran[place].beside.append(beside.time())
            _run(ran[place], nextitem if last else shared)
        stopped = {place for place in order if not _sound(ran[place])}
        going = [place for place in going if place not in stopped]
        orders += [[place for place in order if place not in stopped]] if block else []
        if not going:
            break
    if not going:
        tear_down(items[0], nextitem)
    return ran, [[place for place in order if place in going] for order in orders]


def _find_shared(items: Sequence[pytest.Item]) -> pytest.Collector:
    """Return where what is set up stays until the last of these tests has ended.

    That is their file, or of several files the directory around them, so that fixtures of a file are set up
    again for each of its tests.
    """
    chains = [item.listchain() for item in items]
    around = [
        node
        for node in chains[0]
        if isinstance(node, pytest.Collector)
        and not isinstance(node, pytest.Class)
        and all(node in chain for chain in chains)
    ]
    return around[-1]


def _run(ran: Ran, nextitem: pytest.Item | pytest.Collector | None) -> None:
    ran.timed.called = False
    ran.reports = runtestprotocol(ran.item, log=False, nextitem=nextitem)  # type: ignore[arg-type]  # its chain is asked for


def run_alone(ran: Ran) -> bool:
    """Run a test once, in turns with those of another process.

    The fixtures of its file stay set up. Returns whether it passed and measured something.
    """
    _run(ran, _find_shared([ran.item]))
    return _sound(ran)


def _sound(ran: Ran) -> bool:
    """Whether the test passed and measured something, so that another pass makes sense."""
    return ran.timed.called and all(report.passed for report in ran.reports)


def tear_down(item: pytest.Item, nextitem: pytest.Item | pytest.Collector | None) -> None:
    """Tear down what was kept for another test than the one that comes."""
    # pytest has no public name for it, and asks the next item for its chain only.
    item.session._setupstate.teardown_exact(nextitem)  # type: ignore[arg-type]  # noqa: SLF001
