from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import pytest

from steelyard.errors import MachineError, ProgramError, SpecError, UsageError
from steelyard.run.launch import Launch
from steelyard.run.runner import Runner, Trial


def files(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir()]


PROGRAM = """
#include <stdio.h>
int main(void) { printf("%d %s\\n", LEVEL, WHERE); return 0; }
"""
COMPILE = (
    "cc",
    "-{opt}",
    "-DLEVEL={level}",
    '-DWHERE="{build}"',
    "-o",
    "{build}/program",
    "{source}/program.c",
)


def test_a_real_program_is_built_once_for_each_combination_that_the_build_names(workshop):
    workshop.write("program.c", PROGRAM)
    builder = workshop.builder(*COMPILE, inputs=())
    levels = [{"opt": o, "level": v, "n": n} for o, v, n in product(("O1", "O2"), (1, 2), (10, 20))]
    built = [builder.build(each) for each in levels]
    assert builder.factors == {"opt", "level"}
    assert len({each.directory for each in built}) == 4
    for each, wanted in zip(built, levels, strict=True):
        printed = subprocess.run(
            [each.directory / "program"], capture_output=True, text=True, check=True
        ).stdout
        assert printed == f"{wanted['level']} {each.directory}\n"
        assert each.levels == {"opt": wanted["opt"], "level": wanted["level"]}


def test_all_directories_have_paths_of_one_length(workshop):
    workshop.write("x", "")
    builder = workshop.shell("echo {x} > {build}/f")
    directories = [builder.build({"x": x}).directory for x in ("", "a", "a" * 1000, 7)]
    assert len(set(directories)) == 4
    assert {len(os.fsencode(directory)) for directory in directories} == {len(str(workshop.cache)) + 1 + 16}


def test_factors_in_the_environment_of_a_build_count_too(workshop):
    workshop.write("x", "")
    builder = workshop.shell("echo $FLAGS > {build}/f", env={"FLAGS": "-{opt} {{kept}}"})
    built = [builder.build({"opt": opt}) for opt in ("O2", "O3", "O2")]
    assert [(each.directory / "f").read_text() for each in built] == [
        "-O2 {kept}\n",
        "-O3 {kept}\n",
        "-O2 {kept}\n",
    ]
    assert workshop.builds == 2


def test_a_second_run_finds_what_the_first_built(workshop):
    workshop.write("x", "")
    first = workshop.shell("cp x {build}").build({})
    second = workshop.shell("cp x {build}").build({})
    assert (first.fresh, first.reason) == (True, "not built before")
    assert (second.fresh, second.reason) == (False, None)
    assert second.directory == first.directory
    assert workshop.builds == 1


def test_within_one_run_a_program_stays_what_it_was(workshop):
    workshop.write("x", "one")
    builder = workshop.shell("cp x {build}")
    first = builder.build({})
    workshop.write("x", "two")
    assert builder.build({}) is first


@pytest.mark.parametrize("change", ["content", "new file", "renamed", "deleted", "made executable"])
def test_a_change_of_an_input_builds_again_and_back_is_found(workshop, change):
    path = workshop.write("x", "one")
    workshop.write("y", "")
    before = workshop.shell("echo > {build}/f").build({})
    changes = {
        "content": lambda: path.write_text("two"),
        "new file": lambda: workshop.write("z", ""),
        "renamed": lambda: path.rename(path.with_name("w")),
        "deleted": path.unlink,
        "made executable": lambda: path.chmod(0o755),
    }
    changes[change]()
    after = workshop.shell("echo > {build}/f").build({})
    assert after.fresh
    assert after.directory != before.directory
    if change == "content":
        path.write_text("one")
        assert workshop.shell("echo > {build}/f").build({}).directory == before.directory
        assert workshop.builds == 2


