from __future__ import annotations

import os
from pathlib import Path

import pytest

from steelyard.run.host.load import HostLoad

TICKS = os.sysconf("SC_CLK_TCK")


def stat(*, user=0, nice=0, system=0, idle=0, iowait=0, irq=0, softirq=0, steal=0, guest=0) -> str:
    line = " ".join(map(str, [user, nice, system, idle, iowait, irq, softirq, steal, guest, 0]))
    return f"cpu  {line}\ncpu0 1 2 3 4\nintr 5\nbtime 1700000000\n"


def pressure(total_us: int) -> str:
    return (
        f"some avg10=0.27 avg60=0.27 avg300=0.08 total={total_us}\n"
        "full avg10=0.00 avg60=0.00 avg300=0.00 total=77\n"
    )


def test_ticks_and_microseconds_become_seconds(machine):
    files = {
        "proc/stat": stat(
            user=TICKS, nice=TICKS, system=TICKS, idle=999, irq=TICKS, softirq=TICKS, steal=3 * TICKS
        ),
        "proc/pressure/cpu": pressure(1_500_000),
        "proc/pressure/io": pressure(2_000_000),
        "proc/pressure/memory": pressure(0),
        "proc/loadavg": "0.25 0.04 0.00 1/96 10082\n",
    }
    load = HostLoad.read(machine(files))
    assert (load.busy_s, load.steal_s) == (5.0, 3.0)
    assert (load.cpu_pressure_s, load.io_pressure_s, load.memory_pressure_s) == (1.5, 2.0, 0.0)
    assert load.load_1m == 0.25


def test_a_change_is_the_difference_of_two_readings(machine):
    earlier = HostLoad.read(
        machine(
            {"proc/stat": stat(user=TICKS), "proc/pressure/cpu": pressure(500_000), "proc/loadavg": "3 2 1\n"}
        )
    )
    later = HostLoad.read(
        machine(
            {
                "proc/stat": stat(user=4 * TICKS, steal=TICKS),
                "proc/pressure/cpu": pressure(750_000),
                "proc/loadavg": "2 2 1\n",
            }
        )
    )
    change = later.since(earlier)
    assert (change.busy_s, change.steal_s, change.cpu_pressure_s, change.load_1m) == (3.0, 1.0, 0.25, 2.0)
    assert change.elapsed_s == later.at_s - earlier.at_s > 0


def test_what_a_kernel_does_not_say_is_none_and_not_zero(machine):
    root = machine({"proc/stat": stat(user=TICKS)})
    load = HostLoad.read(root)
    change = load.since(HostLoad.read(root))
    for reading in (load, change):
        assert reading.cpu_pressure_s is reading.io_pressure_s is reading.memory_pressure_s is None
        assert reading.load_1m is None


def test_steal_that_runs_backwards_is_none_stolen(machine):
    earlier = HostLoad.read(machine({"proc/stat": stat(steal=5 * TICKS)}))
    later = HostLoad.read(machine({"proc/stat": stat(steal=4 * TICKS)}))
    assert later.since(earlier).steal_s == 0.0


def test_work_on_this_machine_shows_as_busy():
    earlier = HostLoad.read()
    used = os.times()
    while sum(os.times()[:2]) - sum(used[:2]) < 0.1:
        pass
    change = HostLoad.read().since(earlier)
    # The kernel counts by ticks, so up to two of them may be missing.
    assert change.busy_s >= 0.1 - 2 / TICKS
    assert change.elapsed_s > 0
    if not Path("/proc/pressure/cpu").exists():
        pytest.skip("this kernel has no pressure stall information")
    assert change.cpu_pressure_s >= 0.0
