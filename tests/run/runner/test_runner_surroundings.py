"""What a program finds around it: exactly what its launch says, or a refusal where the machine says no."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from steelyard.interventions.launch_change import UNLIMITED_MIB
from steelyard.run.launch.launch import Launch
from steelyard.run.runner.journal import read_journal
from steelyard.run.runner.runner import TrialOrder


def test_the_environment_is_exactly_the_one_of_the_launch(run_one, monkeypatch):
    monkeypatch.setenv("SECRET_OF_THE_CALLER", "hunter2")
    trial = run_one(Launch("/usr/bin/env", ("env",), ("B=2", "A=1", "ODD= x=y "), "/"))
    assert trial.stdout == b"B=2\nA=1\nODD= x=y \n"


def test_arguments_come_as_they_are(run_one):
    words = ("printf", "[%s]", "", "two words", "new\nline", "$HOME", "*")
    assert run_one(Launch("/usr/bin/printf", words, (), "/")).stdout == b"[][two words][new\nline][$HOME][*]"


def test_the_working_directory_is_the_one_of_the_launch(run_one, sh, tmp_path):
    below = tmp_path / "below"
    below.mkdir()
    assert run_one(sh("pwd -P", cwd=str(below))).stdout.decode().strip() == os.path.realpath(below)


def test_a_directory_that_is_made_anew_between_trials_is_entered_anew(runner, journal, sh, tmp_path):
    below = tmp_path / "below"
    anew = sh(f"rm -rf {below}; mkdir {below}", cwd=str(tmp_path))
    launch = runner.define(sh("touch mark; ls", cwd=str(below), prepare=(anew,)))
    runner.run([TrialOrder(1, launch), TrialOrder(2, launch)])
    assert [trial.stdout for trial in read_journal(journal)[0]] == [b"mark\n", b"mark\n"]
    assert (below / "mark").exists()


def test_no_descriptor_but_the_three_streams_reaches_the_program(run_one, sh, tmp_path):
    leaked = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(leaked, True)
    try:
        listed = run_one(sh("ls /proc/$$/fd")).stdout.split()
    finally:
        os.close(leaked)
    # dash keeps no descriptor of its own for -c
    assert listed == [b"0", b"1", b"2"]


def test_no_signal_is_blocked_or_ignored(run_one, sh):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    try:
        status = run_one(Launch("/bin/cat", ("cat", "/proc/self/status"), (), "/")).stdout.decode()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})
    masks = dict(line.split(":\t") for line in status.splitlines() if line.startswith("Sig"))
    assert (int(masks["SigBlk"], 16), int(masks["SigIgn"], 16)) == (0, 0)


def test_a_program_leads_a_group_of_its_own_without_a_terminal(runner, run_one, sh):
    fields = run_one(Launch("/bin/cat", ("cat", "/proc/self/stat"), (), "/")).stdout.split()
    pid, group, session, terminal = (int(fields[place]) for place in (0, 4, 5, 6))
    assert (group, session, terminal) == (pid, runner.guard_pid, 0)


def test_a_program_that_signals_its_whole_group_does_not_reach_the_runner(runner, journal, sh):
    rude, plain = runner.define(sh("kill -KILL 0")), runner.define(sh("exit 0"))
    assert runner.run([TrialOrder(1, rude), TrialOrder(2, plain)]) == 2
    first, second = read_journal(journal)[0]
    assert (first.signal, second.exit_code) == (signal.SIGKILL, 0)


def test_affinity_is_set_for_one_launch_and_given_back_for_the_next(runner, journal):
    allowed = sorted(os.sched_getaffinity(0))
    show = Launch("/bin/grep", ("grep", "Cpus_allowed_list", "/proc/self/status"), (), "/", queue_wait=True)
    free = runner.define(show)
    result = runner.define(replace(show, affinity=(allowed[-1],)))
    runner.run([TrialOrder(1, free), TrialOrder(2, result), TrialOrder(3, free)])
    first, second, third = read_journal(journal)[0]
    assert second.stdout.split()[1] == str(allowed[-1]).encode()
    assert second.cpu == allowed[-1]
    assert first.stdout == third.stdout


def test_a_cpu_that_is_not_there_is_refused_and_never_dropped_silently(run_one, sh):
    present = min(os.sched_getaffinity(0))
    for cpus in ((1023,), (present, 1023)):
        trial = run_one(sh("exit 0", affinity=cpus))
        assert (trial.status, trial.step, trial.exit_code) == ("setup_failed", "affinity", None)
        assert trial.errno == 22


def test_aslr_is_off_for_one_launch_and_given_back_for_the_next(runner, journal):
    show = Launch("/bin/cat", ("cat", "/proc/self/personality"), (), "/")
    plain = runner.define(show)
    off = runner.define(Launch(show.path, show.argv, show.env, show.cwd, aslr_off=True))
    runner.run([TrialOrder(1, plain), TrialOrder(2, off), TrialOrder(3, plain)])
    first, second, third = read_journal(journal)[0]
    if second.status == "setup_failed":
        pytest.skip("this kernel does not let a program switch ASLR off")
    no_randomize = 0x0040000
    assert int(second.stdout, 16) & no_randomize
    assert not int(first.stdout, 16) & no_randomize
    assert first.stdout == third.stdout


SECCOMP_PERSONALITY = """
import ctypes, struct, sys
from msgspec.structs import replace
from pathlib import Path
from steelyard.run.runner.journal import read_journal
from steelyard.run.launch.launch import Launch
from steelyard.run.runner.runner import Runner
from steelyard.run.runner.orders import TrialOrder

