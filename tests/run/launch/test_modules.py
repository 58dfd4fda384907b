"""What programs map while they run, beside what a loader lists."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from steelyard.run.launch.launch import Launch
from steelyard.run.launch.modules import ModuleObserver
from steelyard.run.runner.runner import probe_launches

PLUGIN = """\
#include <dlfcn.h>
int main(int count, char **words) { return count > 1 && dlopen(words[1], RTLD_NOW) == 0; }
"""
ENV = ("PATH=/usr/bin:/bin",)


@pytest.fixture
def compiled(tmp_path):
    """A program that opens the library that it is given, and that library."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed, which makes a plug-in")
    (tmp_path / "main.c").write_text(PLUGIN)
    (tmp_path / "plug.c").write_text("int work(void) { return 0; }\n")
    program, plugin = tmp_path / "main", tmp_path / "plug.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", plugin, tmp_path / "plug.c"], check=True)
    subprocess.run(["gcc", "-o", program, tmp_path / "main.c", "-ldl"], check=True)
    return program, plugin


def observe(tmp_path, *words, observer=None):
    """The observation of one run, and how that ended."""
    observer = observer or ModuleObserver()
    path = str(shutil.which(words[0]) or words[0])
    launch = Launch(path, tuple(map(str, words)), ENV, str(tmp_path))
    (end,) = probe_launches([observer.wrap_launch(launch)])
    return observer.collect(), end


def test_a_library_that_a_program_opens_itself_is_noted(tmp_path, compiled):
    program, plugin = compiled
    notes, end = observe(tmp_path, program, plugin)
    assert end.exit_code == 0
    modules = {module.path: module for module in notes.modules}
    assert modules[str(plugin)].library_of == (str(program),)
    assert modules[str(plugin)].kind == "module"
    assert str(plugin) not in {module.path for module in observe(tmp_path, program)[0].modules}


def test_modules_are_those_that_maps_shows_of_a_process_that_sleeps(tmp_path):
    code = "import _ctypes, _sqlite3, time"
    sleeping = f"{code}; print('ready', flush=True); time.sleep(60)"
    with subprocess.Popen((sys.executable, "-c", sleeping), stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        maps = Path(f"/proc/{process.pid}/maps").read_text().splitlines()
        process.kill()
    witness = {line.split(maxsplit=5)[5] for line in maps if "x" in line.split()[1] and "/" in line}
    notes, _ = observe(tmp_path, sys.executable, "-c", code)
    assert {module.path for module in notes.modules} == witness
    assert len(witness) > 3


def test_what_a_shell_starts_is_a_program_of_its_own(tmp_path):
    mine = tmp_path / "mine"
    shutil.copy(shutil.which("true"), mine)
    notes, _ = observe(tmp_path, "sh", "-c", f"{mine}; exit 0")
    kinds = {module.path: module.kind for module in notes.modules}
    assert kinds[str(mine)] == "program"


def test_a_thread_that_ends_the_process_hides_no_module(tmp_path):
    code = (
        "import os, threading\n"
        "def end():\n    import _sqlite3\n    os._exit(3)\n"
        "thread = threading.Thread(target=end); thread.start(); thread.join()"
    )
    notes, end = observe(tmp_path, sys.executable, "-c", code)
    assert end.exit_code == 3
    assert any("sqlite3" in module.path for module in notes.modules)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGSEGV, signal.SIGKILL, signal.SIGUSR1])
def test_an_observed_program_ends_by_the_signal_that_ended_it(tmp_path, number):
    _, end = observe(tmp_path, "sh", "-c", f"kill -{int(number)} $$")
    assert end.signal == number


def test_an_observed_program_that_does_not_end_is_ended_at_its_limit(tmp_path):
    observer = ModuleObserver()
    launch = Launch(shutil.which("sleep"), ("sleep", "60"), ENV, str(tmp_path), timeout_ns=100_000_000)
    (end,) = probe_launches([observer.wrap_launch(launch)])
    assert end.status == "timed_out"
    assert any(module.path == os.path.realpath(launch.path) for module in observer.collect().modules)


def test_each_command_is_observed_once(tmp_path):
    observer = ModuleObserver()
    launch = Launch("/bin/true", ("true",), ENV, str(tmp_path))
    assert observer.wrap_launch(launch) != launch
    assert observer.wrap_launch(launch) is launch


def test_a_program_with_rights_of_its_own_is_left_alone(tmp_path):
    mine = tmp_path / "mine"
    shutil.copy(shutil.which("true"), mine)
    mine.chmod(0o4755)
    launch = Launch(str(mine), ("mine",), ENV, str(tmp_path))
    assert ModuleObserver().wrap_launch(launch) is launch


def test_code_that_the_program_makes_itself_is_no_part_of_it(tmp_path, compiled):
    program, plugin = compiled
    copy = tmp_path / "made.so"
    time.sleep(0.05)  # longer than a tick of the file system's clock
    notes, end = observe(tmp_path, "sh", "-c", f"cp {plugin} {copy}; {program} {copy}")
    assert end.exit_code == 0
    assert str(copy) not in {module.path for module in notes.modules}


def test_a_module_that_is_replaced_while_it_is_loaded_is_told(tmp_path, compiled):
    _, plugin = compiled
    code = (
        f"import ctypes, os, shutil; ctypes.CDLL({str(plugin)!r})\n"
        f"shutil.copy({str(plugin)!r}, 'other'); os.rename('other', {str(plugin)!r})"
    )
    notes, end = observe(tmp_path, sys.executable, "-c", code)
    assert end.exit_code == 0, end.stderr
    assert notes.replaced == (str(plugin),)


def test_a_path_with_a_line_feed_and_spaces_is_read(tmp_path, compiled):
    program, plugin = compiled
    odd = plugin.rename(tmp_path / "a b\nc (deleted).so")
    notes, _ = observe(tmp_path, program, odd)
    assert str(odd) in {module.path for module in notes.modules}


def test_where_no_tracing_is_allowed_the_program_runs_and_the_reason_is_told(tmp_path):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed, under which nobody else may trace")
    observer = ModuleObserver()
    launch = observer.wrap_launch(Launch("/bin/sh", ("sh", "-c", "exit 7"), ENV, str(tmp_path)))
    words = ("strace", "-f", "-o", "/dev/null", "bash", "-c", 'exec -a "$0" "$@"')
    process = subprocess.run([*words, launch.argv[0], launch.path, *launch.argv[1:]], check=False)
    assert process.returncode == 7
    notes = observer.collect()
    assert notes.problem == "the kernel allows no tracing (Operation not permitted)"
    assert notes.modules == ()
