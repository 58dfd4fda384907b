"""Programs that put something else in the place of files of ours: what it leads to is never touched.

Each program runs where the root of all files can only be read, but for the directory of its test.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

PRECIOUS = "precious\n"
KINDS = {
    "link": ('ln -s "$v" "$f"', "a symbolic link"),
    "dangling link": ('ln -s "$v.absent" "$f"', "a symbolic link"),
    "pipe": ('mkfifo "$f"', "a named pipe"),
    "directory": ('mkdir "$f"', "a directory"),
    "device": ('mknod "$f" c 1 3', "a device"),
    "hard link": ('ln "$v" "$f"', "a hard link"),
}
CONFINED = (
    'mount --bind "$0" "$0" && mount -o remount,ro,bind / && cd "$0" && ! touch /sbin/steelyard-test 2>&- &&'
    ' exec "$@"'
)
Run = Callable[..., subprocess.CompletedProcess[str]]


def confine(place: Path) -> list[str]:
    """Words before a command that leave it nothing to write but a directory; none without namespaces."""
    words = ["unshare", "--mount", "sh", "-c", CONFINED, str(place)]
    done = subprocess.run([*words, "true"], check=False, capture_output=True)
    return [] if done.returncode else words


@pytest.fixture(scope="module")
def hostile_server(tmp_path_factory: pytest.TempPathFactory, cli_server_type: Any) -> Iterator[Any]:
    """Runs commands where only the directories of tests can be written; a command that hangs is an error."""
    server = cli_server_type(*confine(tmp_path_factory.getbasetemp()), patience_s=60)
    yield server
    server.close()


@pytest.fixture
def hostile_run(tmp_path: Path, steelyard_env: Mapping[str, str], hostile_server: Any) -> Run:
    """Runs ``steelyard`` in ``tmp_path``, beside hostile programs."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        env = {**steelyard_env, "TMPDIR": str(tmp_path)}
        return hostile_server.run(arguments, tmp_path, env, "")

    return run


class Victim:
    """A file beside the record, and what a program does to reach it."""

    def __init__(self, place: Path) -> None:
        self.file = place / "victim"
        self.file.write_text(PRECIOUS)
        self.times = self.file.stat().st_mtime_ns

    def replacing(self, kind: str, target: str) -> str:
        """Commands for a shell that put something of a kind in the place of a file."""
        if kind == "device" and os.geteuid() != 0:
            pytest.skip("only root makes device nodes")
        return f'f="{target}" v="{self.file}"; rm -rf "$f"; {KINDS[kind][0]}'

    def assert_untouched(self) -> None:
        assert self.file.read_text() == PRECIOUS
        assert self.file.stat().st_mtime_ns == self.times
        assert not self.file.with_name("victim.absent").exists()


@pytest.fixture
def victim(tmp_path: Path) -> Victim:
    return Victim(tmp_path)


def write_spec(place: Path, script: str, more: str = "", *, program: str = "", blocks: int = 2) -> str:
    (place / "hostile.sh").write_text(f"{script}\n")
    (place / "spec.toml").write_text(f"""
[program]
command = ["/bin/sh", "{place}/hostile.sh"]
{program}
[design]
blocks = {blocks}
discard = 0
{more}
""")
    return "spec.toml"


METRICS = '[metrics]\nt = { source = "lines", unit = "s" }\n[analysis]\nmetric = "t"\n'


def test_where_hostile_programs_run_only_their_own_directory_can_be_written(tmp_path):
    words = confine(tmp_path)
    if not words:
        pytest.skip("mount namespaces cannot be made here: victims are in the directory of the test")
    words += ["sh", "-c", "echo >here; ! echo >/here"]
    assert subprocess.run(words, check=False, capture_output=True).returncode == 0
    assert (tmp_path / "here").exists()
    assert not Path("/here").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_what_takes_the_place_of_the_metrics_file_ends_the_trial_in_words(
    tmp_path, hostile_run, victim, kind
):
    script = victim.replacing(kind, "$STEELYARD_METRICS")
    ended = hostile_run("run", write_spec(tmp_path, script, METRICS))
    victim.assert_untouched()
    assert ended.returncode == 5, ended.stderr
    text = " ".join(ended.stderr.split())
    assert f"the file of its metrics ($STEELYARD_METRICS) is {KINDS[kind][1]}" in text.replace(
        "a file that has another name too (a hard link)", "a hard link"
    )
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_what_prepare_puts_there_is_not_opened_for_the_program(tmp_path, hostile_run, victim, kind):
    (tmp_path / "first.sh").write_text(victim.replacing(kind, "$STEELYARD_METRICS"))
    program = f'prepare = [["/bin/sh", "{tmp_path}/first.sh"]]'
    ended = hostile_run("run", write_spec(tmp_path, "touch ran", METRICS, program=program))
    victim.assert_untouched()
    assert ended.returncode == 5, ended.stderr
    assert "was not started: the file of its metrics" in " ".join(ended.stderr.split())
    assert not (tmp_path / "ran").exists()


