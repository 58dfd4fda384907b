"""No process is left: not by a program, not by a stop, not by the death of Python, runner, guard, or all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from steelyard.run.launch.launch import Launch
from steelyard.run.runner.journal import read_journal
from steelyard.run.runner.runner import Hook, Runner, RunnerDiedError, TrialOrder
from steelyard.run.runner.strays import end_strays, find_strays

MS = 1_000_000

TREE = """
there=$(mktemp -d)
for i in 1 2 3; do
    setsid sh -c "trap '' TERM HUP; sleep 600 & : > $there/$i; exec sleep 600" &
done
until [ -e $there/1 ] && [ -e $there/2 ] && [ -e $there/3 ]; do sleep 0.01; done
rm -r $there
"""
"""Three sessions that ignore SIGTERM, with two processes each, all there when it goes on."""

TREE_SIZE = 6


@pytest.fixture
def grown(mark):
    """``grown()``: whether the whole tree is there."""
    return lambda: sum(command_line(item.pid) == "sleep 600 " for item in find_strays(mark)) == TREE_SIZE


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def test_what_a_program_leaves_running_is_ended_and_counted(runner, journal, marked, mark):
    launch = runner.define(marked(TREE))
    runner.run([TrialOrder(1, launch)])
    assert find_strays(mark) == []
    [trial] = read_journal(journal)[0]
    assert (trial.status, trial.left_processes) == ("ok", TREE_SIZE)


def test_a_program_that_leaves_nothing_has_left_nothing(run_one, sh):
    assert run_one(sh("sleep 0 & wait; true & exit 0")).left_processes in (0, 1)
    assert run_one(sh("true")).left_processes == 0


def test_a_time_limit_ends_the_whole_tree(runner, marked, mark, tmp_path):
    for limit_ms in (100, 1_000, 10_000, 100_000):
        runner.run(
            [TrialOrder(1, runner.define(marked(TREE + "touch there; wait", timeout_ns=limit_ms * MS)))]
        )
        assert find_strays(mark) == []
        if (tmp_path / "there").exists():
            return
    raise AssertionError(f"within {limit_ms} ms, the tree was not there")


def test_hundreds_of_orphans_are_ended(runner, journal, marked, mark):
    launch = runner.define(marked("for i in $(seq 150); do setsid sleep 600 & done"))
    runner.run([TrialOrder(1, launch)])
    assert find_strays(mark) == []
    assert read_journal(journal)[0][0].left_processes == 150


def test_what_prepare_starts_serves_the_trial_and_goes_with_it(runner, journal, sh, tmp_path):
    pid_file = tmp_path / "server.pid"
    serve = sh(f"setsid sleep 600 > /dev/null 2>&1 & echo $! > {pid_file}")
    served = sh(f"kill -0 $(cat {pid_file})", prepare=(serve,), cleanup=(sh(f"kill -0 $(cat {pid_file})"),))
    number = runner.define(served)
    runner.run([TrialOrder(1, number)])
    first = int(pid_file.read_text())
    assert not alive(first)
    runner.run([TrialOrder(2, number)])
    trials = read_journal(journal)[0]
    assert [(trial.status, trial.exit_code, trial.left_processes) for trial in trials] == [("ok", 0, 0)] * 2
    assert not alive(int(pid_file.read_text()))


def test_what_a_block_hook_starts_lives_until_the_runner_ends(journal, sh, tmp_path, runner_program):
    pid_file = tmp_path / "server.pid"
    with Runner(journal) as runner:
        serve = runner.define(sh(f"setsid sleep 600 > /dev/null 2>&1 & echo $! > {pid_file}"))
        check = runner.define(sh(f"kill -0 $(cat {pid_file}); sleep 600 & exit 0"))
        runner.run([Hook(serve), TrialOrder(1, check), TrialOrder(2, check)])
        server = int(pid_file.read_text())
        assert alive(server)
        assert [trial.left_processes for trial in read_journal(journal)[0]] == [1, 1]
    assert not alive(server)


def test_stop_ends_the_running_trial_which_is_not_written_down(
    runner, journal, marked, mark, grown, meanwhile
):
    quick, endless = runner.define(marked("exit 0")), runner.define(marked(TREE + "wait"))
    with meanwhile(grown, runner.stop):
        done = runner.run([TrialOrder(1, quick), TrialOrder(2, endless), TrialOrder(3, quick)])
    assert (done, runner.stopped) == (1, True)
    runner.close()
    assert [trial.trial for trial in read_journal(journal)[0]] == [1]
    assert find_strays(mark) == []
    with pytest.raises(RunnerDiedError, match="stopped"):
        runner.run([TrialOrder(3, quick)])


def test_stop_lets_cleanup_give_back_what_prepare_took(runner, sh, tmp_path, meanwhile):
    held = tmp_path / "held"
    launch = sh("sleep 600", prepare=(sh(f"touch {held}"),), cleanup=(sh(f"sleep 0.1; rm {held}"),))
    number = runner.define(launch)
    with meanwhile(held.exists, runner.stop):
        assert runner.run([TrialOrder(1, number)]) == 0
    assert not held.exists()


def test_a_cleanup_that_never_ends_does_not_hold_up_a_stop(runner, marked, mark, meanwhile):
    number = runner.define(marked("sleep 600", cleanup=(marked("trap '' TERM; sleep 600; sleep 600"),)))
    with meanwhile(lambda: find_strays(mark), runner.stop):
        assert runner.run([TrialOrder(1, number)]) == 0
    runner.close()
    assert find_strays(mark) == []


def test_stop_between_batches_ends_the_runner(runner, sh, eventually):
    number = runner.define(sh("exit 0"))
    runner.stop()
    eventually(lambda: not alive(runner.pid))
    assert runner.run([TrialOrder(1, number)]) == 0
    assert runner.stopped


def test_an_exception_in_python_ends_the_batch_and_leaves_nothing(
    journal, marked, mark, grown, meanwhile, runner_program
):
    def interrupt() -> None:
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    with Runner(journal) as runner:
        number = runner.define(marked(TREE + "wait"))
        with pytest.raises(KeyboardInterrupt), meanwhile(grown, interrupt):
            runner.run([TrialOrder(1, number)])
    assert find_strays(mark) == []
    assert read_journal(journal)[0] == []


def test_closing_twice_is_closing_once(runner):
    runner.close()
    runner.close()


@pytest.fixture
def run_until_killed(runner, grown, meanwhile):
    """One short trial, then an endless one during which ``kill`` is called; returns what Python was told."""

    def run(launches: tuple[Launch, Launch], kill) -> str:
        quick, endless = (runner.define(launch) for launch in launches)
        with pytest.raises(RunnerDiedError) as error, meanwhile(grown, kill):
            runner.run([TrialOrder(1, quick), TrialOrder(2, endless), TrialOrder(3, quick)])
        return str(error.value)

    return run


def test_when_the_runner_is_killed_the_guard_leaves_nothing(runner, journal, marked, mark, run_until_killed):
    killed = run_until_killed(
        (marked("exit 0"), marked(TREE + "wait")), lambda: os.kill(runner.pid, signal.SIGKILL)
    )
    assert "SIGKILL" in killed
    assert find_strays(mark) == []
    assert [trial.trial for trial in read_journal(journal)[0]] == [1]


def test_when_the_guard_is_killed_the_runner_leaves_nothing(
    runner, journal, marked, mark, grown, meanwhile, eventually
):
    quick, endless = runner.define(marked("exit 0")), runner.define(marked(TREE + "wait"))
    with meanwhile(grown, lambda: os.kill(runner.guard_pid, signal.SIGKILL)):
        assert runner.run([TrialOrder(1, quick), TrialOrder(2, endless)]) == 1
    assert runner.stopped
    eventually(lambda: not alive(runner.pid))
    assert find_strays(mark) == []
    assert [trial.trial for trial in read_journal(journal)[0]] == [1]


def test_when_guard_and_runner_are_killed_the_program_dies_and_its_strays_are_found(
    runner, journal, marked, mark, run_until_killed, eventually
):
    def kill_both() -> None:
        os.kill(runner.guard_pid, signal.SIGSTOP)  # so that it cannot clean up before it dies
        os.kill(runner.pid, signal.SIGKILL)
        os.kill(runner.guard_pid, signal.SIGKILL)

    run_until_killed((marked("exit 0"), marked(TREE + "exec sleep 987")), kill_both)
    # Neither the program nor what its shell had just started, such as rm: the tree, and all of it.
    eventually(lambda: [command_line(item.pid) for item in find_strays(mark)] == ["sleep 600 "] * TREE_SIZE)
    assert {stray.trial for stray in end_strays(mark)} == {"000000000002"}
    assert find_strays(mark) == []
    assert [trial.trial for trial in read_journal(journal)[0]] == [1]


PYTHON_TO_KILL = """
import os, sys, time
from pathlib import Path
from steelyard.run.launch.launch import Launch
from steelyard.run.runner.runner import Runner
from steelyard.run.runner.orders import TrialOrder

