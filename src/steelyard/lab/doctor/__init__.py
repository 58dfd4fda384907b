"""``steelyard doctor``: what can and cannot be observed and controlled here, and what that means for results.

It judges the facts that are stored with every run.
"""

from __future__ import annotations

import time
from typing import Final

from steelyard.answers.machine import WORST_FIRST, Checkup, MachineFinding
from steelyard.errors import MachineError
from steelyard.lab.doctor import access, processor, surroundings
from steelyard.lab.doctor.finding import Patient
from steelyard.run.host import HostLoad, host_facts
from steelyard.run.runner.capabilities import abilities

__all__ = ["checkup", "examine"]

_WATCH_S: Final = 0.5
"""Long enough that a tick of the kernel's accounting is 2 % of a CPU."""


def checkup() -> Checkup:
    """Look at this machine; takes half a second, in which nothing of ours runs."""
    before = HostLoad.read()
    time.sleep(_WATCH_S)
    load = HostLoad.read().since(before)
    facts = host_facts()
    try:
        facts |= abilities()
    except MachineError as error:
        stuck = MachineFinding("runner", "spoils", error.message, "Nothing can be measured here.", error.hint)
        return Checkup(dict(sorted(facts.items())), (stuck, *examine(Patient(facts, load))), able=False)
    return Checkup(dict(sorted(facts.items())), examine(Patient(facts, load)), able=True)


def examine(patient: Patient) -> tuple[MachineFinding, ...]:
    """What every check finds, worst first."""
    checks = (*surroundings.CHECKS, *access.CHECKS, *processor.CHECKS)
    return tuple(
        sorted((check(patient) for check in checks), key=lambda each: WORST_FIRST.index(each.weight))
    )