def test_a_directory_that_takes_the_place_of_the_record_is_not_written_to(tmp_path, hostile_run, victim):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "metrics").write_text(PRECIOUS)
    line = '{"steelyard": 1, "metric": "t", "unit": "s", "values": [1]}'
    script = f"""
echo '{line}'
r=$(dirname "$STEELYARD_METRICS")
[ -e moved ] || {{ mv "$r" moved; ln -s "$PWD/theirs" "$r"; }}"""
    # Two trials of one block, which the runner is handed at once.
    tables = f'{METRICS}[factors]\na = ["x", "y"]\n'
    spec = write_spec(tmp_path, script, tables, program='env = { A = "{a}" }', blocks=1)
    hostile_run("run", spec)
    assert (tmp_path / "moved").exists()
    victim.assert_untouched()
    assert (theirs / "metrics").read_text() == PRECIOUS
    assert [path.name for path in theirs.iterdir() if path.name != "metrics"] == []


FILES = (
    "lock",
    "metrics",
    "record.sqlite-journal",
    "record.sqlite-wal",
    "record.sqlite-shm",
    "record.digests",
    "record.summary",
    "record.sqlite",
    "journal/000001.journal",
    "journal/000001.journal.levels",
    "journal/000002.journal",
    "journal/000002.journal.levels",
    "failed/2.stderr",
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("file", FILES)
def test_what_takes_the_place_of_any_file_of_a_record_is_left_as_it_is(
    tmp_path, hostile_run, victim, kind, file
):
    replace = victim.replacing(kind, f"{tmp_path}/spec.lab/{file}")
    script = f"{replace}; echo output >&2; exit 3"
    spec = write_spec(tmp_path, f"mkdir -p spec.lab/failed; {script}")
    first = hostile_run("run", spec)
    victim.assert_untouched()
    again = hostile_run("run", spec)
    victim.assert_untouched()
    recovered = hostile_run("recover", "spec.lab", "new.lab")
    victim.assert_untouched()
    for ended in (first, again, recovered):
        assert "Traceback" not in ended.stderr, ended.stderr
    assert first.returncode != 0


@pytest.mark.parametrize("kind", KINDS)
def test_what_takes_the_place_of_a_file_that_is_compared_is_neither_read_nor_dated(
    tmp_path, hostile_run, victim, kind
):
    tables = f'[program.verify]\nfiles = {{ out = "{"0" * 64}" }}'
    ended = hostile_run("run", write_spec(tmp_path, victim.replacing(kind, "out"), tables))
    victim.assert_untouched()
    assert ended.returncode == 5, ended.stderr
    text = " ".join(ended.stderr.split())
    assert "not a plain file, and was not read" in text


def replace_directory(victim: Victim, place: Path) -> str:
    """Commands that put a link to a directory with a victim in the place of another directory."""
    (place / "theirs").mkdir()
    victim.file = victim.file.rename(place / "theirs" / "out")
    return 'rm -rf inner; ln -s "$PWD/theirs" inner'


def test_a_directory_that_takes_the_place_of_that_of_an_output_is_not_written_to(
    tmp_path, hostile_run, victim
):
    (tmp_path / "inner").mkdir()
    script = f"echo output; {replace_directory(victim, tmp_path)}"
    spec = write_spec(tmp_path, script, program='output = "./inner/out"')
    ended = hostile_run("run", spec)
    assert ended.returncode == 5, ended.stderr
    text = " ".join(ended.stderr.split())
    assert "the file of its stdout is behind a symbolic link or a file, not a plain file" in text
    again = hostile_run("run", spec)
    assert again.returncode == 2, again.stderr
    assert f"name the directory itself: output = '{tmp_path}/theirs/out'" in " ".join(again.stderr.split())
    victim.assert_untouched()


def test_a_directory_that_takes_the_place_of_that_of_a_compared_file_keeps_all_times(
    tmp_path, hostile_run, victim
):
    (tmp_path / "inner").mkdir()
    tables = f'[program.verify]\nfiles = {{ "inner/out" = "{"0" * 64}" }}'
    ended = hostile_run("run", write_spec(tmp_path, replace_directory(victim, tmp_path), tables))
    victim.assert_untouched()
    assert ended.returncode == 5, ended.stderr


@pytest.mark.parametrize(("script", "code"), [("true", 5), ("printf text >inner/out", 0)])
def test_a_compared_file_behind_a_link_of_the_user_must_be_written_all_the_same(
    tmp_path, hostile_run, script, code
):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "inner").symlink_to(tmp_path / "theirs")
    file = tmp_path / "theirs" / "out"
    file.write_text("text")
    os.utime(file, (1e9, 1e9))
    tables = f'[program.verify]\nfiles = {{ "inner/out" = "{hashlib.sha256(b"text").hexdigest()}" }}'
    ended = hostile_run("run", write_spec(tmp_path, script, tables))
    assert ended.returncode == code, ended.stderr
    if code:
        assert "the file inner/out was not written" in ended.stderr


