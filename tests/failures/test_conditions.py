"""Settings and limits that change under a record: each is told."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from steelyard.run.host.conditions import format_cpus
from steelyard.store import Record

SPEC = """\
name = "settings"
[program]
command = {command}
[design]
blocks = 3
seed = 1
"""


@pytest.fixture
def cpus():
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < 2:
        pytest.skip("one CPU: no affinity can change")
    return usable


def test_another_affinity_of_the_runner_in_mid_run_is_told(steelyard_cli, tmp_path, cpus):
    code = f"import os; os.sched_setaffinity(os.getppid(), [{cpus[0]}])"
    (tmp_path / "a.toml").write_text(SPEC.format(command=[sys.executable, "-c", code]))
    assert steelyard_cli("run", "a.toml", cwd=tmp_path).returncode == 0
    text = " ".join(steelyard_cli("analyze", "a.lab", "--details", cwd=tmp_path).stdout.split())
    assert f"CPUs that programs may use: {format_cpus(set(cpus))} before block 2, {cpus[0]} after" in text


def test_cpus_that_a_factor_sets_are_no_change_of_conditions(steelyard_cli, tmp_path, cpus):
    levels = f'[factors]\naffinity = ["{cpus[0]}", "{cpus[1]}"]\n'
    (tmp_path / "a.toml").write_text(SPEC.format(command=["true"]) + levels)
    assert steelyard_cli("run", "a.toml", cwd=tmp_path).returncode == 0
    text = steelyard_cli("analyze", "a.lab", "--details", cwd=tmp_path).stdout
    assert "differ in more than time" not in " ".join(text.split())


def test_an_extension_under_another_affinity_and_nice_value_is_told(
    steelyard_cli, steelyard_env, tmp_path, cpus
):
    (tmp_path / "a.toml").write_text(SPEC.format(command=["true"]))
    assert steelyard_cli("run", "a.toml", cwd=tmp_path).returncode == 0

    def change():
        os.nice(1)
        os.sched_setaffinity(0, [cpus[1]])

    words = [sys.executable, "-m", "steelyard", "run", "a.lab", "--extend", "1"]
    subprocess.run(words, cwd=tmp_path, env=steelyard_env, preexec_fn=change, check=True)
    text = " ".join(steelyard_cli("analyze", "a.lab", "--details", cwd=tmp_path).stdout.split())
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    assert f"nice value was {nice} and is {nice + 1}: blocks before and after differ" in text
    assert f"CPUs that programs may use was {format_cpus(set(cpus))} and is {cpus[1]}:" in text


def test_a_quota_is_named_in_place_of_other_programs(steelyard_cli, tmp_path):
    (tmp_path / "a.toml").write_text(SPEC.format(command=["true"]))
    assert steelyard_cli("run", "a.toml", cwd=tmp_path).returncode == 0
    with Record.open(tmp_path / "a.lab", write=True) as record:
        record.note_host(1, {"throttled_s": 1.5, "cgroup_cpu_limit": 0.5})
    text = " ".join(steelyard_cli("analyze", "a.lab", cwd=tmp_path).stdout.split())
    assert "A CPU quota (0.5 CPUs) stopped the programs' control group for 1.50 s in all" in text
    assert "that something else used" not in text


def test_records_under_other_settings_are_compared_with_that_said(steelyard_cli, tmp_path):
    (tmp_path / "a.toml").write_text(SPEC.format(command=["true"]))
    for name, limit in (("old.lab", 0.5), ("new.lab", 2.0)):
        assert steelyard_cli("run", "a.toml", "-o", name, cwd=tmp_path).returncode == 0
        with Record.open(tmp_path / name, write=True) as record:
            record.note_host(1, {"governor": name[:3], "cgroup_cpu_limit": limit})
    text = " ".join(steelyard_cli("compare", "old.lab", "new.lab", cwd=tmp_path).stdout.split())
    assert "settings differ: CPU quota (CPUs) 0.5 and 2; governor old and new." in text


def test_heat_and_swapping_of_the_machine_are_told_and_little_of_it_is_not(steelyard_cli, tmp_path):
    (tmp_path / "a.toml").write_text(SPEC.format(command=["true"]))
    assert steelyard_cli("run", "a.toml", cwd=tmp_path).returncode == 0

    def answer(**facts):
        with Record.open(tmp_path / "a.lab", write=True) as record:
            record.note_host(1, facts)
        return " ".join(steelyard_cli("analyze", "a.lab", "--details", cwd=tmp_path).stdout.split())

    text = answer(heat_throttles=12, swapped_bytes=3 * 10**8)
    assert "Processors slowed down for heat 12 times during the runs" in text
    assert "The machine swapped 300 MB during the runs" in text
    text = answer(heat_throttles=0, swapped_bytes=10**6)
    assert "heat" not in text
    assert "swapped" not in text
