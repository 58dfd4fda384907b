"""Limits of a trial, and trials apart from the host: real namespaces, overlays and control groups."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from steelyard.run.host.control_groups import find_control_groups, name_trial_group
from steelyard.run.launch.launch import Launch
from steelyard.run.runner.journal import FileDigest, read_journal
from steelyard.run.runner.runner import TrialOrder, probe_launches

TRUE = Launch("/bin/true", ("true",), (), "/")


@pytest.fixture
def stage(tmp_path):
    """Where a root of a trial's own is mounted."""
    place = tmp_path / "stage"
    place.mkdir()
    (trial,) = probe_launches([replace(TRUE, root_path=str(place))])
    if trial.status != "ok":
        pytest.skip(f"no file system of its own here: {os.strerror(trial.errno or 0)}")
    return str(place)


@pytest.fixture
def group():
    """What a control group of a trial is made as."""
    groups = find_control_groups()
    if groups.base is None:
        pytest.skip(f"no control groups here: {groups.reason}")
    path = str(name_trial_group(groups.base))
    (trial,) = probe_launches([replace(TRUE, cpu_limit_ns=10**12, group_path=path)])
    if trial.step is not None:
        pytest.skip(f"no control group can be used here: {os.strerror(trial.errno or 0)}")
    return path


@pytest.fixture
def offline():
    (trial,) = probe_launches([replace(TRUE, network_off=True)])
    if trial.status != "ok":
        pytest.skip(f"no network of its own here: {os.strerror(trial.errno or 0)}")


def test_what_a_trial_writes_is_gone_after_it(runner, journal, sh, tmp_path, stage):
    file = tmp_path / "kept"
    file.write_text("before\n")
    script = f"cat {file}; echo after > {file}; cat {file}; touch made; ls; rm {file}"
    apart = runner.define(sh(script, root_path=stage))
    runner.run([TrialOrder(1, apart), TrialOrder(2, apart)])
    first, second = read_journal(journal)[0]
    assert first.stdout == second.stdout == b"before\nafter\njournal\nkept\nmade\nstage\n"
    assert file.read_text() == "before\n"
    assert not (tmp_path / "made").exists()
    assert not list(Path(stage).iterdir())


def test_temporary_files_and_shared_memory_are_a_trials_own(runner, journal, sh, stage):
    names = [f"/{place}/steelyard-test-{os.getpid()}" for place in ("tmp", "dev/shm", "var/tmp")]
    apart = runner.define(
        sh(f"ls {' '.join(names)} 2>/dev/null; touch {' '.join(names)} && echo all", root_path=stage)
    )
    runner.run([TrialOrder(1, apart), TrialOrder(2, apart)])
    assert [trial.stdout for trial in read_journal(journal)[0]] == [b"all\n", b"all\n"]
    assert not any(Path(name).exists() for name in names)


def test_prepare_and_cleanup_share_the_files_of_their_trial(runner, journal, sh, tmp_path, stage):
    apart = sh(
        "cat input; echo result > output",
        root_path=stage,
        prepare=(sh("echo prepared > input"),),
        cleanup=(sh("grep -q result output"),),
    )
    runner.run([TrialOrder(1, runner.define(apart))])
    (trial,) = read_journal(journal)[0]
    assert (trial.status, trial.stdout) == ("ok", b"prepared\n")
    assert not (tmp_path / "input").exists()


def test_a_launch_after_it_finds_the_host_again(runner, journal, sh, tmp_path, stage):
    apart, plain = runner.define(sh("touch one", root_path=stage)), runner.define(sh("touch two; ls"))
    runner.run([TrialOrder(1, apart), TrialOrder(2, plain), TrialOrder(3, apart), TrialOrder(4, plain)])
    assert read_journal(journal)[0][3].stdout == b"journal\nstage\ntwo\n"
    assert (tmp_path / "two").exists()


def test_metrics_and_digests_are_those_of_the_trials_own_files(runner, journal, sh, tmp_path, stage):
    metrics, result = tmp_path / "metrics", tmp_path / "result"
    result.write_text("stale")
    writing = sh(f"echo 7 > {metrics}; printf new > {result}", root_path=stage)
    writing = replace(writing, metrics_path=str(metrics), digests=True, files=(str(result),))
    silent = replace(writing, argv=("sh", "-c", "exit 0"))
    runner.run(
        [
            TrialOrder(number, runner.define(launch))
            for number, launch in enumerate((writing, silent, writing))
        ]
    )
    first, second, third = read_journal(journal)[0]
    assert first.metrics == third.metrics == b"7\n"
    assert second.metrics == b""
    # sha256sum of "new"
    sha256 = "11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437"
    assert first.digests[2] == FileDigest("whole", sha256)
    assert second.digests[2].state == "unwritten"
    assert (metrics.exists(), result.read_text()) == (False, "stale")


