"""What a program writes and reads: captured, cut, thrown away or filed, and never in the runner's memory."""

from __future__ import annotations

import hashlib
import os
import subprocess
import threading
from pathlib import Path

import pytest

from steelyard.run.launch.launch import Launch
from steelyard.run.runner.journal import FileDigest, read_journal
from steelyard.run.runner.runner import Hook, TrialOrder

MIB = 1 << 20


def peak_bytes(pid: int) -> int:
    [line] = [x for x in Path(f"/proc/{pid}/status").read_text().splitlines() if x.startswith("VmHWM")]
    return int(line.split()[1]) * 1024


def test_both_streams_are_captured_apart(run_one, sh):
    trial = run_one(sh("echo out; echo err >&2"))
    assert (trial.stdout, trial.stdout_bytes, trial.stderr, trial.stderr_bytes) == (b"out\n", 4, b"err\n", 4)


def test_one_trial_does_not_see_the_output_of_another(runner, journal, sh):
    loud, silent = runner.define(sh("echo a long line of output")), runner.define(sh("exit 0"))
    runner.run([TrialOrder(1, loud), TrialOrder(2, silent), TrialOrder(3, loud)])
    assert [trial.stdout_bytes for trial in read_journal(journal)[0]] == [22, 0, 22]


def test_bytes_that_are_no_utf8_and_nuls_come_through(run_one, sh):
    trial = run_one(sh(r"printf '\377\000\376\n'; printf '\200' >&2"))
    assert (trial.stdout, trial.stderr) == (b"\xff\x00\xfe\n", b"\x80")


def test_arguments_that_are_no_utf8_come_through(run_one):
    odd = os.fsdecode(b"a\xff\xfeb")
    trial = run_one(Launch("/bin/echo", ("echo", "-n", odd), (), "/"))
    assert trial.stdout == b"a\xff\xfeb"


def test_the_head_is_kept_and_the_rest_counted(run_one, sh):
    trial = run_one(sh("seq 1 100000", capture_limit_bytes=10))
    assert trial.stdout == b"1\n2\n3\n4\n5\n"
    assert trial.stdout_bytes == sum(len(f"{n}\n") for n in range(1, 100001))


def test_nothing_is_kept_where_the_limit_is_zero(run_one, sh):
    trial = run_one(sh("echo words", capture_limit_bytes=0))
    assert (trial.stdout, trial.stdout_bytes) == (b"", 6)


WRITES = """
for i in $(seq 20); do
    head -c 50000000 /dev/zero
    until [ $(stat -L -c %b /proc/$$/fd/1) -lt 8192 ]; do sleep 0.002; done
done
echo done >&2
"""
"""A gigabyte, in pieces; after each it waits until less than 4 MiB of its output is kept."""


def test_a_gigabyte_of_output_needs_no_memory(lean_runner, run_one, sh):
    trial = run_one(sh(WRITES, timeout_ns=120_000_000_000))
    assert (trial.status, trial.stderr) == ("ok", b"done\n")
    assert (trial.stdout_bytes, trial.stdout) == (1_000_000_000, bytes(MIB))
    assert peak_bytes(lean_runner.pid) < 2 * MIB


def sha256(data: bytes) -> FileDigest:
    return FileDigest("whole", hashlib.sha256(data).hexdigest())


@pytest.mark.parametrize("size", [0, 1, 63, 64, 70_000, 2_500_000])
def test_digests_are_of_every_byte_kept_or_not(run_one, sh, size):
    trial = run_one(sh(f"head -c {size} /dev/zero; echo err >&2", capture_limit_bytes=10, digests=True))
    assert trial.digests == (sha256(bytes(size)), sha256(b"err\n"))
    assert (len(trial.stdout), trial.stdout_bytes) == (min(10, size), size)


SLOW = "for i in 1 2 3; do head -c 2000000 /dev/zero; sleep 0.1; done"
"""Longer than the runner waits before it gives memory back, behind what is kept."""


def test_what_is_digested_is_not_given_back_while_the_program_runs(run_one, sh):
    assert run_one(sh(SLOW, capture_limit_bytes=10, digests=True)).digests[0] == sha256(bytes(6_000_000))


def test_without_being_asked_for_there_are_no_digests(run_one, sh):
    assert run_one(sh("echo out")).digests == ()


