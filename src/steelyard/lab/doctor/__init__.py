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
from steelyard.lab.doctor.finding import WORST_FIRST, Finding, Patient
from steelyard.run.host import HostLoad, host_facts
from steelyard.run.runner.capabilities import abilities
from steelyard.units import Scalar

__all__ = ["Checkup", "Finding", "checkup", "examine"]

_WATCH_S: Final = 0.5
"""Long enough that a tick of the kernel's accounting is 2 % of a CPU."""


class Checkup(msgspec.Struct, frozen=True):
    """What was found, worst first, and the facts that it rests on.

    Attributes
    ----------
    able : bool
        Whether anything can be measured here at all.
    """

    facts: Mapping[str, Scalar]
    findings: tuple[Finding, ...]
    able: bool


def checkup() -> Checkup:
    """Look at this machine; takes half a second, in which nothing of ours runs."""
    before = HostLoad.read()
    time.sleep(_WATCH_S)
    load = HostLoad.read().since(before)
    facts = host_facts()
    try:
        facts |= abilities()
    except MachineError as error:
        stuck = Finding("runner", "spoils", error.message, "Nothing can be measured here.", error.hint)
        return Checkup(facts, (stuck, *examine(Patient(facts, load))), able=False)
    return Checkup(facts, examine(Patient(facts, load)), able=True)


def examine(patient: Patient) -> tuple[Finding, ...]:
    """What every check finds, worst first."""
    checks = (*surroundings.CHECKS, *access.CHECKS, *processor.CHECKS)
    return tuple(
        sorted((check(patient) for check in checks), key=lambda each: WORST_FIRST.index(each.weight))
    )
