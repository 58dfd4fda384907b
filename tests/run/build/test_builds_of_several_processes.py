"""One build wanted by several processes, some of which die."""

from __future__ import annotations

import fcntl
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from steelyard.run.launch.launch import Launch
from steelyard.run.runner.runner import Runner, TrialOrder

BUILD_IN_A_PROCESS = """
import sys
from pathlib import Path
from steelyard.run.build import Builder
from steelyard.spec.experiment import Build

source, cache, script = sys.argv[1:]
build = Build(command=("/bin/sh", "-c", script), inputs=("**",))
built = Builder(build, Path(source), root=Path(cache)).build({})
print(built.directory, built.fresh)
"""


def in_a_process(workshop, script: str) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-c", BUILD_IN_A_PROCESS, workshop.source, workshop.cache, script]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def wait_for(path, process) -> None:
    while not path.exists():
        assert process.poll() is None
        time.sleep(0.005)


def test_two_processes_that_want_one_build_do_it_once(workshop):
    workshop.write("x", "")
    beside = workshop.source.parent
    # It ends only when both have asked.
    wait = f"while ! test -e {beside}/go; do sleep 0.01; done"
    script = f"echo x >> {beside}/count; touch {beside}/started; {wait}; echo > {{build}}/f"
    first = in_a_process(workshop, script)
    wait_for(beside / "started", first)
    processes = [in_a_process(workshop, script) for _ in range(2)]
    lock = next(workshop.cache.glob("*.lock"))
    while lock_waiters(lock) < 2:
        assert all(process.poll() is None for process in processes)
        time.sleep(0.005)
    (beside / "go").touch()
    printed = [process.communicate()[0].split() for process in (first, *processes)]
    assert [fresh for _, fresh in printed] == ["True", "False", "False"]
    assert len({directory for directory, _ in printed}) == 1
    assert workshop.builds == 1


def lock_waiters(path) -> int:
    inode = path.stat().st_ino
    locks = Path("/proc/locks").read_text().splitlines()
    return sum("->" in line and f":{inode} " in line for line in locks)


def test_what_the_runner_of_a_killed_python_wrote_down_is_not_taken_for_this_build(workshop, tmp_path):
    workshop.write("x", "")
    built = workshop.shell("echo > {build}/f").build({})
    built.directory.with_suffix(".complete").unlink()
    with Runner(built.directory.with_suffix(".journal")) as runner:
        launch = Launch(path="/bin/false", argv=("false",), env=(), cwd=str(tmp_path))
        runner.run([TrialOrder(1, runner.define(launch))])
    assert workshop.shell("echo > {build}/f").build({}).fresh


def test_a_build_waits_until_all_of_an_interrupted_one_has_ended(workshop):
    workshop.write("x", "")
    script = f"echo x >> {workshop.count_file}; echo > {{build}}/f"
    built = workshop.builder("/bin/sh", "-c", script).build({})
    built.directory.with_suffix(".complete").unlink()
    journal = built.directory.with_suffix(".journal")
    with journal.open("wb") as held:
        # As a runner does that is still ending what a killed Python had it build.
        fcntl.flock(held, fcntl.LOCK_EX)
        process = in_a_process(workshop, script)
        while lock_waiters(journal) < 1:
            assert process.poll() is None
            time.sleep(0.005)
        assert workshop.builds == 1
        assert (built.directory / "f").exists()
    assert process.communicate()[0].split() == [str(built.directory), "True"]
    assert workshop.builds == 2
    assert not journal.exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_build_that_is_interrupted_leaves_no_process_and_is_done_anew(workshop, number):
    workshop.write("x", "")
    beside = workshop.source.parent
    interrupted = f"test -e {beside}/cure || {{{{ setsid sleep 100 & sleep 100; }}}}"
    before, after = "ls {build}; echo > {build}/half", "mv {build}/half {build}/f"
    script = f"{before}; touch {beside}/started; {interrupted}; {after}"
    process = in_a_process(workshop, script)
    wait_for(beside / "started", process)
    process.send_signal(number)
    process.communicate()
    assert process.returncode != 0
    (beside / "cure").touch()
    built = workshop.builder("/bin/sh", "-c", script).build({})
    assert built.fresh
    assert built.log.read_text() == ""
    assert [file.name for file in built.directory.iterdir()] == ["f"]
