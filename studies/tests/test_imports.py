"""Helpers of tests are imported by bare names, so that in one process a name may lie in one folder only."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
HELPERS = ("tests", "workloads/tests", "studies")
"""Trees whose folders one run of pytest may put on the path."""


def tracked(*trees: str) -> list[PurePosixPath]:
    """Files of Python in trees, from the root of the repository."""
    command = ["git", "ls-files", "-z", *(f"{tree}/*.py" for tree in trees)]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [PurePosixPath(name) for name in listed.split("\0") if (ROOT / name).is_file()]


def imported(path: PurePosixPath) -> set[str]:
    """First parts of the names that a file imports when it is loaded."""
    names: set[str] = set()
    for line in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        if isinstance(line, ast.ImportFrom):
            names.add(str(line.module))
        elif isinstance(line, ast.Import):
            names.update(part.name for part in line.names)
    return {name.split(".")[0] for name in names}


def test_no_two_folders_on_the_path_of_tests_have_a_module_of_one_name():
    names = set().union(*(imported(path) for path in tracked("tests", "workloads/tests", "studies/tests")))
    paths = tracked(*HELPERS)
    packages = {path.parent for path in paths if path.name == "__init__.py"}
    owners = defaultdict(set)
    for path in paths:
        # a folder without this file is part of a namespace, which any module on the path hides
        package = path.name == "__init__.py"
        name, place = (path.parent.name, path.parents[1]) if package else (path.stem, path.parent)
        if place not in packages and name in names - set(sys.stdlib_module_names):
            owners[name].add(str(place))
    assert owners["findings"] == {"studies/placebos"}
    assert {name: several for name, several in owners.items() if len(several) > 1} == {}
