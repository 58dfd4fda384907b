"""``./dev test alone``: copies with the core, or with an extension and those that it declares."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from steelyard.extensions import EXTENSIONS

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from checkout import ROOT, list_files
from door.alone import CORE, Part, copy_tree, keep_entries, list_commands_of_others, list_parts
from door.stages import DevError

FOUND = """
import json, steelyard
from steelyard.core.extension import find_extensions
found = find_extensions()
print(json.dumps([steelyard.__file__, [x.name for x in found.usable], [x.name for x in found.problems]]))
"""
MARK = re.compile(r"mark\.extensions\(([^)]*)\)")


def test_the_core_has_no_extension_and_each_extension_those_that_it_declares() -> None:
    parts = {part.name: part.extensions for part in list_parts([])}
    assert parts.pop(CORE) == frozenset()
    assert parts["gate"] == {"gate", "exchange", "explain", "repository"}
    tested = {path.name for path in (ROOT / "tests/extensions").iterdir()}
    assert parts.keys() == {extension.name for extension in EXTENSIONS if extension.name in tested}
    assert all(
        parts[extension.name] >= {extension.name, *extension.needs}
        for extension in EXTENSIONS
        if extension.name in tested
    )
    # Its page is one of another extension, which needs a third.
    assert parts["efficiency"] == {"efficiency", "growth", "page", "exchange"}


def test_a_part_that_is_named_is_tested_alone_and_an_unknown_one_is_refused() -> None:
    assert [part.name for part in list_parts(["lake", "core"])] == ["core", "lake"]
    with pytest.raises(DevError, match="'laek'") as caught:
        list_parts(["lake", "laek"])
    assert caught.value.exit_code == 2
    assert ", lake, " in (caught.value.hint or "")


def test_the_list_of_a_copy_has_its_own_entries_alone() -> None:
    text = (ROOT / "src/steelyard/extensions/__init__.py").read_text()
    names: dict[str, object] = {}
    exec(keep_entries(text, {"bisect", "repository"}), names)  # noqa: S102 -- our own list
    entries = names["EXTENSIONS"]
    assert entries == tuple(
        extension for extension in EXTENSIONS if extension.name in ("bisect", "repository")
    )


def test_commands_of_others_are_those_that_a_part_lacks() -> None:
    core, bisect = list_parts(["core", "bisect"])
    every = {name for extension in EXTENSIONS for name in extension.commands}
    assert {*list_commands_of_others(core)} == every
    assert every - {*list_commands_of_others(bisect)} == {"bisect"}


@pytest.mark.parametrize(("name", "extensions"), [("core", []), ("bisect", ["bisect", "repository"])])
def test_a_copy_finds_its_own_package_with_its_extensions_alone(
    name: str, extensions: list[str], tmp_path: Path
) -> None:
    (part,) = list_parts([name])
    copy_tree(part, tmp_path)
    python = tmp_path / ".venv/bin/python"
    done = subprocess.run([python, "-c", FOUND], cwd=tmp_path, capture_output=True, text=True, check=True)
    package, usable, problems = json.loads(done.stdout)
    assert package == str(tmp_path / "src/steelyard/__init__.py")
    assert (usable, problems) == (extensions, [])
    tests = part.list_tests(tmp_path)
    assert tests == ["tests/extensions/bisect"] if extensions else {"tests/lab", "tests/stats"} < {*tests}
    for place in ("src/steelyard/extensions", "tests/extensions"):
        folders = [path.parent.name for path in (tmp_path / place).glob("*/*.py")]
        assert {*folders} <= {*extensions}


@pytest.mark.parametrize("part", list_parts([]), ids=lambda part: part.name)
def test_files_of_tests_import_what_their_part_has_or_are_marked(part: Part) -> None:
    unmarked = {}
    # A copy of the core has none of these.
    folders = [folder for folder in part.list_tests(ROOT) if folder != "tests/extensions"]
    for file in (path for folder in folders for path in (ROOT / folder).rglob("test_*.py")):
        tree = ast.parse(file.read_text())
        marks = [ast.unparse(node) for node in tree.body if isinstance(node, ast.Assign)]
        named = {
            name for mark in marks for found in MARK.findall(mark) for name in re.findall(r"'(\w+)'", found)
        }
        imported = {
            node.module.split(".")[2]
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("steelyard.extensions.")
        }
        if missing := imported - part.extensions - named:
            unmarked[str(file.relative_to(ROOT))] = missing
    assert unmarked == {}


def test_every_extension_that_a_test_needs_exists() -> None:
    files = [file for file in list_files("tests/*.py") if "steelyard" in file.read_text()]
    marks = {
        name: file
        for file in files
        for mark in MARK.findall(file.read_text())
        for name in re.findall(r'"(\w+)"', mark)
    }
    assert len(marks) > 5
    assert {*marks} <= {extension.name for extension in EXTENSIONS}