def test_files_are_digested_where_this_run_wrote_them(runner, journal, sh, tmp_path):
    names = ("rewritten", "replaced", "emptied", "stale", "absent", "a-directory", "long")
    for name in names[:4]:
        (tmp_path / name).write_bytes(b"same")
    (tmp_path / "a-directory").mkdir()
    script = (
        "printf same > rewritten; printf same > other; mv other replaced; : > emptied;"
        " truncate -s 257M long; exit 0"
    )
    launch = sh(script, cwd=str(tmp_path), digests=True, files=tuple(str(tmp_path / name) for name in names))
    number = runner.define(launch)
    # The second run follows within one tick of the clock by which the kernel notes a write.
    runner.run([TrialOrder(1, number), TrialOrder(2, number)])
    states = ("whole", "whole", "whole", "unwritten", "missing", "not_plain", "too_long")
    for trial in read_journal(journal)[0]:
        assert tuple(digest.state for digest in trial.digests[2:]) == states
        assert trial.digests[2:5] == (sha256(b"same"), sha256(b"same"), sha256(b""))


def test_an_idle_runner_holds_no_output(lean_runner, sh):
    lean_runner.run([TrialOrder(1, lean_runner.define(sh("head -c 5000000 /dev/zero")))])
    files = [Path(f"/proc/{lean_runner.pid}/fd/{fd}") for fd in range(3, 16)]
    captures = [file for file in files if file.exists() and "memfd:std" in str(file.readlink())]
    assert len(captures) == 4
    assert [file.stat().st_size for file in captures] == [0, 0, 0, 0]


def test_output_can_be_thrown_away(run_one, sh):
    trial = run_one(
        sh("echo out; echo err >&2; where=$(readlink /proc/$$/fd/1); echo $where >&2", stdout="null")
    )
    assert (trial.stdout, trial.stdout_bytes, trial.stderr) == (b"", 0, b"err\n/dev/null\n")


def test_output_can_go_to_a_file_which_is_emptied_first(runner, journal, sh, tmp_path):
    both = str(tmp_path / "both")
    launch = runner.define(sh("echo out; echo err >&2", stdout=both, stderr=both))
    runner.run([TrialOrder(1, launch), TrialOrder(2, launch)])
    assert (tmp_path / "both").read_text() == "out\nerr\n"
    assert [(t.stdout, t.stdout_bytes) for t in read_journal(journal)[0]] == [(b"", 8)] * 2


def test_a_program_that_closes_its_descriptors_does_no_harm(run_one, sh):
    trial = run_one(sh("echo first; exec 0<&- 1>&- 2>&-; sleep 0; exit 5"))
    assert (trial.status, trial.exit_code, trial.stdout) == ("ok", 5, b"first\n")


def test_a_program_that_changes_its_descriptors_changes_no_later_trial(runner, journal, tmp_path):
    source = """
        #include <fcntl.h>
        #include <unistd.h>
        int main(void) {
            write(1, "0123456789", 10);
            fcntl(1, F_SETFL, O_NONBLOCK);
            lseek(1, 100000, SEEK_SET);
            return 0;
        }"""
    program = compile_c(source, tmp_path / "careless")
    careless = runner.define(Launch(str(program), ("careless",), (), "/"))
    echo = runner.define(Launch("/bin/echo", ("echo", "hello"), (), "/"))
    runner.run([TrialOrder(1, careless), TrialOrder(2, echo)])
    assert [trial.stdout for trial in read_journal(journal)[0]] == [b"0123456789", b"hello\n"]


def test_standard_input_is_opened_anew_for_each_trial(runner, journal, sh, tmp_path):
    (tmp_path / "input").write_text("one\ntwo\n")
    launch = runner.define(sh("read line; echo $line", stdin=str(tmp_path / "input")))
    runner.run([TrialOrder(1, launch), TrialOrder(2, launch)])
    assert [trial.stdout for trial in read_journal(journal)[0]] == [b"one\n", b"one\n"]