def test_a_process_that_outlives_its_trial_holds_no_file_system(runner, journal, sh, stage):
    launch = runner.define(sh("sleep 600 & echo $!", root_path=stage))
    runner.run([TrialOrder(1, launch), TrialOrder(2, launch)])
    first, second = read_journal(journal)[0]
    assert (first.left_processes, second.left_processes) == (1, 1)
    assert "steelyard" not in Path("/proc/self/mounts").read_text()


def test_a_stage_that_is_not_there_is_a_failed_start(run_one):
    trial = run_one(replace(TRUE, root_path="/nowhere/at/all"))
    assert (trial.status, trial.step) == ("setup_failed", "root")


@pytest.mark.usefixtures("offline")
def test_without_a_network_only_the_loopback_is_there(runner, journal, sh):
    show = "tail -n +3 /proc/net/dev | cut -d: -f1"
    off, on = runner.define(sh(show, network_off=True)), runner.define(sh(show))
    runner.run([TrialOrder(1, off), TrialOrder(2, on), TrialOrder(3, off)])
    first, second, third = read_journal(journal)[0]
    assert first.stdout.split() == third.stdout.split() == [b"lo"]
    devices = Path("/proc/self/net/dev").read_text().splitlines()[2:]
    assert second.stdout.decode().split() == [line.split(":")[0].strip() for line in devices]


def test_cpu_time_of_all_processes_together_has_a_limit(run_one, sh, group):
    loop = "while :; do :; done"
    trial = run_one(sh(f"({loop}) & {loop}", cpu_limit_ns=50_000_000, group_path=group))
    assert (trial.status, trial.step, trial.signal) == ("ok", "cpu_limit", signal.SIGTERM)


def test_a_process_that_ignores_sigterm_is_ended_at_its_limit(run_one, sh, group):
    trial = run_one(sh("trap '' TERM; while :; do :; done", cpu_limit_ns=50_000_000, group_path=group))
    assert (trial.step, trial.signal) == ("cpu_limit", signal.SIGKILL)


def test_time_in_which_nothing_works_is_not_limited(run_one, sh, group):
    # Three times as long as its limit, of which it uses a few milliseconds.
    trial = run_one(sh("sleep 0.9", cpu_limit_ns=300_000_000, group_path=group))
    assert (trial.status, trial.step, trial.exit_code) == ("ok", None, 0)


def test_more_cpu_time_than_the_limit_is_told_of_a_run_that_ended_by_itself(run_one, sh, group):
    trial = run_one(sh("exit 0", cpu_limit_ns=1, group_path=group))
    assert (trial.exit_code, trial.step) == (0, "cpu_limit")


def test_nothing_starts_without_the_group_that_has_its_limits(run_one, sh, tmp_path):
    for limit in ({"cpu_limit_ns": 10**9}, {"memory_limit_bytes": 1 << 20}):
        trial = run_one(sh("touch started", group_path="/nowhere/group", **limit))
        assert (trial.status, trial.step) == ("setup_failed", "group")
    # A plain directory is no control group: the kernel clones nothing into it.
    trial = run_one(sh("touch started", cpu_limit_ns=10**9, group_path=str(tmp_path / "plain")))
    assert trial.status == "spawn_failed"
    assert not (tmp_path / "started").exists()


def test_memory_has_a_limit_or_nothing_starts(run_one, sh, tmp_path, group):
    grow = "import time; x = bytearray(300_000_000); open('grown', 'w')"
    trial = run_one(
        replace(
            sh(""),
            path=sys.executable,
            argv=(sys.executable, "-c", grow),
            memory_limit_bytes=50_000_000,
            group_path=group,
        )
    )
    if not find_control_groups().memory:
        assert (trial.status, trial.step) == ("setup_failed", "group")
    else:
        assert (trial.step, trial.signal) == ("memory_limit", signal.SIGKILL)
    assert not (tmp_path / "grown").exists()
