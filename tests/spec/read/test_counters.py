from __future__ import annotations

from steelyard.run.counters import EVENTS
from steelyard.spec.read.counters import COUNTERS
from steelyard.units import BUILTIN


def test_a_spec_may_ask_for_every_event_that_the_runner_knows_and_no_trial_has_anyway():
    assert set(COUNTERS) == set(EVENTS) - set(BUILTIN)