def test_a_build_that_writes_among_its_inputs_is_refused(workshop):
    workshop.write("x", "")
    builder = workshop.shell("for i in 1 2 3 4 5; do echo > {source}/made$i; done; echo > {build}/f")
    with pytest.raises(ProgramError) as caught:
        builder.build({})
    assert caught.value.message == "inputs changed while the build ran: made1, made2, made3 and 2 more"
    assert "leave them out of inputs" in caught.value.hint
    assert workshop.shell("echo > {source}/made1; echo > {build}/f", inputs=("x",)).build({}).fresh


def test_an_input_that_changed_while_it_was_built_is_refused_and_nothing_is_kept(workshop):
    path = workshop.write("x", "one")
    script = "cp x {build}; test -e ../edited || {{ touch ../edited; echo two > x; }}"
    with pytest.raises(ProgramError, match="inputs changed while the build ran: x"):
        workshop.shell(script).build({})
    path.write_text("one")
    assert workshop.shell(script).build({}).fresh


def test_a_file_that_the_command_names_is_an_input_without_being_listed(workshop):
    workshop.write("program.c", "int main(void) { return 0; }")
    workshop.write("unnamed.c", "")
    command = ("cc", "-o", "{build}/program", "program.c")
    assert workshop.builder(*command, inputs=()).build({}).fresh
    workshop.write("unnamed.c", "changed")
    assert not workshop.builder(*command, inputs=()).build({}).fresh
    workshop.write("program.c", "int main(void) { return 1; }")
    assert workshop.builder(*command, inputs=()).build({}).fresh


def test_another_command_environment_or_tool_builds_again(workshop):
    workshop.write("x", "")
    tool = workshop.write("tool.sh", "#!/bin/sh\necho > $1/f\n", mode=0o755)
    base = {"inputs": ("x",)}
    keys = {
        workshop.builder("{source}/tool.sh", "{build}", **base).build({}).key,
        workshop.builder("{source}/tool.sh", "{build}", "more", **base).build({}).key,
        workshop.builder("{source}/tool.sh", "{build}", env={"A": "1"}, **base).build({}).key,
        workshop.builder("{source}/tool.sh", "{build}", env={"A": "2"}, **base).build({}).key,
    }
    tool.write_text("#!/bin/sh\necho > $1/g\n")
    keys.add(workshop.builder("{source}/tool.sh", "{build}", **base).build({}).key)
    assert len(keys) == 5


def test_a_copy_of_the_source_elsewhere_is_built_for_itself(workshop, tmp_path):
    workshop.write("x", "")
    keys = {workshop.builder("sh", "-c", "pwd > {build}/where").build({}).key}
    shutil.copytree(workshop.source, tmp_path / "moved")
    workshop.source = tmp_path / "moved"
    keys.add(workshop.builder("sh", "-c", "pwd > {build}/where").build({}).key)
    assert len(keys) == 2


def test_another_cpu_builds_again(workshop, monkeypatch):
    workshop.write("x", "")
    key = workshop.shell("echo > {build}/f").build({}).key
    monkeypatch.setattr("steelyard.run.build.recipe.machine", lambda: "x86_64 Another CPU")
    assert workshop.shell("echo > {build}/f").build({}).key != key


def test_a_compiler_that_a_variable_chooses_is_part_of_the_key(workshop):
    workshop.write("x", "")
    compiler = workshop.write("../mycc", "#!/bin/sh\n", mode=0o755)
    first = workshop.shell("echo > {build}/f", env={"CC": f"{compiler} -m64"}).build({}).key
    compiler.write_text("#!/bin/sh\n# a newer one\n")
    assert workshop.shell("echo > {build}/f", env={"CC": f"{compiler} -m64"}).build({}).key != first


