"""Exit codes behind a reader who leaves (``| true``, ``| head -1``), on either stream, of every command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "lab"))
sys.path.insert(0, str(Path(__file__).parents[1] / "lab" / "merge"))

from scratch_repository import Programs, Suites
from simulated_machines import machine

from steelyard.cli import cli

SPEC = """\
name = "printing"
[program]
command = ["printf", "took=%s", "{seconds}"]
[metrics]
took = { source = "stdout", pattern = "took=(.*)", unit = "s" }
[factors]
seconds = [0.001, 0.02]
[design]
blocks = 8
[analysis]
metric = "took"
[[claims]]
faster = { seconds = 0.02 }
than = { seconds = 0.001 }
"""
COSTS = (1.01, 1.0, 1.02, 1.0, 1.41, 1.4, 1.42, 1.4)
PROJECT = ("--seed", "1", "--repo", "repository")


def spec(place):
    (place / "it.toml").write_text(SPEC)


def suites(place):
    repository = Suites(place / "repository")
    base = repository.suite(sort=100, old=5)
    repository.git("tag", "base", base)
    repository.suite(sort=120)


def line(place):
    Programs(place / "repository").line(2, 9)


def win(place):
    programs = Programs(place / "repository")
    programs.program(4)
    (programs.path / "prog.in").write_text("#!/bin/sh\necho other\n")


def machines(place):
    for number in range(4):
        machine(place / f"{number}.lab", f"n{number}", 0.95, seed=number)


def commits(place):
    from steelyard import Laboratory

    (place / "it.toml").write_text(
        SPEC.partition("[[claims]]")[0]
        .replace('"printf", "took=%s", "{seconds}"', '"{source}/prog"')
        .replace("[factors]\nseconds = [0.001, 0.02]\n", "")
    )
    program = place / "prog"
    for number, cost in enumerate(COSTS):
        program.write_text(f"#!/bin/sh\necho took={cost}\n")
        program.chmod(0o755)
        Laboratory(place / "it.toml", record=place / "records" / f"{number}.lab").run()


def series(place):
    rows = "".join(f"{p},{p * p}\n" for p in (16, 32, 64, 128, 256, 512))
    (place / "data.csv").write_text("p,time\n" + rows)


def nothing(place):
    """Leave the directory empty."""


GROWTH = ("data.csv", "--value", "time", "--parameter", "p", "--at-most", "O(p)")
BUILT = ("--metric", "rss_bytes", "--build", "sh build")
CASES = {
    "a claim that fails": (spec, ("check", "it.toml"), 1),
    "a claim that fails, as a document": (spec, ("check", "it.toml", "--json"), 1),
    "a claim that fails, written into the pipe": (
        spec,
        ("check", "it.toml", "--junit", "/dev/stdout", "--github"),
        1,
    ),
    "a run whose claim fails": (spec, ("run", "it.toml"), 1),
    "growth that fails": (series, ("check", *GROWTH), 1),
    "a model that does not match": (series, ("model", *GROWTH), 1),
    "machines over which a claim fails": (machines, ("merge", "0.lab", "1.lab", "2.lab", "3.lab"), 1),
    "records over which a claim fails": (machines, ("analyze", "0.lab", "1.lab", "2.lab", "3.lab"), 1),
    "a commit that made it worse": (commits, ("history", "records", "--check"), 1),
    "a benchmark that is slower": (
        suites,
        ("gate", "base", "-o", "gate", *PROJECT, "--harness", "google-benchmark", "--", "./bench"),
        1,
    ),
    "a search that names no commit": (
        line,
        (
            "bisect",
            "HEAD~1",
            "HEAD",
            "--strict",
            "--blocks",
            "3",
            "-o",
            "b",
            *PROJECT,
            *BUILT,
            "--",
            "./prog",
        ),
        3,
    ),
    "a change that wins nothing": (
        win,
        ("ratchet", "try", "--blocks", "5", "--repo", "repository", *BUILT, "--", "./prog"),
        3,
    ),
    "commands that are not resolved": (nothing, ("compare", "-r", "1", "--strict", "true", "true"), 3),
    "a program that fails": (nothing, ("compare", "-r", "3", "--json", "false"), 5),
    "a record that is nowhere": (nothing, ("status", "nowhere.lab", "--json"), 2),
    "no command": (nothing, (), 2),
    "help": (nothing, ("--help",), 0),
}


@pytest.fixture
def code_behind(steelyard_env, tmp_path):
    """Exit code of a command line whose streams ``unread`` lead into a pipe that nobody reads."""

    def run(words, unread, *options):
        read, write = os.pipe()
        os.close(read)
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        streams |= dict.fromkeys(unread, write)
        done = subprocess.run(
            [sys.executable, *options, "-m", "steelyard", *words],
            env=steelyard_env,
            cwd=tmp_path,
            check=False,
            **streams,
        )
        os.close(write)
        assert b"Traceback" not in (done.stderr or b"")
        assert b"Exception ignored" not in (done.stderr or b"")
        return done.returncode

    return run


@pytest.mark.extensions("bisect", "gate", "growth", "ratchet")
@pytest.mark.parametrize("case", CASES)
def test_a_reader_who_leaves_changes_no_exit_code(steelyard_cli, code_behind, tmp_path, case):
    prepare, words, code = CASES[case]
    prepare(tmp_path)
    done = steelyard_cli(*words)
    assert done.returncode == code, done.stdout + done.stderr
    unread = (("stdout",), ("stderr",), ("stdout", "stderr"))
    assert [code_behind(words, streams) for streams in unread] == [code] * 3


@pytest.mark.parametrize("name", cli.list_entries())
def test_a_mistake_in_any_command_stays_one_behind_closed_pipes(code_behind, name):
    assert code_behind((name, "--no-such-option", "--json"), ("stdout", "stderr")) == 2


def test_a_reader_who_leaves_in_the_middle_changes_no_exit_code(steelyard_env, tmp_path):
    spec(tmp_path)
    tail = "".join(
        f"[[claims]]\nfaster = {{ seconds = 0.02 }}\nthan = {{ seconds = 0.001 }}\nname = '{n:0400}'\n"
        for n in range(400)
    )
    (tmp_path / "it.toml").write_text(SPEC.replace("blocks = 8", "blocks = 30") + tail)
    read, write = os.pipe()
    command = [sys.executable, "-m", "steelyard", "check", "it.toml", "--json"]
    with subprocess.Popen(
        command, stdout=write, stderr=subprocess.PIPE, env=steelyard_env, cwd=tmp_path
    ) as it:
        os.close(write)
        assert os.read(read, 10)
        os.close(read)
        assert (it.communicate()[1], it.returncode) == (b"", 1)


def test_without_buffers_a_reader_who_leaves_changes_no_exit_code(steelyard_cli, code_behind, tmp_path):
    spec(tmp_path)
    assert steelyard_cli("check", "it.toml").returncode == 1
    assert code_behind(("check", "it.toml"), ("stdout",), "-u") == 1


def test_files_are_written_whole_behind_a_reader_who_leaves(code_behind, tmp_path):
    words = ("compare", "-r", "2", "-w", "0", "--export-json", "it.json", "true")
    assert code_behind(words, ("stdout", "stderr")) == 0
    assert len(json.loads((tmp_path / "it.json").read_text())["results"]) == 1