# EPERM for personality (135 on x86-64), unless it only asks; every other system call is allowed
def op(code, jt, jf, k): return struct.pack("HBBI", code, jt, jf, k)
program = b"".join((
    op(0x20, 0, 0, 0), op(0x15, 0, 3, 135), op(0x20, 0, 0, 16), op(0x15, 1, 0, 0xffffffff),
    op(0x06, 0, 0, 0x00050000 | 1), op(0x06, 0, 0, 0x7fff0000)))
buffer = ctypes.create_string_buffer(program)
filter_ = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(buffer))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.c_char_p(filter_), 0, 0) == 0, ctypes.get_errno()
journal = Path(sys.argv[1])
with Runner(journal) as runner:
    launches = [runner.define(Launch("/bin/true", ("true",), (), "/", aslr_off=off)) for off in (True, False)]
    runner.run([TrialOrder(number, launch) for number, launch in enumerate(launches)])
for trial in read_journal(journal)[0]:
    print(trial.status, trial.step, trial.errno)
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the filter names system calls of x86-64")
def test_aslr_that_a_container_refuses_is_said_and_not_ignored(journal, runner_program):
    done = subprocess.run(
        [sys.executable, "-c", SECCOMP_PERSONALITY, journal],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout == "setup_failed aslr 1\nok None None\n"


def test_the_nice_value_is_the_one_of_the_launch(run_one):
    trial = run_one(Launch("/usr/bin/nice", ("nice",), (), "/", nice=7))
    assert trial.stdout == b"7\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start what may not be started")
