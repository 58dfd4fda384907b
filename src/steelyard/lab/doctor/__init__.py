"""``steelyard doctor``: what can and cannot be observed and controlled here, and what that means for results.

It judges the facts that are stored with every run.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

import msgspec

from steelyard.errors import MachineError
from steelyard.lab.doctor import access, processor, surroundings
from steelyard.lab.doctor.finding import WORST_FIRST, Finding, HostState
from steelyard.run.host import HostLoad, host_facts
from steelyard.run.runner.capabilities import capabilities
from steelyard.units import Scalar

__all__ = ["Finding", "Report", "examine", "inspect_host"]

_WATCH_S: Final = 0.5
"""Long enough that a tick of the kernel's accounting is 2 % of a CPU."""


class Report(msgspec.Struct, frozen=True):
    """What was found, worst first, and the facts that it rests on.

    Attributes
    ----------
    able : bool
        Whether anything can be measured here at all.
    """

    facts: Mapping[str, Scalar]
    findings: tuple[Finding, ...]
    able: bool


def inspect_host() -> Report:
    """Look at this machine; takes half a second, in which nothing of ours runs."""
    before = HostLoad.read()
    time.sleep(_WATCH_S)
    load = HostLoad.read().since(before)
    facts = host_facts()
    try:
        facts |= capabilities()
    except MachineError as error:
        stuck = Finding("runner", "problem", error.message, "Nothing can be measured here.", error.hint)
        return Report(facts, (stuck, *examine(HostState(facts, load))), able=False)
    return Report(facts, examine(HostState(facts, load)), able=True)


def examine(host: HostState) -> tuple[Finding, ...]:
    """What every check finds, worst first."""
    checks = (*surroundings.CHECKS, *access.CHECKS, *processor.CHECKS)
    return tuple(sorted((check(host) for check in checks), key=lambda each: WORST_FIRST.index(each.weight)))
