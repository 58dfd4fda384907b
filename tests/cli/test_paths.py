"""Outputs of every command, found by looking at its options: none of them is written onto what is read."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import click
import pytest

from steelyard.cli import cli
from steelyard.cli.paths import (
    InputPath,
    InputPlace,
    OutputDirectory,
    OutputFile,
    OutputPlace,
    PathCommand,
    RecordDirectory,
    RecordOrStream,
)
from steelyard.core.errors import UsageError
from steelyard.files.writing import RECORD_FILE
from steelyard.laboratory import Laboratory

SPEC = """\
[program]
command = ["./program", "{size}", "data.csv", "--part={source}/part-{size}.txt"]
stdin = "input.txt"
[metrics]
took = { source = "stdout", pattern = "took=(.*)", unit = "s" }
[factors]
size = [1, 2]
[design]
blocks = 5
[analysis]
metric = "took"
[[claims]]
faster = { size = 1 }
than = { size = 2 }
"""
ARGUMENTS = {
    "analyze": ["it.lab"],
    "check": ["it.toml"],
    "compare": ["./program 1 data.csv", "./program 2", "--input", "input.txt", "-r", "2"],
    "demo": [],
    "efficiency": ["data.csv", "--value", "t", "--parameter", "p"],
    "export": ["it.lab", "-f", "csv"],
    "gate": ["HEAD", "--build", "cat input.txt"],
    "history": ["it.lab", "--check"],
    "model": ["data.csv", "--value", "t", "--parameter", "p", "--expectations", "expected.json"],
    "explain": ["./program data.csv", "./program input.txt"],
    "observe": ["./program 1 data.csv", "--variable", "A=1", "--input", "input.txt"],
    "report": ["it.lab"],
}
"""A command line of each command that writes a file, and reads others."""
READ = {
    "check": ["it.toml", "program", "data.csv", "input.txt", "part-2.txt"],
    "compare": ["program", "data.csv", "input.txt"],
    "demo": [],
    "efficiency": ["data.csv"],
    "explain": ["program", "data.csv", "input.txt"],
    "gate": ["program", "data.csv", "input.txt"],
    "history": ["it.toml", "program", "data.csv", "input.txt", "part-2.txt"],
    "model": ["data.csv", "expected.json"],
    "observe": ["program", "data.csv", "input.txt"],
}
"""What such a command line reads; of a record also its spec, and what that names."""


def path_options():
    for name in cli.list_entries():
        command = cli.get_command(click.Context(cli), name)
        yield from ((name, command, param) for param in command.params if isinstance(param.type, click.Path))


OUTPUTS = [
    pytest.param(name, param, id=f"{name} {param.opts[-1]}")
    for name, _, param in path_options()
    if isinstance(param.type, OutputFile)
]


def test_every_path_says_whether_it_is_read_or_written():
    for name, command, param in path_options():
        assert type(param.type) in (
            InputPath,
            InputPlace,
            OutputDirectory,
            OutputFile,
            OutputPlace,
            RecordDirectory,
            RecordOrStream,
        ), (
            name,
            param.name,
        )
        assert isinstance(command, PathCommand) or isinstance(param.type, InputPath | InputPlace), (
            name,
            param.name,
        )


def test_every_option_that_says_it_writes_is_a_path_that_is_written():
    writes = (
        "Also write",
        "Write the",
        "Write every",
        "File to write",
        "Also draw",
        "Directory of the record",
    )
    for name in cli.list_entries():
        for param in cli.get_command(click.Context(cli), name).params:
            if (getattr(param, "help", None) or "").startswith(writes):
                assert isinstance(param.type, OutputDirectory | OutputFile | RecordDirectory), (
                    name,
                    param.name,
                )


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    place = tmp_path_factory.mktemp("made")
    (place / "program").write_text("#!/bin/sh\necho took=0.$1\n")
    (place / "program").chmod(0o755)
    (place / "data.csv").write_text("p,t\n1,1\n2,2\n4,4\n8,8\n16,16\n")
    (place / "part-2.txt").write_text("2\n")
    (place / "input.txt").write_text("1 2 3\n")
    (place / "it.toml").write_text(SPEC)
    (place / "expected.json").write_text(
        '{"format": "steelyard/expectations", "version": 1, "expectations": {"*": {"expect": "O(p)"}}}'
    )
    Laboratory(place / "it.toml").run()
    return place


@pytest.fixture
def place(workplace, tmp_path):
    shutil.copytree(workplace, tmp_path / "place")
    return tmp_path / "place"


def contents(place: Path) -> dict[str, bytes]:
    return {str(file.relative_to(place)): file.read_bytes() for file in place.rglob("*") if file.is_file()}


@pytest.mark.parametrize(("name", "param"), OUTPUTS)
def test_no_output_is_written_onto_what_the_command_reads(place, name, param, monkeypatch, refused):
    monkeypatch.chdir(place)
    (place / "soft").symlink_to(f"it.lab/{RECORD_FILE}")
    bad = [f"it.lab/{RECORD_FILE}", "it.lab/new.html", "./it.lab/../it.lab/x", "soft", "it.toml", "program"]
    for number, file in enumerate(READ.get(name, READ["history"])):
        os.link(file, f"hard{number}")
        Path(f"link{number}").symlink_to(file)
        bad += [file, f"./{file}", str(place / file), f"hard{number}", f"link{number}"]
    before = contents(place)
    for file in bad:
        words = ["--", "./program", "data.csv"] if name == "gate" else []
        message = refused([name, *ARGUMENTS[name], param.opts[-1], file, *words])
        assert str(Path(file)) in message
        assert any(
            reason in message
            for reason in ("is inside the record", "is an input", "is the spec of", "is a program")
        ), message
        assert contents(place) == before


@pytest.fixture
def refused(capsys):
    """The message of a command line that is refused before it does anything."""

    def run(words):
        with pytest.raises(UsageError) as caught:
            cli.main(words, prog_name="steelyard", standalone_mode=False)
        assert capsys.readouterr().out == ""
        assert caught.value.hint
        return caught.value.message

    return run


@pytest.mark.extensions("audit", "bisect", "demo", "exchange", "observe", "repair")
@pytest.mark.parametrize(
    "command", ["run", "bisect", "import", "audit", "observe", "demo", "compare", "recover"]
)
def test_no_record_is_made_inside_a_record_or_onto_a_file(place, command, monkeypatch, refused):
    monkeypatch.chdir(place)
    arguments = {
        "run": ["it.toml", "-o"],
        "bisect": ["a", "b", "-o"],
        "import": ["data.csv", "-o"],
        "audit": ["./program", "-o"],
        "observe": ["./program", "-o"],
        "demo": ["-o"],
        "compare": ["./program 1", "./program 2", "-o"],
        "recover": ["it.lab"],
    }[command]
    before = contents(place)
    assert "is inside the record it.lab" in refused([command, *arguments, "it.lab/deep/new.lab"])
    assert "a file, not a directory" in refused([command, *arguments, "input.txt"])
    assert contents(place) == before


@pytest.mark.extensions("page")
def test_directories_of_figures_and_tables_are_not_inside_a_record(place, monkeypatch, refused):
    monkeypatch.chdir(place)
    for option in ("--figures", "--tables"):
        for directory in ("it.lab", "it.lab/new", "./it.lab/."):
            assert "is inside the record it.lab" in refused(["report", "it.lab", option, directory])
        assert "a file, not a directory" in refused(["report", "it.lab", option, "data.csv"])


def test_an_output_that_is_there_already_is_replaced(place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    for _ in range(2):
        outputs = ["--junit", "part-3.txt", "--sarif", "a.sarif", "--markdown", "a.md"]
        assert cli.main(["check", "it.toml", "--no-run", *outputs], standalone_mode=False) in (0, 1)
        assert (place / "part-3.txt").read_text().startswith("<?xml")
        (place / "part-3.txt").write_text("of last time")
    assert capsys.readouterr().out


def test_two_outputs_are_two_files(place, monkeypatch, refused):
    monkeypatch.chdir(place)
    (place / "same").symlink_to("a.xml")
    message = refused(["check", "it.toml", "--junit", "a.xml", "--sarif", "same"])
    assert message == "--junit and --sarif name one file: same"


@pytest.mark.extensions("growth")
def test_what_a_claim_accepts_may_be_accepted_again(place, monkeypatch):
    monkeypatch.chdir(place)
    claim = '[[claims]]\nscales = "t"\nover = "p"\naccepted = "input.txt"\n'
    (place / "it.toml").write_text(claim)
    with pytest.raises(UsageError) as caught:
        cli.main(["model", "it.toml", "--accept", "input.txt"], standalone_mode=False)
    assert "is an input" not in caught.value.message
    with pytest.raises(UsageError, match="is an input"):
        cli.main(["model", "it.toml", "--accept", "it.toml"], standalone_mode=False)