def test_values_of_the_callers_environment_are_neither_given_nor_kept(workshop, monkeypatch):
    planted = "planted-77fe"
    workshop.write("x", "")
    monkeypatch.setenv("SECRET", planted)
    monkeypatch.setenv("HOME", f"/{planted}")
    built = workshop.shell("env | cut -d= -f1 | sort > {build}/names").build({})
    assert "SECRET" not in (built.directory / "names").read_text().split()
    assert {"HOME", "PATH"} <= set((built.directory / "names").read_text().split())
    kept = [path for path in workshop.cache.rglob("*") if path.is_file()]
    assert len(kept) >= 3
    assert not [path for path in kept if planted.encode() in path.read_bytes()]


def test_levels_reach_no_shell_and_no_path(workshop):
    workshop.write("x", "")
    escaped = workshop.source.parent / "escaped"
    level = f"../../'; touch {escaped}; echo '/\N{GRINNING FACE}\n"
    builder = workshop.builder("/bin/sh", "-c", 'printf %s "$1" > {build}/f', "sh", "{level}")
    built = builder.build({"level": level})
    assert (built.directory / "f").read_text() == level
    assert built.directory.parent == workshop.cache
    assert not escaped.exists()


def test_a_build_that_fails_shows_the_last_20_lines_of_its_log(workshop):
    workshop.write("x", "")
    builder = workshop.shell("for i in $(seq 100); do echo line $i; done; echo wrong >&2; exit 3")
    with pytest.raises(ProgramError) as caught:
        builder.build({})
    shown = "".join(f"\n    line {i}" for i in range(82, 101))
    assert caught.value.message == f"the build ended with exit code 3; its last lines:{shown}\n    wrong"
    assert f"is in {workshop.cache}" in caught.value.hint
    log = Path(caught.value.hint.rpartition(" ")[2])
    assert log.read_text().startswith("line 1\nline 2\n")


def test_a_failure_names_the_levels_of_its_build(workshop):
    workshop.write("x", "")
    with pytest.raises(ProgramError, match="the build a=1 opt=O3 ended with exit code 1; it printed nothing"):
        workshop.shell("exit {a} # {opt}").build({"opt": "O3", "a": 1, "n": 5})


def test_a_build_that_failed_is_tried_again(workshop):
    workshop.write("x", "")
    script = f"test -e {workshop.source.parent}/cure && echo > {{build}}/f"
    with pytest.raises(ProgramError):
        workshop.shell(script).build({})
    (workshop.source.parent / "cure").touch()
    assert workshop.shell(script).build({}).fresh
    assert workshop.builds == 2


def test_what_a_failed_build_left_is_gone_before_the_next_one(workshop):
    workshop.write("x", "")
    cured = f"test -e {workshop.source.parent}/cure"
    script = f"ls {{build}}; {cured} || {{{{ echo > {{build}}/half; exit 1; }}}}; echo > {{build}}/f"
    with pytest.raises(ProgramError):
        workshop.shell(script).build({})
    (workshop.source.parent / "cure").touch()
    built = workshop.shell(script).build({})
    assert files(built.directory) == ["f"]
    assert built.log.read_text() == ""


def test_a_build_that_is_ended_by_a_signal_is_said(workshop):
    workshop.write("x", "")
    with pytest.raises(ProgramError, match=r"the build was ended by SIGABRT \(Aborted\)"):
        workshop.shell("kill -ABRT $$").build({})


def test_a_build_that_takes_too_long_is_ended_with_all_that_it_started(workshop):
    workshop.write("x", "")
    with pytest.raises(
        ProgramError, match=r"the build was ended after its 0\.3 s; its last lines:\n    waiting"
    ):
        workshop.shell("echo waiting; setsid sleep 100 & sleep 100", timeout_s=0.3).build({})


def test_a_daemon_that_a_build_leaves_is_ended(workshop):
    workshop.write("x", "")
    builder = workshop.shell("(setsid sh -c 'trap \"\" TERM HUP; sleep 100' &) ; echo > {build}/f")
    assert builder.build({}).fresh


