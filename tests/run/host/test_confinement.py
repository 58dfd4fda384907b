from __future__ import annotations

import pytest

from steelyard.run.host.confinement import confinement_facts

V2 = "30 23 0:27 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
V1 = (
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 /docker/ab /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
)


def facts(root) -> dict[str, object]:
    return {name: fact for name, fact in confinement_facts(root) if fact is not None}


def test_a_bare_machine_is_not_confined(machine):
    root = machine(
        {
            "proc/cpuinfo": "flags\t: fpu sse2\n",
            "proc/self/cgroup": "0::/user.slice\n",
            "proc/self/mountinfo": V2,
            "sys/fs/cgroup/user.slice/cpu.max": "max 100000\n",
            "sys/fs/cgroup/user.slice/memory.max": "max\n",
            "sys/class/dmi/id/sys_vendor": "Dell Inc.\n",
        }
    )
    assert facts(root) == {}


def test_the_tightest_limit_on_the_way_to_the_root_counts(machine):
    root = machine(
        {
            "proc/self/cgroup": "0::/a/b\n",
            "proc/self/mountinfo": V2,
            "sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
            "sys/fs/cgroup/a/cpu.max": "150000 100000\n",
            "sys/fs/cgroup/a/b/memory.max": "2000000000\n",
            "sys/fs/cgroup/a/memory.max": "1000000000\n",
        }
    )
    assert facts(root) == {"cgroup_cpu_limit": 1.5, "cgroup_memory_limit_bytes": 1_000_000_000}


def test_limits_of_the_first_version_are_found_in_their_own_hierarchies(machine):
    root = machine(
        {
            "proc/self/cgroup": "5:memory:/docker/ab/c\n3:cpu,cpuacct:/x\n1:name=systemd:/x\n",
            "proc/self/mountinfo": V1,
            "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us": "50000\n",
            "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/memory/c/memory.limit_in_bytes": "536870912\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        }
    )
    result = facts(root)
    assert (result["cgroup_cpu_limit"], result["cgroup_memory_limit_bytes"]) == (0.5, 536_870_912)


def test_the_first_versions_way_to_say_no_limit_is_none(machine):
    root = machine(
        {
            "proc/self/cgroup": "5:memory:/docker/ab\n",
            "proc/self/mountinfo": V1,
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        }
    )
    assert facts(root).keys() <= {"container"}


@pytest.mark.parametrize("text", ["0::/../outside\n", "", "garbage\n", "0::\n", "9:cpu:relative\n"])
def test_groups_that_cannot_be_seen_from_here_limit_nothing(machine, text):
    assert facts(machine({"proc/self/cgroup": text, "proc/self/mountinfo": V2 + "broken line\n"})) == {}


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"sys/hypervisor/type": "xen\n"}, "xen"),
        ({"sys/class/dmi/id/sys_vendor": "QEMU\n"}, "kvm"),
        ({"sys/class/dmi/id/sys_vendor": "VMware, Inc.\n"}, "vmware"),
        (
            {
                "sys/class/dmi/id/sys_vendor": "Microsoft Corporation\n",
                "sys/class/dmi/id/product_name": "Virtual Machine\n",
            },
            "hyper-v",
        ),
        ({"sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc kvm-clock\n"}, "kvm"),
        ({"proc/cpuinfo": "flags\t: fpu hypervisor sse2\n"}, "unknown hypervisor"),
    ],
)
def test_a_hypervisor_is_known_by_its_marks(machine, files, name):
    assert facts(machine(files)) == {"virtualization": name}


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({".dockerenv": ""}, "docker"),
        ({"run/.containerenv": "engine=x"}, "podman"),
        ({"run/systemd/container": "lxc\n"}, "lxc"),
        ({"proc/self/cgroup": "0::/kubepods/besteffort/pod1\n"}, "kubepods"),
    ],
)
def test_a_container_is_known_by_its_marks(machine, files, name):
    assert facts(machine(files)) == {"container": name}
