"""``steelyard doctor``: what can and cannot be observed and controlled here, and what that means for results.

It judges the facts that are stored with every run.
"""

from __future__ import annotations

import time
from typing import Final

from steelyard.core.errors import MachineError
from steelyard.extensions.doctor import access, processor, surroundings
from steelyard.extensions.doctor.finding import HostState
from steelyard.extensions.doctor.results import WORST_FIRST, HostFinding, HostReport
from steelyard.run.host import HostLoad, host_facts
from steelyard.run.runner.capabilities import capabilities
from steelyard.run.runner.counter_facts import ENERGY, TREE, describe_sources

__all__ = ["examine", "inspect_host"]

_WATCH_S: Final = 0.5
"""Long enough that a tick of the kernel's accounting is 2 % of a CPU."""


def inspect_host() -> HostReport:
    """Inspect this machine; takes half a second, in which nothing of ours runs."""
    before = HostLoad.read()
    time.sleep(_WATCH_S)
    load = HostLoad.read().since(before)
    facts = host_facts() | describe_sources((*TREE, *ENERGY))
    try:
        facts |= capabilities()
    except MachineError as error:
        stuck = HostFinding("runner", "problem", error.message, "Nothing can be measured here.", error.hint)
        return HostReport(dict(sorted(facts.items())), (stuck, *examine(HostState(facts, load))), able=False)
    return HostReport(dict(sorted(facts.items())), examine(HostState(facts, load)), able=True)


def examine(host: HostState) -> tuple[HostFinding, ...]:
    """Collect the findings of all checks, worst first."""
    checks = (*surroundings.CHECKS, *access.CHECKS, *processor.CHECKS)
    return tuple(
        sorted((check(host) for check in checks), key=lambda finding: WORST_FIRST.index(finding.weight))
    )