def test_a_build_that_leaves_nothing_is_an_error(workshop):
    workshop.write("x", "")
    with pytest.raises(ProgramError, match=r"the build left no file in \{build\}") as caught:
        workshop.shell("mkdir {build}/empty").build({})
    assert "{build}" in caught.value.hint


@pytest.mark.parametrize("damage", ["changed", "deleted", "directory gone", "marker garbage", "marker gone"])
def test_a_damaged_directory_is_built_again_and_said(workshop, damage):
    workshop.write("x", "")
    built = workshop.shell("mkdir {build}/sub; echo 1 > {build}/sub/f").build({})
    file, marker = built.directory / "sub/f", built.directory.with_suffix(".complete")
    reasons = {
        "changed": (lambda: file.write_text("2\n"), "its file sub/f is no longer as it was built"),
        "deleted": (file.unlink, "its file sub/f is no longer as it was built"),
        "directory gone": (
            lambda: shutil.rmtree(built.directory),
            "its file sub/f is no longer as it was built",
        ),
        "marker garbage": (lambda: marker.write_bytes(b'{"format":"steely'), "its marker cannot be read"),
        "marker gone": (marker.unlink, "not built before"),
    }
    harm, reason = reasons[damage]
    time.sleep(0.02)  # into the next tick of the file system's clock
    harm()
    again = workshop.shell("mkdir {build}/sub; echo 1 > {build}/sub/f").build({})
    assert (again.fresh, again.reason, again.directory) == (True, reason, built.directory)
    assert file.read_text() == "1\n"


def test_a_directory_of_another_key_that_begins_alike_is_built_again(workshop):
    workshop.write("x", "")
    built = workshop.shell("echo 1 > {build}/f").build({})
    marker = built.directory.with_suffix(".complete")
    other = built.key[:-1] + ("0" if built.key[-1] != "0" else "1")
    marker.write_text(marker.read_text().replace(built.key, other))
    assert workshop.shell("echo 1 > {build}/f").build({}).reason == "its marker is of another version or key"


def test_touched_and_added_files_do_no_harm(workshop):
    workshop.write("x", "")
    built = workshop.shell("echo 1 > {build}/f").build({})
    os.utime(built.directory / "f", (1, 1))
    (built.directory / "output of a trial").touch()
    assert not workshop.shell("echo 1 > {build}/f").build({}).fresh


@pytest.mark.parametrize("target", ["one", ".", r"$(printf '\377')"])
def test_a_link_that_leads_elsewhere_than_it_was_built_is_noticed(workshop, target):
    workshop.write("x", "")
    script = f"echo > {{build}}/one; ln -s {target} {{build}}/program"
    built = workshop.shell(script).build({})
    assert not workshop.shell(script).build({}).fresh
    (built.directory / "program").unlink()
    (built.directory / "program").symlink_to("two")
    again = workshop.shell(script).build({})
    assert again.reason == "its file program is no longer as it was built"


def test_names_that_are_no_utf_8_are_taken_as_they_are(workshop):
    name = os.fsdecode(b"x\xff")
    workshop.write(name, "")
    script = r"cp x* {build}/$(printf 'out\377')"
    assert workshop.shell(script).build({}).fresh
    assert not workshop.shell(script).build({}).fresh


def test_a_compiler_that_is_missing_is_the_machines_fault(workshop):
    workshop.write("x", "")
    with pytest.raises(MachineError, match=r"build\.command: 'no-such-compiler' is not found") as caught:
        workshop.builder("no-such-compiler", "-o", "{build}/x").build({})
    assert caught.value.hint == "install no-such-compiler, or write its path"
    with pytest.raises(MachineError, match=r"'\./build\.sh' is not found"):
        workshop.builder("./build.sh").build({})
    path = workshop.write("build.sh", "#!/bin/sh\n")
    with pytest.raises(MachineError, match=r"'\./build\.sh' may not be executed") as caught:
        workshop.builder("./build.sh").build({})
    assert caught.value.hint == f"chmod +x {path}"