def test_a_nice_value_that_is_not_allowed_is_said_and_not_ignored(journal, runner_program, tmp_path):
    script = (
        "import os, sys; from pathlib import Path; from steelyard.run.runner.journal import read_journal\n"
        "from steelyard.run.launch.launch import Launch\n"
        "from steelyard.run.runner.runner import Runner\n"
        "from steelyard.run.runner.orders import TrialOrder\n"
        "journal = Path(sys.argv[1])\n"
        "with Runner(journal) as runner:\n"
        "    runner.run([TrialOrder(1, runner.define(Launch('/bin/true', ('true',), (), '/', nice=-5)))])\n"
        "[trial] = read_journal(journal)[0]; print(trial.status, trial.step, trial.errno)\n"
    )
    done = subprocess.run(
        [
            "setpriv",
            "--bounding-set=-sys_nice",
            "--inh-caps=-sys_nice",
            sys.executable,
            "-c",
            script,
            journal,
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    if done.returncode != 0 and "setpriv" in done.stderr:
        pytest.skip("setpriv cannot take a capability away here")
    assert done.stdout == "setup_failed nice 13\n", done.stderr


def test_the_limit_of_the_stack_is_that_of_the_launch_and_of_no_later_one(runner, journal, sh):
    launches = [sh("ulimit -s", stack_mib=mib) for mib in (None, 16, UNLIMITED_MIB, None)]
    numbers = [runner.define(launch) for launch in launches]
    runner.run([TrialOrder(i, number) for i, number in enumerate(numbers, 1)])
    before, small, none, after = (trial.stdout.strip() for trial in read_journal(journal)[0])
    assert (small, none) == (b"16384", b"unlimited")
    assert before == after != small


def test_a_limit_of_the_stack_above_the_hard_one_fails_the_trial(journal, runner_program):
    script = (
        "import resource, sys; from pathlib import Path\n"
        "from steelyard.run.runner.journal import read_journal\n"
        "from steelyard.run.launch.launch import Launch\n"
        "from steelyard.run.runner.runner import Runner\n"
        "from steelyard.run.runner.orders import TrialOrder\n"
        "resource.setrlimit(resource.RLIMIT_STACK, (8 << 20, 8 << 20))\n"
        "with Runner(Path(sys.argv[1])) as runner:\n"
        "    launch = Launch('/bin/true', ('true',), (), '/', stack_mib=16)\n"
        "    runner.run([TrialOrder(1, runner.define(launch))])\n"
        "[trial] = read_journal(Path(sys.argv[1]))[0]; print(trial.status, trial.step)\n"
    )
    done = subprocess.run(
        [
            "setpriv",
            "--bounding-set=-sys_resource",
            "--inh-caps=-sys_resource",
            sys.executable,
            "-c",
            script,
            journal,
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    if done.returncode != 0 and "setpriv" in done.stderr:
        pytest.skip("setpriv cannot take a capability away here")
    assert done.stdout == "setup_failed stack_limit\n", done.stderr


def test_counters_count_or_say_that_they_are_not_available(run_one, sh):
    trial = run_one(sh(":", counters=("task_clock", "page_faults", "context_switches", "instructions:u")))
    assert set(trial.counters) == {"task_clock", "page_faults", "context_switches", "instructions:u"}
    if trial.counters["task_clock"] is None:
        pytest.skip("this kernel lets nobody count software events")
    assert trial.counters["task_clock"] > 0
    assert trial.counters["page_faults"] > 0
    instructions = trial.counters["instructions:u"]
    assert instructions is None or instructions > 0, "never 0 for not available"


def test_counters_count_children_of_the_program_too(run_one, sh):
    faults = run_one(sh(":", counters=("page_faults",))).counters["page_faults"]
    many = run_one(sh("for i in 1 2 3 4 5 6 7 8; do /bin/true; done", counters=("page_faults",))).counters[
        "page_faults"
    ]
    if faults is None or many is None:
        pytest.skip("this kernel lets nobody count software events")
    assert many > 3 * faults


def test_counters_of_one_trial_do_not_run_on_into_another(runner, journal, sh):
    counted = runner.define(sh(":", counters=("page_faults",)))
    busy = runner.define(sh("for i in 1 2 3 4 5 6 7 8; do /bin/true; done"))
    runner.run([TrialOrder(1, counted), TrialOrder(2, busy), TrialOrder(3, counted)])
    first, second, third = read_journal(journal)[0]
    assert second.counters == {}
    if first.counters["page_faults"] is None:
        pytest.skip("this kernel lets nobody count software events")
    assert third.counters["page_faults"] < 2 * first.counters["page_faults"]


def test_peak_memory_is_the_programs_and_not_that_of_python(lean_runner, run_one):
    ballast = b"x" * 300_000_000
    trial = run_one(Launch("/bin/true", ("true",), (), "/"))
    assert len(ballast) == 300_000_000
    assert trial.rss_floor_bytes < 1_000_000
    assert trial.rss_floor_bytes < trial.rss_bytes < 2_000_000


def test_peak_memory_of_one_program_is_not_carried_into_the_next(runner, journal, tmp_path):
    large = runner.define(Launch(sys.executable, ("python3", "-S", "-c", "b'x' * 100_000_000"), (), "/"))
    small = runner.define(Launch("/bin/true", ("true",), (), "/"))
    runner.run([TrialOrder(1, large), TrialOrder(2, small)])
    first, second = read_journal(journal)[0]
    assert first.rss_bytes > 100_000_000
    assert second.rss_bytes < 50_000_000


def test_the_environments_of_large_launches_do_not_stay_in_the_runner(runner, journal):
    wide = runner.define(Launch("/bin/true", ("true",), ("A=" + "x" * 60_000,), "/"))
    runner.run([TrialOrder(1, wide)])
    [trial] = read_journal(journal)[0]
    assert trial.status == "ok"
    assert trial.env_bytes > 60_000


def test_the_processes_can_be_told_by_name(runner):
    names = [Path(f"/proc/{pid}/comm").read_text().strip() for pid in (runner.guard_pid, runner.pid)]
    assert names == ["steelyard-guard", "steelyard-run"]