@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe"])
@pytest.mark.parametrize("command", ["compare", "gate", "check"])
def test_what_takes_the_place_of_an_output_of_the_command_is_not_written_to(
    tmp_path, hostile_run, victim, kind, command
):
    program = tmp_path / "hostile.sh"
    program.write_text(f"#!/bin/sh\n{victim.replacing(kind, f'{tmp_path}/out.txt')}\n")
    program.chmod(0o755)
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "bench").symlink_to(program)
    sides = ("--base-dir", "old", "--head-dir", "new", "--max-time", "2s")
    write_spec(tmp_path, program.read_text(), '[[claims]]\nlimit = "wall_s"\nmax = "1 h"\n')
    lines = {
        "compare": ("compare", "-r", "3", "--export-json", "out.txt", str(program)),
        "gate": ("gate", *sides, "--markdown", "out.txt", "--time", "--", "./bench"),
        "check": ("check", "spec.toml", "--markdown", "out.txt"),
    }
    ended = hostile_run(*lines[command])
    victim.assert_untouched()
    text = " ".join(ended.stderr.split())
    assert "other than when this command began; nothing was written to it" in text, ended.stderr
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    "line",
    [
        "observe --probe strace --file written --max-time 3s ./first",
        "explain --max-time 3s ./first ./second",
        "audit --max-time 4s ./first",
        "compare --null=layout,2 -r 3 ./first",
        "gate --base-dir old --head-dir new --max-time 2s --time -- ./first",
    ],
)
@pytest.mark.parametrize("chosen", ["cat", "sed -n $((n % 5 + 1))p"])
def test_links_in_the_place_of_files_of_any_command_reach_nothing(
    tmp_path, hostile_run, victim, steelyard_env, line, chosen
):
    """All files below the state of the user, or one of them in each run."""
    script = f"""#!/bin/sh
echo output | tee "$PWD/written"
n=$(cat "{tmp_path}/count" 2>/dev/null || echo 0); n=$((n + 1)); echo $n >"{tmp_path}/count"
find "{steelyard_env["XDG_STATE_HOME"]}" -type f | sort | {chosen} | while read -r f; do
    rm -f "$f"; ln -s "{victim.file}" "$f"; touch "{tmp_path}/replaced"
done
"""
    for side in (".", "old", "new"):
        for name in ("first", "second"):
            file = tmp_path / side / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(script)
            file.chmod(0o755)
    ended = hostile_run(*line.split())
    victim.assert_untouched()
    assert (tmp_path / "replaced").exists()
    assert "Traceback" not in ended.stderr, ended.stderr
    assert ended.returncode != 0


TEMPLATE = r"""
[launch]
kind = "template"
script = "job.in"
submit = ["/bin/sh", "-c", 'setsid bash "$0" >"$1" 2>&1 </dev/null & echo "job $!"', "{script}", "{log}"]
job = 'job (\d+)'
cancel = ["/bin/sh", "-c", 'kill -TERM -"$0"', "{job}"]
alive = ["/bin/sh", "-c", "grep -q '^State:.[^Z]' /proc/$0/status", "{job}"]
poll = "0.1 s"
"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("file", ["metrics", "replies", "end", "log", "id", "settled", "orders", "journal"])
def test_what_takes_the_place_of_a_file_of_a_job_is_left_as_it_is(tmp_path, hostile_run, victim, kind, file):
    (tmp_path / "job.in").write_text("#!/bin/bash\n{run}\n")
    script = victim.replacing(kind, f"$(dirname $STEELYARD_METRICS)/{file}")
    ended = hostile_run("run", write_spec(tmp_path, script, METRICS + TEMPLATE, blocks=1))
    victim.assert_untouched()
    assert "Traceback" not in ended.stderr, ended.stderr
    assert ended.returncode != 0


@pytest.mark.parametrize("kind", KINDS)
def test_what_takes_the_place_of_the_list_of_levels_is_left_as_it_is(tmp_path, hostile_run, victim, kind):
    """Before the first level is entered, and after a run that was killed in one."""
    levels = f"{tmp_path}/spec.lab/journal/000001.journal.levels"
    (tmp_path / "first.sh").write_text(f"{victim.replacing(kind, levels)}; echo enters")
    once = f'setup_once = [["/bin/sh", "{tmp_path}/first.sh"]]'
    tables = """
[factors]
kind = ["a", "b"]
[[levels]]
factor = "kind"
level = "a"
enter = ["/bin/true"]
leave = ["/bin/true"]
"""
    ended = hostile_run("run", write_spec(tmp_path, "true {kind}", tables, program=once))
    victim.assert_untouched()
    assert ended.returncode == 2, ended.stderr
    text = " ".join(ended.stderr.split())
    assert "000001.journal.levels is a" in text
    assert "Traceback" not in ended.stderr
