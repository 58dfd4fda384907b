"""Names of modules, types, files and lines, wherever they are written: what they name exists."""

from __future__ import annotations

import ast
import builtins
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import steelyard

sys.path.insert(0, str(Path(__file__).parents[1]))

from checkout import list_files

PACKAGE = Path(steelyard.__file__).parent
ROOT = Path(__file__).parents[2]
DOTTED = re.compile(r"(?<![\w./-])steelyard(?:\.[A-Za-z_]\w*)+(?::\w+)?(?![\w(-]|/|\{)")
FILES = {"steelyard.h", "steelyard.pc", "steelyard.py", "steelyard.toml", "steelyard.lab"}
"""Files that are called like a module."""
KEYS = {"steelyard.all_commands", "steelyard.plain"}
"""Keys in the memory of a click context."""
TYPED = re.compile(r"^[a-z_][\w, *]* : (.+)$", re.MULTILINE)
TYPE = re.compile(r"(?<![`\"\w./-])[A-Z][a-z]+(?:[A-Z][a-z]+)*\b(?![\"\w])")
PLACE = re.compile(r"`([^`\s]+)`")


def is_there(name: str) -> bool:
    """Whether a dotted name is a module, or an attribute of one or of a class."""
    parts = name.replace(":", ".").split(".")
    for end in range(len(parts), 0, -1):
        try:
            place = import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            if not hasattr(place, part):
                return False
            place = getattr(place, part)
        return True
    return False


def test_every_dotted_name_in_documents_and_sources_is_there():
    files = [
        file
        for file in list_files("*.md", "*.py", "*.toml", "*.yml")
        # Decisions and changes say what was; tests name what is missing, too.
        if file.name != "CHANGELOG.md"
        and not {"decisions", "tests", "workloads"} & {*file.relative_to(ROOT).parts}
    ]
    names = {name: file for file in files for name in DOTTED.findall(file.read_text())}
    assert len(names) > 500
    written = names.keys() - FILES - KEYS
    assert {name: str(names[name]) for name in sorted(written) if not is_there(name)} == {}


def names_bound(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom() | ast.Import():
                yield from ((alias.asname or alias.name).rpartition(".")[2] for alias in node.names)
            case ast.ClassDef():
                yield node.name
            case ast.Name():
                yield node.id
            case ast.Attribute():
                yield node.attr


def test_every_type_in_a_docstring_is_one_that_its_module_knows():
    unknown, typed = [], 0
    for file in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(file.read_text())
        bound = {*names_bound(tree), *vars(builtins)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.Module):
                for stated in TYPED.findall(ast.get_docstring(node) or ""):
                    types = TYPE.findall(stated)
                    typed += len(types)
                    unknown += [
                        f"{file.relative_to(PACKAGE)}: {stated}" for name in types if name not in bound
                    ]
    assert typed > 300
    assert unknown == []


def alternatives(place: str) -> list[str]:
    """``a.{hpp,cpp}`` is two places."""
    match = re.fullmatch(r"(.*)\{(.*)\}(.*)", place)
    return [f"{match[1]}{item}{match[3]}" for item in match[2].split(",")] if match else [place]


def test_every_place_that_the_architecture_names_is_there():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    rooms = [path for path in PACKAGE.iterdir() if path.is_dir()]
    roots = (ROOT, PACKAGE, *rooms, ROOT / "workloads", ROOT / "docs", ROOT / "tests")
    # studies/beside.py writes a PAPER.md in each study.
    files = {file.name for file in list_files("src", "workloads", "native", "studies", "*.md")} | {"PAPER.md"}
    places = [
        place
        for stated in PLACE.findall(text)
        for place in alternatives(stated)
        if ("/" in place or place.endswith((".py", ".md", ".hpp", ".cpp", ".toml", ".csv", ".txt")))
        and not re.search(r"NAME|=", place)
    ]
    assert len(places) > 100
    missing = [
        place
        for place in places
        if not (any((root / place).exists() for root in roots) if "/" in place else place in files)
    ]
    assert missing == []


LISTS = {
    ("benchmarks/mutation/selection.py", "WHOLE"): "tests",
    ("scripts/door/alone.py", "FACES"): "src/steelyard",
    ("scripts/door/alone.py", "HOUSES"): ".",
    ("scripts/door/levels.py", "BENCHMARKS"): ".",
    ("scripts/door/levels.py", "HOUSES"): ".",
    ("scripts/size.py", "FACES"): "src/steelyard",
}
"""Lists of files and folders in scripts, and the folder that each is in; conftest.py's: ``test_fast.py``."""


@pytest.mark.parametrize(("file", "name"), LISTS)
def test_every_file_and_folder_of_a_list_is_there(file, name):
    tree = ast.parse((ROOT / file).read_text())
    (value,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign | ast.Assign) and name in bound_by(node)
    )
    places = ast.literal_eval(value)
    assert places
    assert [place for place in places if not (ROOT / LISTS[file, name] / place).exists()] == []


def bound_by(node: ast.AnnAssign | ast.Assign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def test_every_mutant_that_is_called_equivalent_names_lines_that_are_there():
    listed = tomllib.loads((ROOT / "benchmarks" / "mutation" / "equivalent.toml").read_text())["mutant"]
    assert len(listed) > 10
    for mutant in listed:
        module, name = mutant["where"].split(":")
        assert is_there(f"{module}.{name}"), mutant["where"]
        text = (ROOT / "src" / f"{module.replace('.', '/')}.py").read_text()
        for line in mutant["change"].splitlines():
            assert not line.startswith("-") or line[1:] in text, (mutant["where"], line)
