"""The files of tests that judge a module: those of its name, those that import it, those beside."""

from __future__ import annotations

import ast
import os
import re
from functools import cache
from pathlib import Path
from typing import Final

from mutants import PACKAGE, ROOT, module_name

MOST: Final = 24
"""Files for one mutant: a module that everything imports has hundreds."""
MOST_NAMESAKES: Final = 3
TESTS: Final = ROOT / "tests"
WHOLE: Final = ("browser", "dev", "docs", "failures", "platforms", "recipes")
"""Rooms of tests of the whole: they take minutes, and mirror no room."""


@cache
def list_tests() -> dict[Path, frozenset[str]]:
    """List the files of tests with the modules that each imports, wherever in it."""
    files = [
        file
        for file in sorted(TESTS.rglob("test_*.py"))
        if file.relative_to(TESTS).parts[0] not in WHOLE and "outside" not in file.parts
    ]
    return {file: frozenset(_imported(file)) for file in files}


@cache
def read_words(file: Path) -> frozenset[str]:
    """Read the words of a file of tests: a reader of a format is tested by the name of the format."""
    return frozenset(re.findall(r"[a-z][a-z0-9_]*", file.read_text()))


def _imported(file: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def choose(path: Path) -> list[str]:
    """Choose the files that judge a module: those of its name, those that import or mention it, those of its
    folder, those of its room; of each, the nearest first.
    """
    mirror = TESTS / path.parent.relative_to(PACKAGE)
    module = module_name(path)
    stem = path.parent.name if path.stem == "__init__" else path.stem

    # Commands have tests of their engine's name; but each extension has a test_command.
    namesakes = [file for file in list_tests() if file.stem == f"test_{stem}"]

    def rank(file: Path) -> tuple[int, int, str]:
        is_named = file.stem.removeprefix("test_").startswith(stem) and file.is_relative_to(mirror)
        is_namesake = file in namesakes and len(namesakes) <= MOST_NAMESAKES
        imports = module in list_tests()[file]
        is_below = file.is_relative_to(mirror)
        mentions = is_below and stem in read_words(file)
        kinds = (is_named, is_namesake, imports, mentions, file.parent == mirror, is_below)
        shared = len(Path(os.path.commonpath([file.parent, mirror])).parts)
        return (kinds.index(True) if True in kinds else len(kinds), -shared, str(file))

    nearest = sorted(list_tests(), key=rank)
    room = TESTS / mirror.relative_to(TESTS).parts[0] if mirror != TESTS else TESTS
    if room.name == "extensions":
        room /= mirror.relative_to(room).parts[0] if mirror != room else "."
    near = [file for file in nearest if rank(file)[0] < 6 or file.is_relative_to(room)]
    return [str(file.relative_to(ROOT)) for file in near[:MOST]]
