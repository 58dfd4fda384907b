"""The command line itself: help, errors, exit codes, start-up, completion."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from steelyard import Laboratory
from steelyard.cli import cli, group
from steelyard.core.errors import MachineError, ProgramError, SteelyardError, UsageError
from steelyard.core.extension import Command, Extension, Extensions, load

COMMANDS = cli.list_entries()


def test_the_help_line_of_every_command_is_its_own():
    for name, entry in COMMANDS.items():
        assert load(entry.place).short_help == entry.help, name


def test_help_names_every_command_and_the_exit_codes(steelyard_cli):
    done = steelyard_cli("--help")
    assert done.returncode == 0
    assert all(re.search(rf"\b{name}\b", done.stdout.partition("Commands:")[2]) for name in COMMANDS)
    assert "130 interrupted" in " ".join(done.stdout.split())


@pytest.mark.extensions("gate", "page")
def test_help_describes_five_commands_and_names_the_rest_by_topic(steelyard_cli):
    lines = steelyard_cli("--help").stdout.partition("\nCommands:\n")[2].splitlines()
    described = lines[: lines.index("")]
    named = [line.split()[0] for line in described if not line.startswith("   ")]
    assert sorted(named) == ["check", "compare", "gate", "report", "run"]
    assert len(lines) <= 16


@pytest.mark.parametrize("words", [("--help", "--all"), ("--all", "--help"), ("-h", "--all"), ("--all",)])
def test_help_of_all_describes_every_command(steelyard_cli, words):
    done = steelyard_cli(*words, env={"COLUMNS": "100"})
    assert (done.returncode, done.stderr) == (0, "")
    flat = " ".join(done.stdout.split())
    assert all(f"{name} {entry.help}" in flat for name, entry in COMMANDS.items())


def test_a_command_of_another_package_named_as_one_of_ours_is_told_to_be_hidden(capsys, monkeypatch):
    mine = Extension(name="mine", purpose="", commands={"compare": Command("Mine.", "mine:command")})
    monkeypatch.setattr(group, "find_extensions", lambda: Extensions((mine,), ()))
    cli.main(["--help"], standalone_mode=False)
    output = " ".join(capsys.readouterr().out.split())
    assert "mine its command 'compare' is one of Steelyard's own" in output
    assert "Mine." not in output


@pytest.mark.extensions("gate", "page")
def test_every_command_has_its_place_in_the_help():
    first = [name for name, entry in COMMANDS.items() if not entry.topic]
    assert sorted(first) == ["check", "compare", "gate", "report", "run"]
    assert "more" not in {entry.topic for entry in COMMANDS.values()}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help_that_fits_80_columns(steelyard_cli, name):
    done = steelyard_cli(name, "--help", env={"COLUMNS": "80"})
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_version_is_that_of_the_package(steelyard_cli):
    metadata = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert steelyard_cli("--version").stdout == f"steelyard {metadata['project']['version']}\n"


def test_an_unknown_command_is_answered_with_the_nearest_one(steelyard_cli):
    done = steelyard_cli("compair", "a", "b")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: unknown command 'compair'\n\nhint: steelyard compare\n"


def test_a_wrong_option_is_an_error_and_a_hint_and_no_traceback(steelyard_cli):
    done = steelyard_cli("run", "--no-such-option", "x.toml")
    assert done.returncode == 2
    assert done.stderr.startswith("error: No such option")
    assert done.stderr.endswith("\n\nhint: steelyard run --help\n")


def test_exit_codes_are_those_of_the_exceptions():
    assert (SteelyardError.exit_code, UsageError.exit_code) == (2, 2)
    assert (MachineError.exit_code, ProgramError.exit_code) == (4, 5)


def test_output_may_be_closed_early(steelyard_env, tmp_path):
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "steelyard", "--help"]
    done = subprocess.run(
        command, stdout=write, stderr=subprocess.PIPE, env=steelyard_env, cwd=tmp_path, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_for_the_shell(steelyard_cli, shell):
    done = steelyard_cli("completion", shell)
    assert done.returncode == 0
    assert f"_STEELYARD_COMPLETE={shell}_complete" in done.stdout


def test_completion_completes_commands_and_options(steelyard_cli):
    env = {"_STEELYARD_COMPLETE": "bash_complete", "COMP_WORDS": "steelyard com", "COMP_CWORD": "1"}
    assert set(steelyard_cli(env=env).stdout.split()) == {"plain,compare", "plain,completion"}
    env |= {"COMP_WORDS": "steelyard compare --max-t", "COMP_CWORD": "2"}
    assert steelyard_cli(env=env).stdout.split() == ["plain,--max-time"]


@pytest.mark.extensions("audit", "growth", "observe", "protocol_2014")
@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("audit --only env", {"plain,env_bytes"}),
        ("audit --metric rss", {"plain,rss_bytes"}),
        ("observe --probe st", {"plain,strace"}),
        ("observe --counters cycles,inst", {"plain,cycles,instructions"}),
        ("compare --metric wall", {"plain,wall_s"}),
        ("analyze it.lab --protocol nog", {"plain,nogueira-matias-2014"}),
        ("model --space mpi", {"plain,mpi-study"}),
        ("model --aggregate lower", {"plain,lower-half"}),
        ("analyze nowhere.lab --against o", set()),
    ],
)
def test_completion_completes_values(steelyard_cli, typed, completed):
    words = typed.split()
    env = {
        "_STEELYARD_COMPLETE": "bash_complete",
        "COMP_WORDS": f"steelyard {typed}",
        "COMP_CWORD": str(len(words)),
    }
    assert set(steelyard_cli(env=env).stdout.split()) == completed


@pytest.fixture
def place(tmp_path):
    """A directory with a spec, two records, and what is neither."""
    for name in ("it.toml", "prog.c", "run.sh", "sub/it.txt", ".hidden.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    for name in ("it.lab", "sub/other.lab"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "record.sqlite").touch()
    (tmp_path / "none.lab").mkdir()
    return tmp_path


@pytest.mark.extensions("audit", "exchange", "observe", "plan", "repair")
@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("analyze ", {"plain,it.lab", "plain,it.toml", "plain,sub/", "plain,none.lab/", "plain,home/"}),
        ("analyze i", {"plain,it.lab", "plain,it.toml"}),
        ("status it.l", {"plain,it.lab"}),
        ("export sub/", {"plain,sub/other.lab"}),
        ("recover ./it.l", {"plain,./it.lab"}),
        ("run ", {"plain,it.lab", "plain,it.toml", "plain,sub/", "plain,none.lab/", "plain,home/"}),
        ("plan i", {"plain,it.toml"}),
        ("plan .h", {"plain,.hidden.toml"}),
        ("analyze it.lab/", {"plain,it.lab/record.sqlite"}),
        # The shell then completes directories.
        ("analyze s", {"dir,s"}),
        ("analyze p", {"dir,p"}),
        ("analyze nowhere/", {"dir,nowhere/"}),
        # Or whatever there is.
        ("compare ./r", {"file,./r"}),
        ("compare ./run.sh ./r", {"file,./r"}),
        ("audit ./r", {"file,./r"}),
        ("observe --probe strace ./r", {"file,./r"}),
    ],
)
def test_completion_offers_records_and_specs_and_no_other_files(steelyard_cli, place, typed, completed):
    words = f"steelyard {typed}".split(" ")
    env = {
        "_STEELYARD_COMPLETE": "bash_complete",
        "COMP_WORDS": f"steelyard {typed}",
        "COMP_CWORD": str(len(words) - 1),
    }
    assert set(steelyard_cli(env=env).stdout.split("\n")) - {""} == completed


@pytest.mark.extensions("plan")
def test_a_name_that_has_to_be_quoted_is_left_to_the_shell(steelyard_cli, place):
    (place / "my spec.toml").touch()
    env = {"_STEELYARD_COMPLETE": "bash_complete", "COMP_WORDS": "steelyard plan ", "COMP_CWORD": "2"}
    assert steelyard_cli(env=env).stdout == "file,\n"


def test_completion_of_a_baseline_knows_the_levels_of_the_record(steelyard_cli, tmp_path):
    lab = Laboratory.compare(
        "echo {n}", record=tmp_path / "it.lab", parameters={"n": ["10", "20"]}, blocks=2, rel_halfwidth=None
    )
    lab.run()
    env = {
        "_STEELYARD_COMPLETE": "bash_complete",
        "COMP_WORDS": "steelyard analyze it.lab --against n=1",
        "COMP_CWORD": "4",
    }
    assert steelyard_cli(env=env).stdout.split() == ["plain,n=10"]


def test_help_loads_few_modules(steelyard_env):
    """Its CPU time is measured by ``./dev bench runner``."""
    modules = (
        "import sys; before = set(sys.modules); import steelyard.cli; print(len(set(sys.modules) - before))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", modules], env=steelyard_env, capture_output=True, text=True, check=True
    )
    assert int(loaded.stdout) < 150


def test_without_arguments_three_lines_start_something(steelyard_cli):
    done = steelyard_cli()
    assert (done.returncode, done.stdout) == (2, "")
    commands = [line.split("   ")[0] for line in done.stderr.splitlines()]
    assert commands == ["steelyard compare './old input' './new input'", "steelyard demo", "steelyard --help"]
    assert max(map(len, done.stderr.splitlines())) <= 100
