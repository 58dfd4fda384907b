"""The load is there while the program runs, where and as strong as asked, and gone after."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from steelyard.design import treatments
from steelyard.run.launch.launch_plan import LaunchPlan
from steelyard.run.runner.journal import read_journal
from steelyard.run.runner.runner import TrialOrder
from steelyard.spec import experiment

BESIDE = (
    "for pid in $(pgrep -x steelyard-load); do"
    " tr '\\0' '\\n' < /proc/$pid/environ | grep -q {mark} &&"
    " echo $pid $(cut -d' ' -f4 /proc/$pid/stat) $(awk '/Cpus_allowed_list/ {print $2}' /proc/$pid/status)"
    " $(tr '\\0' ' ' < /proc/$pid/cmdline); done; true"
)


@pytest.fixture
def beside(runner, journal, tmp_path, mark):
    """``beside(load)``: pid, parent, CPUs and words of the loads that a program under it sees."""

    def seen(level):
        spec_ = experiment(
            source=str(tmp_path),
            program={
                "command": BESIDE.replace("{mark}", mark).replace("{print $2}", "{{print $2}}"),
                "shell": True,
            },
            factors={"background_load": [level]},
        )
        launches = LaunchPlan(spec_, treatments(spec_), builds={})
        launches.mark(mark, metrics_file=tmp_path / "metrics")
        (launch,) = launches.start_in_context(None).values()
        runner.run([TrialOrder(1, runner.define(launch))])
        raw = read_journal(journal)[0][-1]
        assert (raw.status, raw.left_processes) == ("ok", 0), raw
        return [line.split(" ", 3) for line in raw.stdout.decode().splitlines()]

    return seen


def gone(pid):
    return not Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize("kind", ["cpu", "memory", "disk"])
def test_a_load_of_each_kind_runs_beside_the_program_and_ends_with_its_trial(beside, runner, kind):
    ((pid, parent, _, words),) = beside(kind)
    assert int(parent) == runner.pid
    assert words.split()[1:3] == [kind, "100"]
    assert gone(pid)


def test_a_load_is_as_many_processes_as_asked_on_the_cpus_that_are_named(beside):
    last = max(os.sched_getaffinity(0))
    result = beside(f"cpu x2 25% on {last}")
    assert [(cpus, words.split()[2]) for _, _, cpus, words in result] == [(str(last), "25")] * 2


def test_none_is_no_process(beside):
    assert beside("none") == []


def test_a_load_ends_when_the_runner_is_killed_and_nobody_is_left_to_end_it(
    runner, sh, mark, tmp_path, eventually
):
    pid_file = tmp_path / "pid"
    spec_ = experiment(
        source=str(tmp_path),
        program={"command": f"pgrep -x steelyard-load -P $PPID > {pid_file}; exec sleep 60", "shell": True},
        factors={"background_load": ["cpu 10%"]},
    )
    (launch,) = LaunchPlan(spec_, treatments(spec_), builds={}).start_in_context(None).values()
    number = runner.define(launch)
    import threading

    thread = threading.Thread(target=lambda: _quietly(runner, number))
    thread.start()
    eventually(lambda: pid_file.exists() and pid_file.read_text().strip())
    pid = int(pid_file.read_text())
    os.kill(runner.guard_pid, signal.SIGKILL)
    os.kill(runner.pid, signal.SIGKILL)
    eventually(lambda: gone(pid) or "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text())
    thread.join()


def _quietly(runner, number):
    from steelyard.run.runner.runner import RunnerDiedError

    with pytest.raises(RunnerDiedError):
        runner.run([TrialOrder(1, number)])