def test_a_program_of_the_source_is_found_from_there(workshop):
    workshop.write("build.sh", "#!/bin/sh\npwd > $1/where\n", mode=0o755)
    built = workshop.builder("./build.sh", "{build}").build({})
    assert (built.directory / "where").read_text() == f"{workshop.source}\n"


def test_the_builds_own_path_is_where_its_tools_are_found(workshop):
    workshop.write("bin/tool", "#!/bin/sh\necho 1 > $1/f\n", mode=0o755)
    builder = workshop.builder("tool", "{build}", env={"PATH": "{source}/bin:/usr/bin:/bin"})
    assert (builder.build({}).directory / "f").read_text() == "1\n"


def test_a_program_that_the_build_is_to_make_cannot_build(workshop):
    with pytest.raises(SpecError, match=r"build\.command: '\{build\}/program' cannot be started"):
        workshop.builder("{build}/program")


def test_a_factor_that_is_none_is_refused(workshop):
    workshop.write("x", "")
    for name in ("opt", "trial"):
        with pytest.raises(UsageError, match=rf"\{{{name}\}}"):
            workshop.shell(f"echo {{{name}}}").build({"other": 1})


def test_a_cache_that_cannot_be_written_is_said_with_a_cure(workshop):
    workshop.write("x", "")
    workshop.cache.write_text("a file")
    with pytest.raises(MachineError, match=f"the build cache {workshop.cache} cannot be written") as caught:
        workshop.shell("echo > {build}/f").build({})
    assert "XDG_CACHE_HOME" in caught.value.hint


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
    others = [in_a_process(workshop, script) for _ in range(2)]
    lock = next(workshop.cache.glob("*.lock"))
    while lock_waiters(lock) < 2:
        assert all(process.poll() is None for process in others)
        time.sleep(0.005)
    (beside / "go").touch()
    printed = [process.communicate()[0].split() for process in (first, *others)]
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
        runner.run([Trial(1, runner.define(launch))])
    assert workshop.shell("echo > {build}/f").build({}).fresh


def test_a_program_that_cannot_be_started_is_said_and_shows_no_older_log(workshop):
    interpreter = workshop.write("../interpreter", "#!/bin/sh\necho old words; echo > $2/f\n", mode=0o755)
    workshop.write("build.sh", f"#!{interpreter}\n", mode=0o755)
    built = workshop.builder("./build.sh", "{build}").build({})
    assert built.log.read_text() == "old words\n"
    built.directory.with_suffix(".complete").unlink()
    interpreter.unlink()
    with pytest.raises(ProgramError) as caught:
        workshop.builder("./build.sh", "{build}").build({})
    why = f"its interpreter '{interpreter}' does not exist (ENOENT)"
    assert caught.value.message == f"the build could not be started: {why}; it printed nothing"


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
    assert files(built.directory) == ["f"]


def test_a_cache_without_room_is_said_and_used_again_when_there_is(workshop):
    workshop.write("x", "")
    workshop.cache.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=256k", "steelyard-test", workshop.cache]
    if subprocess.run(mounted, capture_output=True, check=False).returncode != 0:
        pytest.skip("a small file system cannot be mounted without rights")
    full = workshop.source.parent / "full"
    full.touch()
    # The list of so many files takes more room than the runner's journal, which is gone by then.
    many = "for i in $(seq 200); do : > {build}/file$i; done"
    script = f"{many}; test ! -e {full} || head -c 1000000 /dev/zero > {{build}}/f; exit 0"
    try:
        with pytest.raises(
            MachineError, match=f"the build cache {workshop.cache} cannot be written"
        ) as caught:
            workshop.shell(script).build({})
        assert "No space left on device" in caught.value.message
        full.unlink()
        assert workshop.shell(script).build({}).fresh
    finally:
        subprocess.run(["umount", workshop.cache], check=True)
