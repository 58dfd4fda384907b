"""Conditions of a run, read where they lie and compared."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from steelyard.run.host.conditions import ConditionReader, compare_conditions, format_cpus

FILES = {
    "v2": {
        "proc/self/cgroup": "0::/jobs/one\n",
        "proc/self/mountinfo": "30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
        "sys/fs/cgroup/jobs/cpu.max": "150000 100000\n",
        "sys/fs/cgroup/jobs/cpu.stat": "usage_usec 9\nnr_periods 7\nnr_throttled 3\nthrottled_usec 2500000\n",
        "sys/fs/cgroup/jobs/one/cpu.max": "max 100000\n",
        "sys/fs/cgroup/jobs/one/cpu.stat": "usage_usec 9\nnr_throttled 0\nthrottled_usec 500000\n",
        "sys/fs/cgroup/cpu.stat": "usage_usec 9\n",
    },
    "v1": {
        "proc/self/cgroup": "3:cpu,cpuacct:/job\n",
        "proc/self/mountinfo": "30 25 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n",
        "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us": "150000\n",
        "sys/fs/cgroup/cpu/job/cpu.cfs_period_us": "100000\n",
        "sys/fs/cgroup/cpu/job/cpu.stat": "nr_periods 9\nnr_throttled 3\nthrottled_time 3000000000\n",
    },
}


@pytest.mark.parametrize("version", FILES)
def test_quotas_of_all_groups_above_count_and_what_they_stopped(tmp_path, version):
    for name, text in FILES[version].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    conditions = ConditionReader(root=tmp_path).read()
    assert conditions.cgroup_cpu_limit == 1.5
    assert conditions.throttled_s == pytest.approx(3.0)


def test_a_process_has_the_settings_that_it_was_started_with(tmp_path):
    cpu = min(os.sched_getaffinity(0))
    change = f"import os, time; os.sched_setaffinity(0, [{cpu}]); os.nice(3)"
    code = f"{change}; print('on', flush=True); time.sleep(60)"
    with subprocess.Popen((sys.executable, "-c", code), stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        conditions = ConditionReader(process.pid, tmp_path).read()
        process.kill()
    facts = conditions.facts()
    assert (facts["cpus"], facts["policy"]) == (str(cpu), "other")
    assert facts["nice"] == os.getpriority(os.PRIO_PROCESS, 0) + 3
    assert conditions.throttled_s is None


@pytest.mark.parametrize(
    ("cpus", "text"), [({0}, "0"), ({0, 1, 2, 8}, "0-2,8"), ({1, 3}, "1,3"), (set(), "")]
)
def test_cpus_are_written_as_the_kernel_does(cpus, text):
    assert format_cpus(cpus) == text


def test_what_only_one_side_knows_is_no_difference_but_a_quota_is():
    old = {"governor": "powersave", "turbo": True, "cgroup_cpu_limit": 0.5, "swap_bytes": 0}
    new = {"governor": "performance", "turbo": False, "nice": 5, "swap_bytes": 2_000_000_000, "load_1m": 3.0}
    named = [(item.name, item.old, item.new) for item in compare_conditions(old, new)]
    assert named == [
        ("CPU quota (CPUs)", "0.5", "none"),
        ("governor", "powersave", "performance"),
        ("turbo", "on", "off"),
        ("swap", "0.00 B", "2.00 GB"),
    ]
    assert compare_conditions(new, new) == []


def test_the_number_of_cpus_is_named_where_the_cpus_are_not_known():
    assert [
        item.name for item in compare_conditions({"cpus_usable": 2}, {"cpus_usable": 1, "cpus": "0"})
    ] == ["number of CPUs that programs may use"]
    both = {"cpus_usable": 2, "cpus": "0-1"}, {"cpus_usable": 1, "cpus": "0"}
    assert [(item.old, item.new) for item in compare_conditions(*both)] == [("0-1", "0")]
