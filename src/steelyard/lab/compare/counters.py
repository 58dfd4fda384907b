"""Counters that a comparison asks for, held to what this machine counts before anything runs."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.core.errors import MachineError
from steelyard.run.host import host_facts
from steelyard.run.runner.capabilities import PARANOID, find_missing_counters, has_forbidden_counters
from steelyard.run.runner.counter_sources import explain_missing


def refuse_missing_counters(names: Sequence[str]) -> None:
    """Refuse events that this machine does not count: nothing of them would be seen.

    Raises
    ------
    MachineError
        Names the events and the reason.
    """
    missing = find_missing_counters(names)
    if not missing:
        return
    facts = host_facts()
    explained = explain_missing(missing[0])
    if explained is not None:
        reason, hint = explained
        hint = hint or "leave them out here; steelyard doctor lists what is counted"
    elif has_forbidden_counters(facts):
        reason = f"kernel.perf_event_paranoid is {facts['perf_event_paranoid']}"
        hint = f"sysctl kernel.perf_event_paranoid={PARANOID}, or count in user mode: {missing[0]}:u"
    elif facts.get("virtualization"):
        reason = "the hypervisor shows none of these to its guests"
        hint = "leave them out here; steelyard doctor lists what is counted"
    else:
        reason = "the processor or the kernel has none of these"
        hint = "leave them out here; steelyard doctor lists what is counted"
    raise MachineError(f"{', '.join(missing)}: not available on this machine, since {reason}", hint=hint)
