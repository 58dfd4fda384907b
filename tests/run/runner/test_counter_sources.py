"""Requests from simulated trees of /sys; values from this machine's cgroup v2, and from files of powercap."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from steelyard.core.counters import find_event
from steelyard.core.errors import UsageError
from steelyard.run.host.control_groups import find_control_groups, name_trial_group
from steelyard.run.runner import orders
from steelyard.run.runner.counter_facts import describe_sources, measure_idle_power
from steelyard.run.runner.counter_sources import (
    CounterRequest,
    CounterSource,
    build_requests,
    explain_missing,
)
from steelyard.run.runner.journal import read_journal
from steelyard.run.runner.runner import TrialOrder

POWER = "sys/bus/event_source/devices/power"
ZONE = "sys/class/powercap/intel-rapl:"
ORPHAN = """
(sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; : > finished' &)
while [ ! -e finished ]; do sleep 0.01; done
"""


@pytest.fixture
def machine(tmp_path):
    def make(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return tmp_path

    return make


def zones(number):
    files = {}
    for i in range(number):
        at = f"{ZONE}{i}"
        files |= {f"{at}/name": f"package-{i}", f"{at}/energy_uj": "5", f"{at}/max_energy_range_uj": "1000"}
    return files


def test_an_event_of_the_kernel_is_counted_for_the_program():
    assert build_requests("instructions:u") == [CounterRequest(CounterSource.PROCESS_USER, 0, (1, 0, 0))]


def test_energy_of_an_event_is_read_once_for_each_package(machine, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    root = machine(
        {
            f"{POWER}/type": "23",
            f"{POWER}/cpumask": "0,28",
            f"{POWER}/format/event": "config:0-7",
            f"{POWER}/events/energy-pkg": "event=0x02",
            f"{POWER}/events/energy-pkg.scale": "0.5",
            f"{POWER}/events/energy-pkg.unit": "Joules",
        }
    )
    expected = [CounterRequest(CounterSource.MACHINE, 23, (2, 0, 0), cpu, 0.5) for cpu in (0, 28)]
    assert build_requests("energy_pkg_j", root) == expected
    assert build_requests("power/energy-pkg/", root) == expected
    assert find_event("power/energy-pkg/")[0].unit == "J"


def test_files_of_energy_carry_where_they_begin_anew(machine):
    root = machine(zones(2))
    assert [request.configs[0] for request in build_requests("energy_pkg_j", root)] == [1000, 1000]
    assert describe_sources(["energy_pkg_j"], root)["energy_pkg_j_source"].count("wraps at 0 J") == 2


def test_what_cannot_be_read_is_asked_for_all_the_same_and_explained(machine):
    root = machine({})
    assert build_requests("energy_ram_j", root) == [CounterRequest(CounterSource.ENERGY_FILE)]
    assert build_requests("tree_cpu_s", root)[0].path == ""
    assert "powercap zone dram" in explain_missing("energy_ram_j", root)[0]
    assert "cgroup v2" in explain_missing("tree_cpu_s", root)[0]
    assert explain_missing("cycles", root) is None


@pytest.mark.parametrize("name", ["energy_pkg_j:u", "tree_cpu_s:u"])
def test_energy_and_trees_are_not_counted_in_user_mode_alone(name):
    with pytest.raises(UsageError, match="user mode"):
        find_event(name)


def test_values_of_all_packages_add_up(machine, monkeypatch, run_one, sh):
    """The program writes what registers would hold: 3 µJ more in one package, a wrap-around in the other."""
    root = machine(zones(2))
    monkeypatch.setattr(orders, "build_requests", lambda name: build_requests(name, root))
    first, second = (root / f"{ZONE}{i}" / "energy_uj" for i in range(2))
    trial = run_one(sh(f"echo 8 > {first}; echo 1 > {second}", counters=("energy_pkg_j",)))
    assert trial.counters["energy_pkg_j"] == pytest.approx((3 + 996) * 1e-6)


def test_one_package_that_cannot_be_read_makes_the_sum_unavailable(machine, monkeypatch, run_one, sh):
    root = machine(zones(2))
    monkeypatch.setattr(orders, "build_requests", lambda name: build_requests(name, root))
    trial = run_one(
        sh(
            f"rm {root / (ZONE + '0')}/energy_uj; echo x > {root / (ZONE + '1')}/energy_uj",
            counters=("energy_pkg_j",),
        )
    )
    assert trial.counters["energy_pkg_j"] is None


def test_more_packages_than_a_trial_can_read_are_refused(machine, monkeypatch, runner, sh):
    root = machine(zones(17))
    monkeypatch.setattr(orders, "build_requests", lambda name: build_requests(name, root))
    with pytest.raises(UsageError, match="17 counters"):
        runner.define(sh(":", counters=("energy_pkg_j",)))


def test_a_machine_without_energy_has_no_idle_power():
    assert measure_idle_power(["cycles"]) == {}


@pytest.fixture
def base() -> Path:
    groups = find_control_groups()
    if groups.base is None:
        pytest.skip(f"no control group can be made: {groups.reason}")
    return groups.base


def test_a_tree_contains_children_that_nobody_waits_for(base, run_one, sh):
    trial = run_one(sh(ORPHAN, counters=("tree_cpu_s", "tree_memory_bytes")))
    waited_for = (trial.user_us + trial.system_us) * 1e-6
    if trial.counters["tree_cpu_s"] is None:
        pytest.skip("the kernel does not clone into control groups here")
    # The loop was over before the program ended, and no process waited for it.
    assert trial.counters["tree_cpu_s"] > waited_for
    if find_control_groups().memory:
        assert trial.counters["tree_memory_bytes"] > 0
    else:
        assert trial.counters["tree_memory_bytes"] is None
    assert not name_trial_group(base).exists()


def test_the_program_is_in_the_group_and_hooks_are_not(base, run_one, sh, tmp_path):
    hook = sh(f"cat /proc/self/cgroup > {tmp_path / 'hook'}")
    trial = run_one(sh("cat /proc/self/cgroup", counters=("tree_cpu_s",), prepare=(hook,)))
    group = name_trial_group(base).name
    assert f"/{group}\n" in trial.stdout.decode()
    assert group not in (tmp_path / "hook").read_text()


def test_a_group_goes_when_the_runner_is_stopped_in_a_trial(base, runner, journal, sh, eventually):
    launch = runner.define(sh("sleep 60", counters=("tree_cpu_s",)))
    thread = threading.Thread(target=runner.run, args=([TrialOrder(1, launch)],))
    thread.start()
    eventually(name_trial_group(base).exists)
    runner.stop()
    thread.join()
    assert read_journal(journal)[0] == []
    assert not name_trial_group(base).exists()
