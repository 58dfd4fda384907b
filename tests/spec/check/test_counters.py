from __future__ import annotations

import pytest

from steelyard.core.errors import SpecError
from steelyard.core.units import BUILTIN
from steelyard.spec import experiment
from steelyard.spec.check.program import COUNTERS


def test_what_every_trial_has_cannot_be_asked_for_as_a_counter():
    assert not set(COUNTERS) & set(BUILTIN)
    assert {"instructions", "cycles", "task_clock"} <= set(COUNTERS)


@pytest.mark.parametrize("name", ["tree_cpu_s", "energy_pkg_j", "power/energy-pkg/"])
def test_what_is_found_on_this_machine_is_not_counted_on_others(name):
    program = {"command": ["true"], "counters": [name]}
    experiment(program=program)
    with pytest.raises(SpecError, match=f"{name} is found on this machine, and kind = 'slurm'"):
        experiment(program=program, launch={"kind": "slurm"})
    experiment(program={"command": ["true"], "counters": ["instructions"]}, launch={"kind": "slurm"})
