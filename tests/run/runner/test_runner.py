"""The runner as Python sees it: every status and field, batches, definitions, and the words of its errors."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from steelyard.core.errors import MachineError, RecordBusyError, RecordError
from steelyard.run.launch.launch import Launch
from steelyard.run.runner.journal import read_journal
from steelyard.run.runner.runner import (
    BlockEnd,
    Hook,
    HookError,
    Runner,
    RunnerDiedError,
    TrialOrder,
    find_runner,
)

S = 1_000_000_000
MS = 1_000_000


def test_a_program_that_ran_to_its_end_is_ok_whatever_its_exit_code(run_one, sh):
    trial = run_one(sh("exit 7"))
    assert (trial.status, trial.exit_code, trial.signal, trial.errno) == ("ok", 7, None, None)
    assert trial.wall_ns > 0
    assert abs(trial.start_ns - time.time_ns()) < 60 * S
    assert (trial.step, trial.hook, trial.hook_status) == (None, None, None)


def test_the_wait_for_a_cpu_is_observed_where_asking_costs_little_beside_the_run(runner, journal):
    true, nap = Launch("/bin/true", ("true",), (), "/"), Launch("/bin/sleep", ("sleep", "0.001"), (), "/")
    short, long = runner.define(true), runner.define(nap)
    runner.run([TrialOrder(i, long if i % 10 == 0 else short) for i in range(1, 41)])
    trials = read_journal(journal)[0]
    assert [trial.cpu is not None for trial in trials] == [trial.wall_ns >= MS // 2 for trial in trials]
    assert all(trial.cpu is not None for trial in trials if trial.launch == long)
    assert all(trial.queue_wait_ns is None for trial in trials if trial.cpu is None)


def test_the_wait_for_a_cpu_is_observed_of_every_run_where_it_is_asked_for(runner, journal):
    true = runner.define(Launch("/bin/true", ("true",), (), "/", queue_wait=True))
    runner.run([TrialOrder(i, true) for i in range(1, 11)])
    for trial in read_journal(journal)[0]:
        assert trial.cpu in os.sched_getaffinity(0)
        assert trial.queue_wait_ns is None or trial.queue_wait_ns < trial.wall_ns


def test_a_program_that_dies_by_a_signal_says_which(run_one, sh):
    trial = run_one(sh("kill -SEGV $$"))
    assert (trial.status, trial.exit_code, trial.signal) == ("ok", None, signal.SIGSEGV)


def test_a_program_that_does_not_exist_never_ran(run_one, tmp_path):
    trial = run_one(Launch("/nowhere/program", ("program",), (), str(tmp_path)))
    assert (trial.status, trial.step, trial.errno) == ("spawn_failed", "exec", 2)
    assert (trial.exit_code, trial.signal, trial.wall_ns, trial.rss_bytes) == (None, None, 0, 0)


def test_a_file_that_may_not_be_executed_never_ran(run_one, tmp_path):
    (tmp_path / "text").write_text("no program")
    trial = run_one(Launch(str(tmp_path / "text"), ("text",), (), str(tmp_path)))
    assert (trial.status, trial.step, trial.errno) == ("spawn_failed", "exec", 13)


def test_a_file_that_is_no_program_is_not_handed_to_a_shell(run_one, tmp_path):
    script = tmp_path / "script"
    script.write_text("exit 0\n")
    script.chmod(0o755)
    trial = run_one(Launch(str(script), ("script",), (), str(tmp_path)))
    assert (trial.status, trial.errno) == ("spawn_failed", 8)


def test_user_and_system_time_of_the_waited_for_tree_are_counted(run_one, sh):
    trial = run_one(sh("(i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done)"))
    assert trial.user_us + trial.system_us > 0
    assert trial.minor_faults > 0


def test_a_program_beyond_its_time_limit_is_ended(run_past):
    trial = run_past("echo before; touch there; sleep 600")
    assert (trial.status, trial.signal) == ("timed_out", signal.SIGTERM)
    assert trial.wall_ns >= 50 * MS
    assert trial.stdout == b"before\n"


def test_a_program_that_ignores_sigterm_is_ended_all_the_same(run_past):
    trial = run_past("trap '' TERM; touch there; while :; do sleep 600; done")
    assert (trial.status, trial.signal) == ("timed_out", signal.SIGKILL)


def test_a_program_that_ends_well_when_asked_at_its_time_limit_is_timed_out_too(run_past):
    trial = run_past("trap 'exit 0' TERM; touch there; sleep 600 & wait")
    assert (trial.status, trial.exit_code) == ("timed_out", 0)


def test_a_program_that_stops_itself_is_ended_at_its_time_limit(run_past):
    # Who sees that it has stopped is a process beside it, which a time limit ends as well.
    look = "until grep -q '^State:.T' /proc/$$/status; do sleep 0.01; done; touch there; sleep 600"
    trial = run_past(f"({look}) & kill -STOP $$")
    assert (trial.status, trial.signal) == ("timed_out", signal.SIGKILL)


def test_a_time_limit_that_is_not_reached_changes_nothing(run_one, sh):
    assert run_one(sh("exit 0", timeout_ns=600 * S)).status == "ok"


def test_trials_keep_their_numbers_and_their_order(runner, journal, sh):
    launches = [runner.define(sh(f"exit {code}")) for code in (3, 4)]
    numbers = [10, 2, 999_999_999_999, 7]
    assert runner.run([TrialOrder(number, launches[number % 2]) for number in numbers]) == 4
    trials, _ = read_journal(journal)
    assert [trial.trial for trial in trials] == numbers
    assert [trial.exit_code for trial in trials] == [3, 3, 4, 4]
    assert [trial.launch for trial in trials] == [launches[number % 2] for number in numbers]


def test_an_empty_batch_is_done_at_once(runner):
    assert runner.run([]) == 0


def test_a_batch_of_thousands_is_taken_whole(runner, journal, sh):
    launch = runner.define(Launch("/bin/true", ("true",), (), "/", stdout="null", stderr="null"))
    assert runner.run([*(TrialOrder(number, launch) for number in range(1, 3001)), BlockEnd()]) == 3000
    assert [trial.trial for trial in read_journal(journal)[0]] == list(range(1, 3001))


def test_each_trial_is_in_the_journal_before_the_next_one_starts(runner, journal, sh):
    launch = runner.define(sh(f"stat -c %s {journal}"))
    runner.run([TrialOrder(number, launch) for number in (1, 2, 3)])
    trials, size = read_journal(journal)
    sizes = [int(trial.stdout) for trial in trials] + [size]
    assert sizes[0] == 16
    assert sizes == sorted(set(sizes))


def test_forgotten_launches_are_gone_and_numbers_begin_again(runner, journal, sh):
    for code in (1, 2):
        launch = runner.define(sh(f"exit {code}"))
        assert launch == 0
        runner.run([TrialOrder(code, launch)])
        runner.forget()
    assert [trial.exit_code for trial in read_journal(journal)[0]] == [1, 2]
    with pytest.raises(RunnerDiedError, match="never defined"):
        runner.run([TrialOrder(3, 0)])


def test_a_thousand_launches_do_not_make_the_runner_larger(lean_runner, run_one, sh):
    # They are 4 MB; the kernel itself counts a process's pages in batches of up to 32 a CPU (128 KiB).
    before = run_one(sh("exit 0")).rss_floor_bytes
    for number in range(1_000):
        lean_runner.define(Launch("/bin/true", ("true",), (f"A={number:05d}" + "x" * 4_000,), "/"))
    assert run_one(sh("exit 0")).rss_floor_bytes <= before + 1024 * 1024


def test_the_number_of_the_trial_is_written_into_the_environment(runner, journal, sh):
    launch = runner.define(sh("echo $STEELYARD_TRIAL", env=("STEELYARD_TRIAL=c0ffee-000000000000",)))
    runner.run([TrialOrder(7, launch), TrialOrder(123_456_789_012, launch)])
    assert [t.stdout for t in read_journal(journal)[0]] == [
        b"c0ffee-000000000007\n",
        b"c0ffee-123456789012\n",
    ]


def test_a_trial_number_too_long_for_the_environment_is_refused(runner, sh):
    launch = runner.define(sh("exit 0", env=("STEELYARD_TRIAL=c0ffee-000000000000",)))
    with pytest.raises(RunnerDiedError, match="twelve digits"):
        runner.run([TrialOrder(10**12, launch)])


def test_prepare_and_cleanup_run_around_each_trial_in_order(runner, journal, sh, tmp_path):
    def note(word: str) -> Launch:
        return sh(f"echo {word} >> {tmp_path}/notes")

    launch = sh(
        f"echo run >> {tmp_path}/notes", prepare=(note("first"), note("second")), cleanup=(note("after"),)
    )
    number = runner.define(launch)
    assert runner.run([TrialOrder(1, number), TrialOrder(2, number)]) == 2
    assert (tmp_path / "notes").read_text().split() == ["first", "second", "run", "after"] * 2


def test_a_prepare_that_fails_keeps_the_program_from_running_and_says_what_it_said(
    runner, journal, sh, tmp_path
):
    launch = sh(
        f"touch {tmp_path}/ran",
        prepare=(sh("echo no cache >&2; exit 4"), sh(f"touch {tmp_path}/ran")),
        cleanup=(sh(f"echo cleaned; touch {tmp_path}/cleaned"),),
    )
    number = runner.define(launch)
    assert runner.run([TrialOrder(1, number)]) == 1
    [trial] = read_journal(journal)[0]
    assert (trial.status, trial.hook_status, trial.exit_code, trial.stderr) == (
        "hook_failed",
        "ok",
        4,
        b"no cache\n",
    )
    assert (trial.launch, trial.hook, trial.stdout) == (number, 0, b"")
    assert not (tmp_path / "ran").exists()
    assert (tmp_path / "cleaned").exists(), "cleanup gives back what prepare took"


def test_a_cleanup_that_fails_fails_the_trial(run_one, sh):
    launch = sh("echo result", cleanup=(sh("echo gone >&2; exit 2"), sh("echo other")))
    trial = run_one(launch)
    assert (trial.status, trial.hook, trial.exit_code) == ("hook_failed", 0, 2)
    assert (trial.stdout, trial.stderr) == (b"", b"gone\n")


def test_cleanup_does_not_overwrite_what_the_program_said(run_one, sh):
    trial = run_one(
        sh("echo result; echo words >&2", cleanup=(sh("echo cleaned"),), prepare=(sh("echo ready"),))
    )
    assert (trial.stdout, trial.stderr) == (b"result\n", b"words\n")


def test_a_hook_that_cannot_start_or_never_ends_is_told_apart(run_one, sh, tmp_path):
    missing = Launch("/nowhere/sync", ("sync",), (), str(tmp_path))
    trial = run_one(sh("exit 0", prepare=(missing,)))
    assert (trial.status, trial.hook_status, trial.errno) == ("hook_failed", "spawn_failed", 2)
    trial = run_one(sh("exit 0", prepare=(sh("sleep 600", timeout_ns=20 * MS),)))
    assert (trial.status, trial.hook_status) == ("hook_failed", "timed_out")


def test_the_first_failure_is_the_one_that_is_told(run_one, sh):
    trial = run_one(sh("sleep 600", timeout_ns=20 * MS, cleanup=(sh("exit 1"),)))
    assert (trial.status, trial.hook) == ("timed_out", None)


def test_a_block_hook_that_fails_ends_the_batch(runner, journal, sh):
    good, bad = runner.define(sh("exit 0")), runner.define(sh("echo cannot mount >&2; exit 32"))
    with pytest.raises(HookError, match="cannot mount") as error:
        runner.run([TrialOrder(1, good), Hook(bad), TrialOrder(2, good)])
    assert (error.value.done, error.value.hook.hook, error.value.hook.exit_code) == (1, bad, 32)
    assert error.value.exit_code == 5
    assert [trial.trial for trial in read_journal(journal)[0]] == [1]
    assert runner.run([Hook(good), TrialOrder(2, good)]) == 1, "the runner goes on"


def test_totals_of_arguments_and_environment_are_those_of_the_launch(run_one, sh):
    launch = Launch("/bin/true", ("true", "Größe"), ("A=b", "LANG=ü", "EMPTY="), "/")
    trial = run_one(launch)
    assert (trial.argv_bytes, trial.env_bytes) == (launch.argv_bytes, launch.env_bytes)
    assert launch.argv_bytes == 10 + (5 + 8) + (8 + 8)
    assert launch.env_bytes == (4 + 8) + (8 + 8) + (7 + 8)


def test_equal_totals_put_the_environment_at_the_same_place_on_the_stack(run_one, tmp_path):
    program = tmp_path / "where"
    source = """
        #include <stdio.h>
        int main(int n, char** words, char** environment) { return printf("%p", (void*)environment) < 0; }"""
    subprocess.run(["cc", "-x", "c", "-", "-o", program], input=source.encode(), check=True)
    longer = tmp_path / "where-with-a-longer-name"
    longer.hardlink_to(program)

    def place(path: Path, padding: int) -> bytes:
        launch = Launch(str(path), ("where",), ("P=" + "x" * padding,), "/", aslr_off=True)
        trial = run_one(launch)
        if trial.status == "setup_failed":
            pytest.skip("this kernel does not let a program switch ASLR off")
        return trial.stdout

    difference = len(str(longer)) - len(str(program))
    assert place(program, 64) == place(program, 64)
    assert place(program, 64 + difference) == place(longer, 64)
    assert place(program, 64 + 4096) != place(program, 64)


def test_the_start_refuses_a_file_that_is_no_journal_and_leaves_it(tmp_path, runner_program):
    precious = tmp_path / "thesis.tex"
    precious.write_text("years of work")
    with pytest.raises(RecordError, match="is not a journal"):
        Runner(precious)
    assert precious.read_text() == "years of work"


def test_the_start_says_why_a_journal_cannot_be_opened(tmp_path, runner_program):
    with pytest.raises(RecordError, match="No such file or directory"):
        Runner(tmp_path / "missing" / "journal")


def test_a_journal_has_one_runner(runner, journal):
    with pytest.raises(RecordBusyError, match="another runner"):
        Runner(journal)


def test_a_runner_that_is_not_there_is_this_machines_fault(monkeypatch):
    monkeypatch.setenv("STEELYARD_RUNNER", "/nowhere/runner")
    with pytest.raises(MachineError, match="/nowhere/runner"):
        find_runner()


def test_the_installed_runner_is_found_beside_the_package(monkeypatch, runner_program):
    monkeypatch.delenv("STEELYARD_RUNNER", raising=False)
    try:
        result = find_runner()
    except MachineError as error:
        pytest.skip(f"the package is used from its sources: {error}")
    assert result.parts[-3:] == ("steelyard", "_native", "steelyard-runner")


def test_the_runner_called_by_hand_says_how_it_is_called(runner_program):
    done = subprocess.run([find_runner(), "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "usage: steelyard-runner --journal PATH [--undo PATH]\n")


def test_the_runner_holds_nothing_of_what_c_plus_plus_throws_with(lean_runner, runner_program):
    # A throwing call of the standard library links 70 KB that are resident from the start: the floor of all
    # programs' memory.
    assert b"out_of_range" not in runner_program.read_bytes()
