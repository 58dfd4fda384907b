from __future__ import annotations

import hashlib
import stat
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from steelyard.run.launch.launch import Launch
from steelyard.run.measure.verify import Verifier
from steelyard.run.runner.journal import RawTrial, read_journal
from steelyard.run.runner.runner import Runner, TrialOrder
from steelyard.spec.experiment import Experiment, Program, Verify


@pytest.fixture
def run(tmp_path):
    """``run(word, …, **launch)``: what the runner saw of a real process."""

    def run(*words: str, **options) -> RawTrial:
        launch = Launch(path=words[0], argv=words, env=("PATH=/usr/bin:/bin",), cwd=str(tmp_path), **options)
        journal = tmp_path / "journal"
        journal.unlink(missing_ok=True)
        with Runner(journal) as runner:
            runner.run([TrialOrder(1, runner.define(launch))])
        return read_journal(journal)[0][0]

    return run


def sh(script: str) -> tuple[str, str, str]:
    return ("/bin/sh", "-c", script)


def verifier(*, by_shell: bool = False, timeout_s: float | None = None, **verify) -> Verifier:
    program = Program(
        commands={"": ("x",)},
        shell=by_shell,
        timeout_s=timeout_s,
        cpu_limit_s=2.5,
        memory_limit_bytes=1 << 20,
        verify=Verify(**verify),
    )
    return Verifier(Experiment("made up", "/nowhere", program))


def test_exit_code_0_is_ok_and_another_one_is_not(run):
    assert verifier().judge(run("/bin/true")) == ("ok", None)
    assert verifier().judge(run("/bin/false")) == ("failed", "ended with exit code 1")


@pytest.mark.parametrize(
    "text",
    [
        "./it: error while loading shared libraries: libmpi.so.40: cannot open shared object file",
        "Error loading shared library libmpi.so.40: No such file or directory (needed by ./it)",
    ],
)
def test_a_library_that_the_loader_does_not_find_is_named(run, text):
    _, reason = verifier().judge(run(*sh(f"echo '{text}' >&2; exit 127")))
    assert reason.startswith(
        "ended with exit code 127 (its library 'libmpi.so.40' is missing); output ends with: "
    )


def test_a_wanted_exit_code_is_ok_and_0_then_is_not(run):
    assert verifier(exit=3).judge(run(*sh("exit 3"))) == ("ok", None)
    assert verifier(exit=3).judge(run("/bin/true")) == ("failed", "ended with exit code 0, and 3 is wanted")


def test_the_last_words_of_stderr_or_else_of_stdout_are_part_of_the_reason(run):
    status, reason = verifier().judge(
        run(*sh("echo no; echo first >&2; echo 'cannot open x' >&2; echo >&2; exit 2"))
    )
    assert (status, reason) == ("failed", "ended with exit code 2; output ends with: 'cannot open x'")
    assert verifier().judge(run(*sh("echo no; echo ' ' >&2; exit 2")))[1].endswith("; output ends with: 'no'")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("SEGV", "Segmentation fault"),
        ("ABRT", "Aborted"),
        ("KILL", "Killed, perhaps by the kernel, for lack of memory"),
    ],
)
def test_a_signal_is_named(run, name, words):
    status, reason = verifier().judge(run(*sh(f"kill -{name} $$")))
    assert (status, reason) == ("failed", f"was ended by SIG{name} ({words})")


def test_a_program_that_crashes_is_named_by_its_signal(run, tmp_path):
    source = tmp_path / "crash.c"
    source.write_text("int main(void) { int *volatile nowhere = 0; return *nowhere; }")
    subprocess.run(["cc", "-o", tmp_path / "crash", source], check=True)
    assert verifier().judge(run(str(tmp_path / "crash"))) == (
        "failed",
        "was ended by SIGSEGV (Segmentation fault)",
    )


def test_an_exit_code_that_happens_to_be_a_signals_number_is_no_signal(run):
    assert verifier().judge(run(*sh("exit 139")))[1] == "ended with exit code 139"


def test_any_end_is_ok_where_none_is_wanted(run):
    assert verifier(exit="any").judge(run(*sh("exit 9"))) == ("ok", None)
    assert verifier(exit="any").judge(run(*sh("kill -SEGV $$"))) == ("ok", None)


def test_what_a_shell_could_not_find_or_execute_is_said(run):
    assert (
        "127 (the shell found no such command)"
        in verifier(by_shell=True).judge(run(*sh("no-such-command")))[1]
    )
    assert "126 (the shell could not execute it)" in verifier(by_shell=True).judge(run(*sh("/etc/passwd")))[1]
    assert verifier().judge(run(*sh("exit 127")))[1] == "ended with exit code 127"


