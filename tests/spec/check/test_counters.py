from __future__ import annotations

from steelyard.spec.check.program import COUNTERS
from steelyard.units import BUILTIN


def test_what_every_trial_has_cannot_be_asked_for_as_a_counter():
    assert not set(COUNTERS) & set(BUILTIN)
    assert {"instructions", "cycles", "task_clock"} <= set(COUNTERS)