def test_a_pipe_as_standard_input_is_waited_for_beyond_the_alarm_of_an_earlier_trial(
    runner, journal, sh, tmp_path
):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    late = threading.Timer(0.3, pipe.write_text, ["at last"])
    late.start()
    earlier = runner.define(sh("exit 0"))
    runner.run([TrialOrder(1, earlier), TrialOrder(2, runner.define(sh("cat", stdin=str(pipe))))])
    late.join()
    assert [trial.stdout for trial in read_journal(journal)[0]] == [b"", b"at last"]


def test_a_silent_trial_finds_its_streams_as_new_whatever_a_silent_one_did_to_them(runner, journal, tmp_path):
    source = """
        #include <fcntl.h>
        #include <unistd.h>
        int main(void) {
            int new = lseek(1, 0, SEEK_CUR) == 0 && (fcntl(1, F_GETFL) & (O_APPEND | O_NONBLOCK)) == O_APPEND;
            fcntl(1, F_SETFL, O_NONBLOCK);
            lseek(1, 100000, SEEK_SET);
            return new ? 0 : 1;
        }"""
    careless = runner.define(Launch(str(compile_c(source, tmp_path / "careless")), ("careless",), (), "/"))
    runner.run([TrialOrder(number, careless) for number in range(1, 5)])
    assert [trial.exit_code for trial in read_journal(journal)[0]] == [0, 0, 0, 0]


def test_what_a_hook_left_running_says_is_never_what_a_program_said(runner, journal, sh):
    """Also after a failed hook, whose output is kept in the place of its program's."""
    talk = sh("(while :; do echo noise; echo noise >&2; sleep 0.01; done) & exit 0")
    silent = runner.define(sh("sleep 0.1"))
    failing = runner.define(sh("exit 0", prepare=(sh("exit 1"),)))
    runner.run(
        [Hook(runner.define(talk)), TrialOrder(1, silent), TrialOrder(2, failing), TrialOrder(3, silent)]
    )
    trials, _ = read_journal(journal)
    assert [trial.status for trial in trials] == ["ok", "hook_failed", "ok"]
    assert [trials[place].stdout + trials[place].stderr for place in (0, 2)] == [b"", b""]


def test_standard_input_is_empty_by_default(run_one, sh):
    assert run_one(sh("cat; echo end")).stdout == b"end\n"


@pytest.mark.parametrize(
    ("fields", "step"),
    [
        ({"stdin": "/nowhere/input"}, "stdin"),
        ({"stdout": "/nowhere/out"}, "stdout"),
        ({"stderr": "/nowhere/err"}, "stderr"),
        ({"cwd": "/nowhere"}, "cwd"),
        ({"metrics_path": "/nowhere/metrics"}, "metrics"),
    ],
)
def test_a_file_that_cannot_be_opened_is_named_by_its_part(run_one, sh, fields, step):
    trial = run_one(sh("exit 0", **fields))
    assert (trial.status, trial.step, trial.errno, trial.exit_code) == ("setup_failed", step, 2, None)


def test_metrics_are_read_after_each_trial_and_never_left_from_the_one_before(runner, journal, sh, tmp_path):
    path = tmp_path / "metrics"
    path.write_text("of yesterday")
    writes = runner.define(sh(f"printf '{{\"v\":1}}\\n' >> {path}", metrics_path=str(path)))
    silent = runner.define(sh("exit 0", metrics_path=str(path)))
    removes = runner.define(sh(f"rm {path}", metrics_path=str(path)))
    runner.run([TrialOrder(1, writes), TrialOrder(2, writes), TrialOrder(3, silent), TrialOrder(4, removes)])
    trials = read_journal(journal)[0]
    assert [trial.metrics for trial in trials] == [b'{"v":1}\n', b'{"v":1}\n', b"", b""]
    assert [trial.metrics_bytes for trial in trials] == [8, 8, 0, 0]
    assert {trial.status for trial in trials} == {"ok"}


def test_metrics_beyond_their_limit_are_counted_but_not_kept(run_one, sh, tmp_path):
    path = tmp_path / "metrics"
    trial = run_one(sh(f"truncate -s 257M {path}", metrics_path=str(path)))
    assert (len(trial.metrics), trial.metrics_bytes) == (256 * MIB, 257 * MIB)


def compile_c(source: str, program: Path) -> Path:
    subprocess.run(
        ["cc", "-x", "c", "-", "-o", program], input=source.encode(), check=True, capture_output=True
    )
    return program
