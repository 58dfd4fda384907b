"""Which runs were on one machine."""

from __future__ import annotations

import pytest

from steelyard.lab.merge.machines import RunOfMachine, name_machines
from steelyard.store.entries import Run


def place(host, boot="", *, record="r", name="NAME", **facts):
    return RunOfMachine(record, name, Run(1, 0, 1, boot, {"hostname": host, **facts}, "complete"))


@pytest.mark.parametrize(
    ("places", "names"),
    [
        ([place("a", "1"), place("b", "2"), place("a", "3")], ["a", "b", "a"]),
        # Containers of one machine have names of their own and share its boot.
        ([place("c1", "1"), place("c2", "1"), place("c3", "2")], ["c1", "c1", "c3"]),
        # Hosted runners share a name, and each has a boot of its own.
        (
            [place("vm", "1", virtualization="kvm"), place("vm", "2", virtualization="kvm")],
            ["vm-1", "vm-2"],
        ),
        # The boot of a job's record is that of the machine that handed it in.
        ([place("n1", "1", submitted_from="x"), place("n2", "1", submitted_from="x")], ["n1", "n2"]),
        ([place("a"), place("b")], ["a", "b"]),
    ],
)
def test_a_machine_is_known_by_its_boot_then_by_its_name(places, names):
    assert name_machines(places, "host") == names


def test_each_record_is_a_machine_where_that_is_asked():
    places = [
        place("a", "1", record="x", name="first"),
        place("a", "1", record="y", name="second"),
        place("a", "1", record="x", name="first"),
        place("a", "1", record="z", name="first"),
    ]
    assert name_machines(places, "record") == ["first-1", "second", "first-1", "first-2"]