def test_a_pattern_must_be_in_the_output(run):
    raw = run(*sh("echo start; echo energy=-0.169; echo warned >&2"))
    assert verifier(stdout=r"^energy=-0\.169$", stderr="warned").judge(raw) == ("ok", None)
    assert verifier(stdout="energy=1").judge(raw) == (
        "failed",
        "'energy=1' matches nothing in stdout, which begins 'start\\nenergy=-0.169\\n'",
    )
    assert (
        verifier(stderr="energy")
        .judge(raw)[1]
        .startswith("'energy' matches nothing in stderr, which begins 'warned")
    )


def test_a_pattern_is_searched_in_output_that_is_no_utf_8(run):
    raw = run(*sh(r"printf '\377\376 done \303'"))
    assert verifier(stdout=" done ").judge(raw) == ("ok", None)
    assert verifier(stdout="\N{REPLACEMENT CHARACTER} done").judge(raw) == ("ok", None)


def test_an_output_that_was_cut_is_judged_by_its_head_and_that_is_said(run):
    raw = run(*sh("echo head; yes | head -c 5000; echo tail"), capture_limit_bytes=1000)
    assert verifier(stdout="head").judge(raw) == ("ok", None)
    assert (
        verifier(stdout="tail").judge(raw)[1].endswith("(only its first 1,000 of 5,010 bytes were searched)")
    )


def test_a_wrong_exit_code_is_said_before_a_missing_pattern(run):
    assert verifier(stdout="never").judge(run("/bin/false"))[1] == "ended with exit code 1"


def test_a_time_limit_is_said(run):
    raw = run("/bin/sleep", "60", timeout_ns=50_000_000)
    assert verifier(timeout_s=0.05).judge(raw) == (
        "timed_out",
        "was still running at its time limit of 0.05 s",
    )


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ("cpu_limit", "used more CPU time than its limit, cpu_limit = 2.5 s, and was ended"),
        ("memory_limit", "needs more memory than its limit, memory_limit = 1.05 MB"),
        ("group", "its limits prove nothing"),
    ],
)
def test_a_limit_that_was_exceeded_is_said_whatever_end_is_wanted(run, step, words):
    raw = replace(run("/bin/true"), step=step)
    for exit_codes in (0, "any"):
        status, reason = verifier(exit=exit_codes).judge(raw)
        assert status == "failed"
        assert words in reason


def test_a_failed_prepare_or_cleanup_command_is_said(run, tmp_path):
    hook = Launch(path="/bin/sh", argv=sh("echo 'cache busy' >&2; exit 4"), env=(), cwd=str(tmp_path))
    expected = (
        "a prepare or cleanup command failed: it ended with exit code 4; output ends with: 'cache busy'"
    )
    assert verifier().judge(run("/bin/true", prepare=(hook,))) == ("hook_failed", expected)
    assert verifier().judge(run("/bin/true", cleanup=(hook,))) == ("hook_failed", expected)


def test_a_hook_that_never_ends_or_never_starts_is_said(run, tmp_path):
    slow = Launch(path="/bin/sleep", argv=("sleep", "60"), env=(), cwd=str(tmp_path), timeout_ns=50_000_000)
    reason = verifier().judge(run("/bin/true", prepare=(slow,)))[1]
    assert reason.endswith("failed: it was still running at its time limit, hook_timeout = 1800 s")
    missing = Launch(path="/nowhere/sync", argv=("sync",), env=(), cwd=str(tmp_path))
    status, reason = verifier().judge(run("/bin/true", prepare=(missing,)))
    assert status == "hook_failed"
    expected = "it could not be started: No such file or directory (ENOENT)"
    assert reason == f"a prepare or cleanup command failed: {expected}"


