"""Heat and swapping, as kernels count them; absence is no count."""

from __future__ import annotations

import os

from steelyard.run.host.machine_counts import MachineCounts

CPU = "sys/devices/system/cpu"


def test_counts_of_all_cpus_and_packages_add_up(machine):
    root = machine(
        {
            f"{CPU}/cpu0/thermal_throttle/core_throttle_count": "3\n",
            f"{CPU}/cpu0/thermal_throttle/package_throttle_count": "2\n",
            f"{CPU}/cpu11/thermal_throttle/core_throttle_count": "1\n",
            f"{CPU}/cpufreq/thermal_throttle/core_throttle_count": "100\n",
        }
    )
    assert MachineCounts.read(root).heat_throttles == 6


def test_swapped_pages_are_bytes_in_both_directions(machine):
    root = machine({"proc/vmstat": "pgfault 9\npswpin 3\npswpout 4\npswpin_extra 7\n"})
    assert MachineCounts.read(root).swapped_bytes == 7 * os.sysconf("SC_PAGESIZE")


def test_what_a_machine_does_not_count_is_no_fact(machine):
    nothing = MachineCounts.read(machine({"proc/vmstat": "pgfault 9\n"}))
    assert nothing == MachineCounts(None, None)
    assert MachineCounts(5, 100).list_facts_since(nothing) == {}
    assert nothing.list_facts_since(MachineCounts(5, 100)) == {}


def test_facts_of_a_run_are_what_was_counted_meanwhile():
    facts = MachineCounts(7, 4096).list_facts_since(MachineCounts(5, 4096))
    assert facts == {"heat_throttles": 2, "swapped_bytes": 0}