with Runner(Path(sys.argv[1])) as runner:
    def define(script):
        env = ("PATH=/usr/bin:/bin", f"STEELYARD_TRIAL={sys.argv[2]}-000000000000")
        return runner.define(Launch("/bin/sh", ("sh", "-c", script), env, "/"))
    quick, endless = define("exit 0"), define(sys.argv[3])
    if sys.argv[4] == "fork" and os.fork() == 0:
        time.sleep(600)  # holds every pipe open
        os._exit(0)
    print("ready", flush=True)
    runner.run([TrialOrder(1, quick), TrialOrder(2, endless)])
"""


@pytest.mark.parametrize("forks", ["alone", "fork"])
def test_when_python_is_killed_nothing_is_left(journal, mark, grown, eventually, forks, runner_program):
    """Also when a process that it forked holds the pipe open."""
    python = subprocess.Popen(
        [sys.executable, "-c", PYTHON_TO_KILL, journal, mark, TREE + "wait", forks],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
    )
    assert python.stdout.readline() == b"ready\n"
    eventually(grown)
    python.kill()
    python.wait()
    eventually(lambda: find_strays(mark) == [])
    assert [trial.trial for trial in read_journal(journal)[0]] == [1]
    python.stdout.close()
    if forks == "fork":
        os.killpg(python.pid, signal.SIGKILL)


STRAY = """
setsid sh -c 'trap "echo asked > said; exit" TERM; touch there; while :; do sleep 0.01; done' &
trap "" TERM
until [ -e said ]; do sleep 0.01; done
"""
"""A launcher that passes no signal on, and a rank of it in a session of its own."""


def test_at_the_time_limit_a_process_outside_of_its_group_is_asked_to_end_too(run_past, tmp_path):
    # On a busy machine, it may be killed before its shell comes to its trap.
    for _ in range(20):
        run_past(STRAY)
        if (tmp_path / "said").exists():
            break
    assert (tmp_path / "said").read_text() == "asked\n"
