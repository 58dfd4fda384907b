"""Helpers of tests are imported by bare names, so that in one process a name may lie in one folder only."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from checkout import ROOT, imported, list_files


def test_no_two_folders_on_the_path_of_tests_have_a_module_of_one_name():
    tests = list_files("tests/*.py", "workloads/tests/*.py", "studies/tests/*.py")
    names = {name.split(".")[0] for file in tests for name in imported(file, at_once=True)}
    names -= sys.stdlib_module_names
    paths = list_files("tests/*.py", "workloads/tests/*.py", "studies/*.py")
    packages = {path.parent for path in paths if path.name == "__init__.py"}
    owners = defaultdict(set)
    for path in paths:
        # a folder without this file is part of a namespace, which any module on the path hides
        package = path.name == "__init__.py"
        name, place = (path.parent.name, path.parents[1]) if package else (path.stem, path.parent)
        if place not in packages and name in names:
            owners[name].add(str(place.relative_to(ROOT)))
    assert owners["findings"] == {"studies/placebos"}
    assert {name: several for name, several in owners.items() if len(several) > 1} == {}
