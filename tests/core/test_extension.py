"""The seam: an extension is found by name, and one that cannot be used keeps no other from working."""

from __future__ import annotations

import re
import sys

import pytest

from steelyard.core import extension as module
from steelyard.core.errors import UsageError
from steelyard.core.extension import (
    ANY_READER,
    Extension,
    end_run,
    find_extensions,
    find_harness,
    find_launcher,
    list_harnesses,
    load,
)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """``installed(name, source)``: a package beside ours whose ``extension`` is an entry point."""
    monkeypatch.syspath_prepend(str(tmp_path))
    find_extensions.cache_clear()

    def install(name: str, source: str, value: str = "extension") -> None:
        (tmp_path / f"{name}.py").write_text(source)
        information = tmp_path / f"{name}-1.0.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (information / "entry_points.txt").write_text(f"[steelyard.extensions]\n{name} = {name}:{value}\n")
        find_extensions.cache_clear()

    yield install
    find_extensions.cache_clear()
    for name in [name for name in sys.modules if name.startswith("other_")]:
        del sys.modules[name]


HEAD = "from steelyard.core.extension import Command, Extension\n"


def test_an_extension_of_another_package_is_found_by_its_entry_point(installed):
    installed("other_one", f'{HEAD}extension = Extension(name="one", purpose="shows one")\n')
    assert find_extensions().usable[-1] == Extension(name="one", purpose="shows one")


def test_a_module_that_does_not_import_is_a_problem_and_the_others_go_on(installed):
    installed("other_broken", "raise RuntimeError('no luck')\n")
    installed("other_fine", f'{HEAD}extension = Extension(name="fine", purpose="")\n')
    extensions = find_extensions()
    assert extensions.usable[-1].name == "fine"
    assert [(p.name, p.reason) for p in extensions.problems] == [
        ("other_broken", "other_broken:extension cannot be imported: no luck")
    ]


def test_an_entry_point_that_is_no_extension_is_a_problem(installed):
    installed("other_text", "extension = 'text'\n")
    assert find_extensions().problems[-1].reason == "other_text:extension is not a steelyard.Extension"


@pytest.mark.extensions("gate")
def test_the_second_of_two_extensions_of_one_name_is_a_problem(installed):
    installed("other_gate", f'{HEAD}extension = Extension(name="gate", purpose="mine")\n')
    extensions = find_extensions()
    assert [extension.purpose for extension in extensions.usable if extension.name == "gate"] != ["mine"]
    assert extensions.problems[-1].reason == "other_gate:extension has the name of another extension"


@pytest.mark.extensions("gate", "exchange", "outputs")
@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        (
            'commands={"gate": Command("Mine.", "m:c")}',
            "the command 'gate', which the extension 'gate' has",
        ),
        ('readers={"fio": "m:read"}', "the format 'fio', which the extension 'outputs' has"),
        ('readers={"reframe": "m:read"}', "the format 'reframe', which the extension 'exchange' has"),
    ],
)
def test_an_extension_that_takes_a_name_of_another_is_a_problem(installed, entries, reason):
    installed("other_mine", f'{HEAD}extension = Extension(name="mine", purpose="", {entries})\n')
    extensions = find_extensions()
    assert "mine" not in [extension.name for extension in extensions.usable]
    assert (problem := extensions.problems[-1]).name == "mine"
    assert problem.reason == f"other_mine:extension has {reason}"


def test_a_module_that_raises_is_an_error_that_says_where_to_look(installed, tmp_path):
    (tmp_path / "other_raising.py").write_text("raise KeyError('k')\n")
    with pytest.raises(UsageError, match="other_raising:read' cannot be loaded: KeyError: 'k'") as caught:
        load("other_raising:read")
    assert "python3 -c 'import other_raising'" in (caught.value.hint or "")


def test_an_extension_whose_need_is_missing_is_a_problem_and_so_is_what_needs_it(installed):
    installed("other_a", f'{HEAD}extension = Extension(name="a", purpose="", needs=("nowhere",))\n')
    installed("other_b", f'{HEAD}extension = Extension(name="b", purpose="", needs=("a",))\n')
    reasons = {problem.name: problem.reason for problem in find_extensions().problems}
    assert reasons == {
        "a": "it needs the extension 'nowhere', which is not installed",
        "b": "it needs the extension 'a', which is not installed",
    }


def test_the_core_alone_has_no_extension(monkeypatch):
    monkeypatch.setitem(sys.modules, module.GROUP, None)
    find_extensions.cache_clear()
    try:
        assert [extension.name for extension in find_extensions().usable] == []
    finally:
        find_extensions.cache_clear()


@pytest.mark.parametrize("place", ["steelyard.nowhere:command", "steelyard.core.extension:nothing"])
def test_an_entry_that_stands_for_nothing_is_an_error_that_names_it(place):
    with pytest.raises(UsageError, match=place):
        load(place)


@pytest.mark.extensions("clusters")
def test_a_kind_of_launch_is_found_and_an_unknown_one_is_not():
    assert find_launcher("slurm") == "steelyard.extensions.clusters.jobs:Jobs"
    assert find_launcher("mpi") is None


@pytest.mark.extensions("exchange", "outputs")
def test_each_format_of_readers_is_a_source_and_its_reports_are_read(installed):
    installed(
        "other_formats",
        f'{HEAD}extension = Extension(name="formats", purpose="",\n'
        '    readers={"stopwatch": "other_formats:read"}, harnesses={"bell": "other_formats:ring"})\n',
    )
    assert {"stopwatch", "bell", "fio", "reframe"} <= {*list_harnesses()}
    assert ANY_READER not in list_harnesses()
    assert [name for name in list_harnesses() if find_harness(name) is None] == []
    assert find_harness("stopwatch") == find_harness("fio") == find_harness("reframe")
    assert find_harness("bell") == "other_formats:ring"


def test_what_fails_after_a_run_keeps_neither_the_run_nor_the_others(installed, tmp_path):
    installed(
        "other_after",
        f"{HEAD}from pathlib import Path\n"
        "from steelyard.core.errors import RecordError\n"
        "def fail(directory): raise RecordError('no')\n"
        "def mark(directory): (directory / 'mark').touch()\n"
        "after = {'fail': 'other_after:fail', 'lost': 'other_after:nothing', 'mark': 'other_after:mark'}\n"
        "extension = Extension(name='after', purpose='', after_run=after)\n",
    )
    end_run(tmp_path)
    assert (tmp_path / "mark").exists()


def test_a_command_of_another_package_runs_by_its_name(installed, monkeypatch, capsys, tmp_path):
    from click.testing import CliRunner

    from steelyard.cli import cli

    installed(
        "other_command",
        f"import click\n{HEAD}"
        "@click.command(short_help='Say it.')\ndef command():\n    click.echo('said')\n"
        "commands = {'say': Command('Say it.', 'other_command:command')}\n"
        "extension = Extension(name='say', purpose='', commands=commands)\n",
    )
    assert CliRunner().invoke(cli, ["say"]).output == "said\n"
    assert re.search(r"^ +more +say$", CliRunner().invoke(cli, ["--help"]).output, re.MULTILINE)
