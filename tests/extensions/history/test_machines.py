"""Which records of a history were measured under the same conditions."""

from __future__ import annotations

import msgspec
import pytest

from steelyard.extensions.history.machines import Machines
from steelyard.lab.summary.condensing import MACHINE
from steelyard.store.summaries import Condensed

NOW = {"cpu_model": "A", "kernel": "6.1", "nice": 0, "policy": "other", "cpus": "0-3", "smt": True}
EARLIER = {"cpu_model": "A", "kernel": "6.1"}


def find(machines, host):
    text = msgspec.json.encode(host, order="sorted").decode()
    return machines.find(Condensed("0" * 16, "it.lab", 0, "it", "wall_s", "{}", text, {}))


@pytest.mark.parametrize(
    ("fact", "value", "words"),
    [
        ("nice", 10, "nice value: 0 → 10"),
        ("cpus", "0", "CPUs that programs may use: 0-3 → 0"),
        ("cgroup_cpu_limit", 0.5, "CPU quota (CPUs): none → 0.5"),
        ("smt", False, "SMT: on → off"),
    ],
)
def test_a_condition_that_changed_makes_another_machine(fact, value, words):
    machines = Machines(MACHINE)
    assert [find(machines, host) for host in (NOW, NOW, {**NOW, fact: value}, NOW)] == [1, 1, 2, 1]
    assert machines.describe_break(1, 2) == (words,)
    ignoring = Machines([name for name in MACHINE if name != fact])
    assert [find(ignoring, host) for host in (NOW, {**NOW, fact: value})] == [1, 1]


def test_a_record_without_conditions_is_of_the_machine_that_it_does_not_contradict():
    machines = Machines(MACHINE)
    hosts = (EARLIER, {**NOW, "cgroup_cpu_limit": 0.5}, NOW, {**EARLIER, "kernel": "6.2"}, EARLIER, {})
    assert [find(machines, host) for host in hosts] == [1, 1, 2, 3, 1, 4]
    assert machines.describe_break(3, 4) == ("nothing known",)


def test_a_name_of_a_host_makes_no_other_machine():
    machines = Machines(MACHINE)
    assert [find(machines, {**NOW, "hostname": name}) for name in "ab"] == [1, 1]
