"""Builds that fail, and caches that cannot keep them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from steelyard.core.errors import MachineError, ProgramError, SpecError, UsageError


def test_a_build_that_fails_shows_the_last_20_lines_of_its_log(workshop):
    workshop.write("x", "")
    builder = workshop.shell("for i in $(seq 100); do echo line $i; done; echo wrong >&2; exit 3")
    with pytest.raises(ProgramError) as caught:
        builder.build({})
    result = "".join(f"\n    line {i}" for i in range(82, 101))
    assert caught.value.message == f"the build ended with exit code 3; its last lines:{result}\n    wrong"
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
    assert [file.name for file in built.directory.iterdir()] == ["f"]
    assert built.log.read_text() == ""


def test_a_build_that_is_ended_by_a_signal_is_said(workshop):
    workshop.write("x", "")
    with pytest.raises(ProgramError, match=r"the build was ended by SIGABRT \(Aborted\)"):
        workshop.shell("kill -ABRT $$").build({})


def test_a_build_that_takes_too_long_is_ended_with_all_that_it_started(workshop):
    workshop.write("x", "")
    marker = workshop.source.parent / "there"
    waits = f"echo waiting; echo > '{marker}'; setsid sleep 1000 & sleep 1000"
    for limit_s in (1, 10, 100):
        with pytest.raises(ProgramError) as caught:
            workshop.shell(waits, timeout_s=limit_s).build({})
        if marker.exists():
            break
    assert f"the build was ended after its {limit_s} s; its last lines:\n    waiting" in caught.value.message


def test_a_daemon_that_a_build_leaves_is_ended(workshop):
    workshop.write("x", "")
    builder = workshop.shell("(setsid sh -c 'trap \"\" TERM HUP; sleep 100' &) ; echo > {build}/f")
    assert builder.build({}).fresh


def test_a_build_that_leaves_nothing_is_an_error(workshop):
    workshop.write("x", "")
    with pytest.raises(ProgramError, match=r"the build left no file in \{build\}") as caught:
        workshop.shell("mkdir {build}/empty").build({})
    assert "{build}" in caught.value.hint


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
