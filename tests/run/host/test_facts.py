from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from steelyard.run.host import boot_id, host_facts


def test_the_facts_of_this_machine_are_scalars_and_say_what_matters():
    facts = host_facts()
    assert {
        "cpu_architecture",
        "cpus_online",
        "clock_source",
        "hostname",
        "kernel",
        "page_bytes",
        "memory_bytes",
    } <= facts.keys()
    assert {
        "aslr",
        "load_1m",
        "uptime_s",
        "steal_since_boot_s",
        "clock_step_s",
        "clock_cost_s",
    } <= facts.keys()
    assert all(type(fact) in (str, int, float, bool) for fact in facts.values())
    assert facts["page_bytes"] == os.sysconf("SC_PAGE_SIZE")
    assert facts["kernel"].split() == [os.uname().sysname, os.uname().release]
    assert 0 < facts["clock_step_s"] < 0.1
    assert 0 < facts["clock_cost_s"] < 0.1


def test_no_environment_value_is_among_the_facts():
    planted = "planted-4b1d"
    program = "from steelyard.run.host import host_facts; print(host_facts())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "SECRET": planted, "LANG": planted, "container": planted},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "cpu_architecture" in done.stdout
    assert planted not in done.stdout


def test_of_the_kernels_arguments_only_those_that_isolate_cpus_are_kept(machine):
    root = machine({"proc/cmdline": "root=/dev/sda token=secret isolcpus=2,3 mitigations=off quiet\n"})
    facts = host_facts(root)
    assert facts["kernel_arguments_isolate"] == "isolcpus=2,3 mitigations=off"
    assert "secret" not in str(facts)


def test_settings_and_memory_are_read_from_their_files(machine):
    root = machine(
        {
            "proc/sys/kernel/randomize_va_space": "2\n",
            "proc/sys/kernel/perf_event_paranoid": "-1\n",
            "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
            "proc/meminfo": "MemTotal:  24684096 kB\nMemAvailable:   2048 kB\nSwapTotal: 0 kB\n",
            "etc/os-release": 'NAME="Some"\nPRETTY_NAME="Some Linux 7"\n',
            "sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet\n",
        }
    )
    expected = {
        "aslr": 2,
        "perf_event_paranoid": -1,
        "huge_pages": "madvise",
        "memory_bytes": 24684096 * 1024,
        "memory_available_bytes": 2048 * 1024,
        "swap_bytes": 0,
        "distribution": "Some Linux 7",
        "clock_source": "hpet",
        "pressure_available": False,
    }
    assert expected.items() <= host_facts(root).items()


def test_files_that_hold_something_else_than_expected_are_left_out(machine):
    root = machine(
        {
            "proc/sys/kernel/randomize_va_space": "many\n",
            "sys/kernel/mm/transparent_hugepage/enabled": "always\n",
            "proc/meminfo": "MemTotal: lots\n",
            "proc/loadavg": "\n",
            "proc/stat": "\n",
            "sys/devices/system/cpu/online": "\n",
            "sys/devices/system/cpu/cpu0/cache/index0/size": "\n",
        }
    )
    assert not {"aslr", "huge_pages", "memory_bytes", "load_1m"} & host_facts(root).keys()


def test_the_boot_is_known_by_the_kernels_id_or_else_by_its_time(machine, tmp_path):
    assert boot_id() == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert boot_id(machine({"proc/stat": "cpu 1 2\nbtime 1700000000\n"})) == "started 1700000000"
