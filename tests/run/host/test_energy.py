"""Energy as two machines show it: by the kernel's power device, by powercap. Their files are made up here."""

from __future__ import annotations

import os

import pytest

from steelyard.run.host.energy import find_energy_source

POWER = "sys/bus/event_source/devices/power"
ZONES = "sys/class/powercap/intel-rapl:"
EVENT = {
    "proc/sys/kernel/perf_event_paranoid": "0\n",
    f"{POWER}/type": "23\n",
    f"{POWER}/cpumask": "0\n",
    f"{POWER}/format/event": "config:0-7\n",
    f"{POWER}/events/energy-pkg": "event=0x02\n",
    f"{POWER}/events/energy-pkg.scale": "2.3283064365386962890625e-10\n",
    f"{POWER}/events/energy-pkg.unit": "Joules\n",
}


def zones(**names):
    files = {}
    for zone, name in names.items():
        at = f"{ZONES}{zone.removeprefix('z').replace('_', ':')}"
        files |= {
            f"{at}/name": name,
            f"{at}/energy_uj": "12\n",
            f"{at}/max_energy_range_uj": "262143328850\n",
        }
    return files


@pytest.fixture
def user(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)


def test_the_event_comes_before_the_files(machine):
    source = find_energy_source("pkg", machine(EVENT | zones(z0="package-0")))
    assert source.event is not None
    assert (source.event.cpus, source.event.scale, source.files) == ((0,), 2.0**-32, ())
    assert str(source) == "perf event, CPU 0; 64 bits, does not wrap"


def test_files_of_all_packages_are_read_and_say_where_they_wrap(machine):
    root = machine(zones(z0="package-0", z1="package-1", z0_0="core", z0_1="dram"))
    source = find_energy_source("pkg", root)
    assert [file.path.parent.name for file in source.files] == ["intel-rapl:0", "intel-rapl:1"]
    assert source.files[0].range_uj == 262_143_328_850
    assert str(source).endswith("intel-rapl:1/energy_uj, wraps at 262143 J")
    (ram,) = find_energy_source("ram", root).files
    assert ram.path.parent.name == "intel-rapl:0:1"
    (cores,) = find_energy_source("cores", root).files
    assert cores.path.parent.name == "intel-rapl:0:0"


@pytest.mark.parametrize(
    "files", [{name.replace("pkg", "gpu"): text for name, text in EVENT.items()}, zones(z0="uncore")]
)
def test_the_uncore_domain_is_what_the_kernel_calls_gpu(machine, files):
    source = find_energy_source("uncore", machine(files))
    assert source.event is not None or source.files


def test_a_user_who_may_not_count_the_machine_reads_the_files(machine, user):
    forbidden = {"proc/sys/kernel/perf_event_paranoid": "2\n"}
    assert find_energy_source("pkg", machine(EVENT | forbidden | zones(z0="package-0"))).files


def test_the_reason_and_what_helps_are_named_where_nothing_may_be_read(machine, user):
    source = find_energy_source("pkg", machine(EVENT | {"proc/sys/kernel/perf_event_paranoid": "2\n"}))
    assert "perf_event_paranoid" in source.reason
    assert source.hint.startswith("sysctl kernel.perf_event_paranoid=0")
    assert str(source) == source.reason


def test_files_that_only_root_reads_are_named(machine, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    source = find_energy_source("pkg", machine(zones(z0="package-0")))
    assert source.reason.endswith("energy_uj may be read by root alone")


def test_a_machine_without_registers_says_what_is_missing(machine):
    source = find_energy_source("psys", machine({}))
    assert source.reason == "neither power/energy-psys nor a powercap zone psys is here"
    assert source.hint == ""
