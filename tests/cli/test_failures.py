"""Failures of the command line: exit code 2 with a cure, whatever the streams and the paths are."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

LONG = "a" * 300


@pytest.mark.parametrize(
    "arguments",
    [
        ("status", f"{LONG}.lab"),
        ("run", f"{LONG}.toml"),
        pytest.param(("plan", f"{LONG}.toml"), marks=pytest.mark.extensions("plan")),
        ("compare", "-r", "3", "-o", f"{LONG}.lab", "true"),
        pytest.param(("export", f"{LONG}.lab"), marks=pytest.mark.extensions("exchange")),
    ],
)
def test_a_name_that_is_too_long_is_an_error_with_a_cure(steelyard_cli, arguments):
    done = steelyard_cli(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert done.stderr.endswith(": File name too long\n\nhint: choose a shorter name\n")


def test_a_closed_standard_output_is_an_error_and_no_file_takes_its_place(steelyard_env, tmp_path):
    command = f"{sys.executable} -m steelyard compare -r 2 -o it.lab true >&-"
    done = subprocess.run(
        ["sh", "-c", command], env=steelyard_env, cwd=tmp_path, stderr=subprocess.PIPE, check=False
    )
    assert done.returncode == 2
    assert done.stderr == b"error: standard output is closed\n\nhint: to discard the answer: > /dev/null\n"
    assert not (tmp_path / "it.lab").exists()


@pytest.mark.parametrize("closed", ["2>&-", "<&-", "<&- 2>&-"])
def test_without_input_or_diagnostics_a_command_answers_all_the_same(steelyard_env, tmp_path, closed):
    command = f"{sys.executable} -m steelyard compare -r 2 -w 0 --json true {closed}"
    done = subprocess.run(
        ["sh", "-c", command], env=steelyard_env, cwd=tmp_path, stdout=subprocess.PIPE, check=True
    )
    assert json.loads(done.stdout)["format"] == "steelyard/comparison"


def test_a_terminal_that_cannot_show_a_character_gets_a_question_mark(steelyard_cli):
    done = steelyard_cli("compare", "-r", "2", "-w", "0", "echo é", env={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert "echo ?" in done.stdout


def test_a_document_is_utf_8_on_any_terminal(steelyard_env, tmp_path):
    command = [sys.executable, "-m", "steelyard", "compare", "-r", "2", "-w", "0", "--json", "echo é"]
    env = steelyard_env | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, check=True)
    labels = [sample["treatment"]["label"] for sample in json.loads(done.stdout)["samples"]]
    assert set(labels) == {"echo é"}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("status", "nowhere.lab"), 2, "nowhere.lab does not exist"),
        (("compare", "--margin", "3", "true"), 2, "3 is not between 0 and 1"),
        (("compare", "--no-such-option", "true"), 2, "No such option"),
        (("compare", "-r", "3", "false"), 5, "3 trials in a row failed"),
    ],
)
def test_under_json_a_failure_is_one_document_and_the_same_words(steelyard_cli, arguments, code, message):
    done = steelyard_cli(*arguments, "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["exit"]) == (code, code)
    assert (document["format"], document["version"]) == ("steelyard/error", 1)
    assert message in document["message"]
    assert f"error: {document['message']}\n\nhint: {document['hint']}\n" in done.stderr


def test_json_after_two_dashes_is_a_word_of_the_command(steelyard_cli):
    done = steelyard_cli("compare", "-r", "2", "--", "--json")
    assert (done.returncode, done.stdout) == (2, "")


def test_fewer_runs_at_most_than_at_least_are_refused(steelyard_cli):
    done = steelyard_cli("compare", "-m", "10", "-M", "5", "true")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: --max-runs 5 is less than --min-runs 10\n\n"
        "hint: --runs 5 for exactly 5, or leave one of them out\n"
    )


@pytest.mark.parametrize("program", ["./prog", "/bin/true", "true"])
def test_a_program_in_place_of_a_command_is_answered_with_compare(steelyard_cli, program):
    done = steelyard_cli(program, "./other prog")
    assert done.returncode == 2
    assert done.stderr.endswith(f"\n\nhint: steelyard compare {program} './other prog'\n")


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        (("--export-orgmode", "a.org"), "hint: --export-markdown FILE"),
        (("--export-asciidoc", "a.adoc"), "hint: --export-markdown FILE"),
        (("--style", "basic"), "hint: leave it out"),
    ],
)
def test_an_option_of_hyperfine_that_is_missing_is_answered_with_what_does_the_same(
    steelyard_cli, option, hint
):
    done = steelyard_cli("compare", *option, "true")
    assert done.returncode == 2
    assert hint in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_may_not_be_written_is_an_error(steelyard_cli, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    done = steelyard_cli("compare", "-r", "2", "-o", "closed/it.lab", "true")
    assert done.returncode == 2


def test_on_a_full_and_on_a_read_only_disk_it_is_an_error_too(steelyard_cli, small_disk):
    small_disk.fill()
    full = steelyard_cli("compare", "-r", "2", "-o", str(small_disk.path / "it.lab"), "true")
    assert (full.returncode, full.stderr.startswith("error: ")) == (2, True)
    small_disk.free()
    small_disk.mount("ro")
    closed = steelyard_cli("compare", "-r", "2", "-o", str(small_disk.path / "other.lab"), "true")
    assert (closed.returncode, closed.stderr.startswith("error: ")) == (2, True)


@pytest.mark.parametrize(
    ("words", "code"), [(("analyze", "none.lab"), 2), (("nosuch",), 2), (("compare", "-r", "2", "false"), 5)]
)
def test_an_exit_code_does_not_depend_on_who_can_read_the_error(steelyard_env, tmp_path, words, code):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "steelyard", *words],
            cwd=tmp_path,
            env=steelyard_env,
            stderr=full,
            check=False,
        )
    assert done.returncode == code


def test_a_long_line_of_a_message_loses_its_middle(steelyard_cli):
    done = steelyard_cli("compare", "x" * 100_000, "true")
    assert done.returncode == 2
    assert len(done.stderr) < 2500
    assert done.stderr.startswith("error: x")
    assert done.stderr.endswith("\nhint: choose a shorter name\n")


@pytest.mark.extensions("growth")
def test_where_signs_cannot_be_written_each_verdict_keeps_one_of_its_own(steelyard_cli, tmp_path):
    (tmp_path / "a.csv").write_text("p,t\n" + "".join(f"{2**i},{4**i}\n" for i in range(8)))
    about = ("check", "a.csv", "--value", "t", "--parameter", "p", "--expect")
    for expected, sign, plain in (("O(p^2)", "✓", "+"), ("O(1)", "✗", "x")):
        assert steelyard_cli(*about, expected).stdout.startswith(sign)
        in_ascii = steelyard_cli(*about, expected, env={"PYTHONIOENCODING": "ascii"}).stdout
        assert in_ascii.startswith(f"{plain} ")
        assert in_ascii.isascii()


def test_under_a_limit_of_file_sizes_it_is_named(steelyard_env, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "steelyard", "compare", "-r", "2", "-o", "it.lab", "true"],
        cwd=tmp_path,
        env=steelyard_env,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)),
    )
    assert done.returncode == 2
    assert "where no file may be larger than 8,192 bytes" in done.stderr
    assert done.stderr.endswith("hint: raise the limit of file sizes: ulimit -f unlimited\n")
    assert not (tmp_path / "it.lab").exists()


def test_colours_of_a_failing_build_are_dropped_and_what_moves_the_cursor_is_escaped(steelyard_cli, tmp_path):
    (tmp_path / "in.c").write_text("")
    (tmp_path / "spec.toml").write_text(
        'name = "x"\n[program]\ncommand = ["{build}/x"]\n[build]\ninputs = ["in.c"]\n'
        r"""command = ["sh", "-c", "printf '\\033[31mred\\033[0m \\033]0;a\\007\\b\\tend\\n' >&2; exit 1"]"""
    )
    done = steelyard_cli("run", str(tmp_path / "spec.toml"), env={"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert done.returncode == 5
    assert "\n    red \\x08   end\n" in done.stderr
    assert "\x1b" not in done.stderr
