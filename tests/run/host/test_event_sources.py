"""Devices as /sys describes them; the strings are those of an Intel processor under Linux 6."""

from __future__ import annotations

import pytest

from steelyard.core.errors import MachineError, UsageError
from steelyard.run.host.event_sources import DeviceEvent, find_device_event

DEVICES = "sys/bus/event_source/devices"


@pytest.fixture
def root(machine):
    files = {
        "cpu/type": "4\n",
        "cpu/format/event": "config:0-7\n",
        "cpu/format/umask": "config:8-15\n",
        "cpu/format/inv": "config:23\n",
        "cpu/format/ldlat": "config1:0-15\n",
        "cpu/format/split": "config2:0-3,32-35\n",
        "cpu/format/later": "config9:0-3\n",
        "cpu/events/mem-loads": "event=0xcd,umask=0x1,ldlat=3\n",
        "cpu/events/mem-stores": "event=0xd0,umask=0x82\n",
        "power/type": "23\n",
        "power/cpumask": "0,28-29\n",
        "power/format/event": "config:0-7\n",
        "power/events/energy-pkg": "event=0x02\n",
        "power/events/energy-pkg.scale": "2.3283064365386962890625e-10\n",
        "power/events/energy-pkg.unit": "Joules\n",
    }
    return machine({f"{DEVICES}/{name}": text for name, text in files.items()})


@pytest.mark.parametrize(
    ("name", "configs"),
    [
        ("cpu/mem-loads/", (0x1CD, 3, 0)),
        ("cpu/mem-loads,ldlat=30/", (0x1CD, 30, 0)),  # a later term takes the place of an earlier one
        ("cpu/event=0x3c,umask=2,inv/", (0x80023C, 0, 0)),
        ("cpu/config=0x1ff,config1=7/", (0x1FF, 7, 0)),
        ("cpu/split=0xa5/", (0, 0, 0xA << 32 | 0x5)),
    ],
)
def test_terms_fill_the_bits_of_their_format(root, name, configs):
    assert find_device_event(name, root) == DeviceEvent(4, configs)


def test_an_event_of_the_machine_has_its_cpus_its_scale_and_its_unit(root):
    assert find_device_event("power/energy-pkg/", root) == DeviceEvent(
        23, (2, 0, 0), (0, 28, 29), 2.0**-32, "Joules"
    )


@pytest.mark.parametrize(
    ("name", "error", "message", "hint"),
    [
        ("cqu/mem-loads/", MachineError, "no event source cqu", "did you mean cpu?"),
        ("gpu_x_y/a/", MachineError, "no event source gpu_x_y", "there are: cpu, power"),
        ("cpu/mem-load/", MachineError, "no event or term 'mem-load'", "mem-loads or mem-stores?"),
        ("cpu/umsk=1/", UsageError, "no event or term 'umsk'", "did you mean umask"),
        ("cpu/event=1x/", UsageError, "'1x' is not a number", "event=0x1"),
        ("cpu/event=0x100/", UsageError, "does not fit in 8 bits", "at most 0xff"),
        ("cpu/event=-1/", UsageError, "does not fit in 8 bits", "at most 0xff"),
        ("cpu/later=1/", MachineError, "fills config9, which is not supported", "perf list"),
        ("cpu/..=1/", UsageError, "no event or term '..'", "there are: "),
    ],
)
def test_what_a_device_does_not_know_is_refused_with_the_names_that_are_close(
    root, name, error, message, hint
):
    with pytest.raises(error) as caught:
        find_device_event(name, root)
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")
