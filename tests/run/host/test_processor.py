from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from steelyard.run.host.processor import processor_facts

CPU = "sys/devices/system/cpu"


def getconf(name: str) -> int:
    return int(subprocess.run(["getconf", name], check=True, capture_output=True, text=True).stdout)


def test_counts_of_this_machine_are_those_of_the_c_library():
    facts = dict(processor_facts(Path("/")))
    assert facts["cpus_online"] == getconf("_NPROCESSORS_ONLN")
    assert facts["cpus_present"] >= facts["cpus_online"] >= 1
    assert facts["cpus_usable"] == len(os.sched_getaffinity(0))


@pytest.mark.parametrize(
    ("fact", "name"),
    [
        ("cache_l1d_bytes", "LEVEL1_DCACHE_SIZE"),
        ("cache_l1d_ways", "LEVEL1_DCACHE_ASSOC"),
        ("cache_line_bytes", "LEVEL1_DCACHE_LINESIZE"),
        ("cache_l2_bytes", "LEVEL2_CACHE_SIZE"),
    ],
)
def test_caches_of_this_machine_are_those_of_the_c_library(fact, name):
    facts = dict(processor_facts(Path("/")))
    result = getconf(name)
    if not result or fact not in facts:
        pytest.skip("this machine does not describe its caches")
    assert facts[fact] == result


def test_a_machine_with_frequencies_is_described(machine):
    root = machine(
        {
            "proc/cpuinfo": "model name\t: Fast CPU\nmicrocode\t: 0x1f\n\nmodel name\t: other\n",
            f"{CPU}/present": "0-7,16-23\n",
            f"{CPU}/online": "0-3,16\n",
            f"{CPU}/isolated": "3\n",
            f"{CPU}/smt/control": "on\n",
            f"{CPU}/cpu0/cpufreq/scaling_governor": "performance\n",
            f"{CPU}/cpu1/cpufreq/scaling_governor": "performance\n",
            f"{CPU}/cpu2/cpufreq/scaling_governor": "powersave\n",
            f"{CPU}/cpu0/cpufreq/scaling_driver": "intel_pstate\n",
            f"{CPU}/cpu0/cpufreq/scaling_min_freq": "800000\n",
            f"{CPU}/cpu0/cpufreq/scaling_max_freq": "3600000\n",
            f"{CPU}/intel_pstate/no_turbo": "1\n",
            "sys/devices/system/node/node0/x": "",
            "sys/devices/system/node/node1/x": "",
            f"{CPU}/cpu0/cache/index0/level": "1\n",
            f"{CPU}/cpu0/cache/index0/type": "Data\n",
            f"{CPU}/cpu0/cache/index0/size": "48K\n",
            f"{CPU}/cpu0/cache/index0/coherency_line_size": "64\n",
            f"{CPU}/cpu0/cache/index3/level": "3\n",
            f"{CPU}/cpu0/cache/index3/type": "Unified\n",
            f"{CPU}/cpu0/cache/index3/size": "32M\n",
        }
    )
    facts = {name: fact for name, fact in processor_facts(root) if fact is not None}
    expected = {
        "cpu_model": "Fast CPU",
        "cpu_microcode": "0x1f",
        "cpus_present": 16,
        "cpus_online": 5,
        "cpus_isolated": "3",
        "smt": "on",
        "numa_nodes": 2,
        "cache_l1d_bytes": 48 * 1024,
        "cache_line_bytes": 64,
        "cache_l3_bytes": 32 * 1024 * 1024,
        "governor": "performance,powersave",
        "frequency_driver": "intel_pstate",
        "frequency_min_hz": 800_000_000,
        "frequency_max_hz": 3_600_000_000,
        "turbo": False,
    }
    assert expected.items() <= facts.items()
    assert "cache_l1d_ways" not in facts


@pytest.mark.parametrize(
    ("file", "text", "turbo"), [("cpufreq/boost", "1", True), ("cpufreq/boost", "0", False)]
)
def test_boost_is_turbo_on_other_makes(machine, file, text, turbo):
    assert dict(processor_facts(machine({f"{CPU}/{file}": text})))["turbo"] is turbo


def test_a_machine_that_says_nothing_claims_nothing(tmp_path):
    facts = {name: fact for name, fact in processor_facts(tmp_path) if fact is not None}
    assert facts.keys() == {"cpu_architecture", "cpus_online", "cpus_usable"}
