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
from steelyard.run.native import MODULES, RUNNER, native_file
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
    assert {module.path for module in notes.modules if not module.path.endswith(".py")} == witness
    assert len(witness) > 3


def test_sources_of_python_are_those_that_its_own_list_of_modules_has(tmp_path):
    (tmp_path / "mine.py").write_text("import json\n")
    code = (
        "import sys; sys.path.insert(0, '.'); import mine\n"
        "for module in list(sys.modules.values()):\n"
        "    file = getattr(module, '__file__', None) or ''\n"
        "    frozen = getattr(module.__spec__, 'origin', '') == 'frozen'  # part of the interpreter\n"
        "    print(file) if file.endswith('.py') and not frozen else None"
    )
    for _ in range(2):  # by its source, then by its bytecode
        output = subprocess.run(
            (sys.executable, "-c", code), cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout
        notes, end = observe(tmp_path, sys.executable, "-c", code)
        assert end.exit_code == 0
        sources = {os.path.realpath(module.path) for module in notes.modules if module.path.endswith(".py")}
        assert {os.path.realpath(tmp_path / file) for file in output.split()} <= sources
    assert str(tmp_path / "mine.py") in sources
    assert all(module.kind == "module" for module in notes.modules if module.path.endswith(".py"))


@pytest.mark.parametrize(
    ("program", "name", "source", "words"),
    [
        ("perl", "mine.pl", "1;", ("-e", "require './mine.pl'")),
        ("node", "mine.js", "module.exports = 1", ("-e", "require('./mine.js')")),
        ("sh", "mine.sh", "x=1", ("-c", ". ./mine.sh")),
    ],
)
def test_a_source_of_another_interpreter_is_noted(tmp_path, program, name, source, words):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    (tmp_path / name).write_text(source)
    notes, end = observe(tmp_path, program, *words)
    assert end.exit_code == 0
    places = [module.path for module in notes.modules if module.path.endswith(f"/{name}")]
    assert [os.path.realpath(place) for place in places] == [str(tmp_path / name)]


def test_a_library_that_is_closed_again_is_noted(tmp_path, compiled):
    _, plugin = compiled
    code = f"import _ctypes; _ctypes.dlclose(_ctypes.dlopen({str(plugin)!r}, 2))"
    notes, end = observe(tmp_path, sys.executable, "-c", code)
    assert end.exit_code == 0, end.stderr
    assert str(plugin) in {module.path for module in notes.modules}


def test_data_and_files_that_are_written_are_no_sources(tmp_path):
    (tmp_path / "data.csv").write_text("1\n")
    (tmp_path / "log.py").write_text("")
    code = "open('data.csv').read(); open('log.py', 'a').write('1\\n')"
    notes, end = observe(tmp_path, sys.executable, "-c", code)
    assert end.exit_code == 0
    assert {"data.csv", "log.py"}.isdisjoint(Path(module.path).name for module in notes.modules)


def test_a_source_that_changes_before_notes_are_collected_is_told(tmp_path):
    source = tmp_path / "mine.py"
    source.write_text("")
    time.sleep(0.05)  # longer than a tick of the file system's clock
    observer = ModuleObserver()
    words = (sys.executable, "-c", "import sys; sys.path.insert(0, ''); import mine")
    (end,) = probe_launches([observer.wrap_launch(Launch(sys.executable, words, ENV, str(tmp_path)))])
    assert end.exit_code == 0
    source.write_text("x = 1")
    assert observer.collect().replaced == (str(source),)


def test_a_source_that_the_program_writes_itself_is_no_part_of_it(tmp_path):
    (tmp_path / "mine.py").write_text("x=1")
    time.sleep(0.05)  # longer than a tick of the file system's clock
    code = "text = open('mine.py').read(); open('mine.py', 'w').write(text + ' ')"
    notes, end = observe(tmp_path, sys.executable, "-c", code)
    assert end.exit_code == 0
    assert notes.replaced == ()
    assert "mine.py" not in {Path(module.path).name for module in notes.modules}


def test_a_process_that_outlives_the_program_goes_on_opening_files(tmp_path, eventually):
    (tmp_path / "late.py").write_text("open('end', 'w').close()\n")
    waits = f"while [ ! -e go ]; do sleep 0.01; done; exec {sys.executable} late.py"
    code = f"import subprocess; subprocess.Popen(['setsid', 'sh', '-c', {waits!r}])"
    place = tmp_path / "notes"
    place.touch()
    runner = str(native_file(RUNNER).absolute())
    words = (MODULES, str(place), sys.executable, sys.executable, "-c", code)
    process = subprocess.run(words, executable=runner, cwd=tmp_path, check=False)
    assert process.returncode == 0
    (tmp_path / "go").touch()
    eventually((tmp_path / "end").exists)


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


def test_an_observed_run_has_longer_than_the_limit_of_its_program(tmp_path):
    launch = Launch("/bin/true", ("true",), ENV, str(tmp_path), timeout_ns=100)
    assert ModuleObserver().wrap_launch(launch).timeout_ns > 1_000_000_000
    unlimited = Launch("/bin/true", ("true",), ENV, str(tmp_path))
    assert ModuleObserver().wrap_launch(unlimited).timeout_ns == unlimited.timeout_ns


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
