"""Trees of /proc and /sys as hosts, containers and users see them; groups are plain directories here."""

from __future__ import annotations

import os

import pytest

from steelyard.run.host.control_groups import find_control_groups, name_trial_group, remove_leftovers

MOUNT = "31 24 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
OWN = "sys/fs/cgroup/user.slice/app.slice/shell.scope"
BASE = "sys/fs/cgroup/user.slice/app.slice"


@pytest.fixture
def host(machine):
    """``host(files)``: a session of systemd, in which the slice above the shell is the user's."""

    def make(**files):
        return machine(
            {
                "proc/self/mountinfo": "24 1 8:1 / / rw - ext4 /dev/sda1 rw\n" + MOUNT,
                "proc/self/cgroup": "0::/user.slice/app.slice/shell.scope\n",
                f"{BASE}/cgroup.procs": "",
                f"{BASE}/cgroup.controllers": "cpu memory pids\n",
                f"{BASE}/cgroup.subtree_control": "cpu memory pids\n",
                f"{OWN}/cgroup.procs": "1\n",
            }
            | files
        )

    return make


def test_a_group_is_made_beside_that_of_this_process(host):
    root = host()
    groups = find_control_groups(root)
    assert (groups.base, groups.memory, groups.reason) == (root / BASE, True, "")


def test_without_its_controller_memory_is_missing_and_cpu_time_is_not(host):
    root = host(**{f"{BASE}/cgroup.subtree_control": "cpu\n"})
    groups = find_control_groups(root)
    assert groups.base == root / BASE
    assert not groups.memory
    assert groups.reason.endswith("does not enable its memory controller")
    assert groups.hint.startswith("systemd-run")


def test_a_controller_that_cgroup_v1_holds_is_named_without_a_hint(host):
    root = host(**{f"{BASE}/cgroup.controllers": "\n", f"{BASE}/cgroup.subtree_control": "\n"})
    groups = find_control_groups(root)
    assert (groups.memory, groups.hint) == (False, "")
    assert "cgroup v1" in groups.reason


def test_the_topmost_group_that_can_be_seen_is_used_itself(host):
    root = host(**{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cgroup.procs": ""})
    assert find_control_groups(root).base == root / "sys/fs/cgroup"


def test_a_mount_that_shows_a_part_of_the_tree_is_followed(host):
    part = MOUNT.replace(" / /sys", " /user.slice /sys")
    base = "sys/fs/cgroup/app.slice"
    root = host(**{"proc/self/mountinfo": part, f"{base}/cgroup.procs": ""})
    assert find_control_groups(root).base == root / base


@pytest.mark.parametrize(
    "files",
    [
        {"proc/self/mountinfo": "24 1 8:1 / / rw - ext4 /dev/sda1 rw\n"},
        {"proc/self/cgroup": "8:pids:/\n7:memory:/x\n"},
        {"proc/self/mountinfo": MOUNT.replace(" / /sys", " /elsewhere /sys")},
    ],
)
def test_without_cgroup_v2_there_are_no_groups(host, files):
    groups = find_control_groups(host(**files))
    assert (groups.base, groups.reason) == (None, "no cgroup v2 is mounted here")


def test_a_directory_that_may_not_be_written_is_named(host, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    root = host()
    groups = find_control_groups(root)
    assert groups.base is None
    assert groups.reason == f"{root / BASE} may not be written"
    assert groups.hint.startswith("systemd-run")


def test_groups_of_processes_that_are_no_more_are_removed_and_named(tmp_path):
    result = name_trial_group(tmp_path)
    leftover = tmp_path / f"steelyard-{os.getpid()}-1"  # the number went to another process
    dead = tmp_path / "steelyard-999999999-5"
    busy = tmp_path / "steelyard-999999998-5"
    notes = tmp_path / "steelyard-notes-of-a-user"
    for path in (result, leftover, dead, busy, notes):
        path.mkdir()
    (busy / "inside").mkdir()  # as the kernel refuses where a process lives
    assert remove_leftovers(tmp_path) == sorted([leftover, dead])
    assert result.exists()
    assert busy.exists()
    assert notes.exists()