def executable(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return str(path)


def start_failure(run, path: str, **options) -> str:
    status, reason = verifier().judge(run(path, **options), path)
    assert status == "spawn_failed"
    return reason


def test_a_program_that_does_not_exist_is_said_with_its_path(run, tmp_path):
    path = str(tmp_path / "gone")
    assert start_failure(run, path) == f"program {path} could not be started: it does not exist (ENOENT)"


def test_a_program_without_permission_is_said_with_its_path(run, tmp_path):
    path = tmp_path / "data"
    path.write_text("x")
    assert start_failure(run, str(path)).startswith(
        f"program {path} could not be started: it may not be executed"
    )
    assert start_failure(run, str(tmp_path)).endswith("could not be started: it is a directory (EACCES)")


def test_a_missing_interpreter_is_told_from_a_missing_program(run, tmp_path):
    script = executable(tmp_path / "script", b"#!/no/such/interpreter -x\n")
    assert start_failure(run, script).endswith(
        "its interpreter '/no/such/interpreter' does not exist (ENOENT)"
    )


def test_a_script_with_line_ends_of_another_system_is_recognised(run, tmp_path):
    script = executable(tmp_path / "script", b"#!/bin/sh\r\necho\r\n")
    reason = start_failure(run, script)
    assert r"its interpreter '/bin/sh\r' does not exist: its first line ends with a carriage return" in reason


def test_a_missing_dynamic_loader_is_told_from_a_missing_program(run, tmp_path):
    binary = Path("/bin/true").read_bytes()
    loader = next(
        name for name in (b"/lib64/ld-linux-x86-64.so.2", b"/lib/ld-linux-aarch64.so.1") if name in binary
    )
    program = executable(tmp_path / "program", binary.replace(loader, loader[:-1] + b"X", 1))
    assert f"its dynamic loader {loader[:-1].decode()}X does not exist" in start_failure(run, program)


def test_a_file_that_is_no_program_is_said(run, tmp_path):
    assert "it is not an executable for this machine" in start_failure(
        run, executable(tmp_path / "f", b"\0\1\2\3")
    )


def test_arguments_that_are_too_long_are_said(run, tmp_path):
    raw = run("/bin/true", "x" * 200_000)
    assert "longer than the kernel allows (E2BIG)" in verifier().judge(raw, "/bin/true")[1]


def test_a_program_that_is_open_for_writing_is_said(run, tmp_path):
    path = Path(executable(tmp_path / "copy", Path("/bin/true").read_bytes()))
    with path.open("ab"):
        assert "it is open for writing" in start_failure(run, str(path))


def test_surroundings_that_could_not_be_set_are_said(run, tmp_path):
    reason = start_failure(run, "/bin/true", stdin="/no/such/input")
    assert reason == (
        "program /bin/true was not started: the file of its stdin could not be opened: "
        "No such file or directory (ENOENT)"
    )
    reason = start_failure(run, "/bin/true", affinity=(1023,))
    assert "it could not be bound to the CPUs that it was to run on" in reason


def test_without_a_path_the_failure_is_said_in_the_kernels_words(run, tmp_path):
    raw = run(str(tmp_path / "gone"))
    expected = "the program could not be started: No such file or directory (ENOENT)"
    assert verifier().judge(raw) == ("spawn_failed", expected)


SHA256 = hashlib.sha256(b"right\n").hexdigest()
OTHER = hashlib.sha256(b"wrong\n").hexdigest()


def test_a_digest_is_that_of_all_that_was_written(run, tmp_path):
    file = tmp_path / "result"
    verify = verifier(stdout_sha256=SHA256, stderr_sha256=SHA256, files={"result": SHA256})

    def judge(script: str) -> tuple[str, str | None]:
        return verify.judge(run(*sh(script), digests=True, files=(str(file),)))

    right = "echo right; echo right >&2; echo right > result"
    assert judge(right) == ("ok", None)
    expected = f"and {SHA256} is wanted"
    assert judge("echo wrong; echo right >&2; echo right > result") == (
        "failed",
        f"stdout has the SHA-256 {OTHER}, {expected}",
    )
    assert judge("echo right; echo wrong >&2; echo right > result")[1].startswith("stderr has the SHA-256")
    assert judge("echo right; echo right >&2; echo wrong > result") == (
        "failed",
        f"the file result has the SHA-256 {OTHER}, {expected}",
    )
    assert judge("echo right; echo right >&2")[1] == "the file result was not written"
    file.unlink()
    assert judge("echo right; echo right >&2")[1] == "the file result is missing or cannot be read"
    assert judge(f"{right}; truncate -s 257M result")[1].startswith("the file result is longer than 256 MiB")


def test_a_run_without_digests_is_not_taken_for_a_right_one(run):
    status, reason = verifier(stdout_sha256=SHA256).judge(run(*sh("echo right")))
    assert (status, reason) == (
        "failed",
        "the runner recorded no digests, which verify needs",
    )


def test_a_cause_before_the_last_line_is_quoted_in_its_place(run):
    script = (
        "echo \"thread 'main' panicked at b.rs:3:97:\"; echo 'index out of bounds: the len is 0';"
        " echo 'note: run with RUST_BACKTRACE=1'; exit 101"
    )
    reason = verifier().judge(run(*sh(f"({script}) >&2")))[1]
    assert reason == (
        "ended with exit code 101; output says: \"thread 'main' panicked at b.rs:3:97:"
        ' index out of bounds: the len is 0"'
    )
