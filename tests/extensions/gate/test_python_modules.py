"""Modules that Python would take from another tree, which would make base and head the same code."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.gate.harnesses.harness import Tree
from steelyard.extensions.gate.harnesses.pytest_benchmark import make_python_path
from steelyard.extensions.gate.harnesses.python_modules import find_interpreter, refuse_modules_from_elsewhere

WORDS = (sys.executable, "-m", "pytest")
FINDER = """
import importlib.util, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "chains":
            return importlib.util.spec_from_file_location(name, {file!r})
sys.meta_path.insert(0, Finder())
"""


@pytest.fixture
def tree(tmp_path):
    package = tmp_path / "tree" / "src" / "chains"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("HERE = True\n")
    (tmp_path / "tree" / "json.py").write_text("")
    return tmp_path / "tree"


def environment(tree, *before):
    path = ":".join([*map(str, before), make_python_path(str(tree), Path())])
    return {**os.environ, "PYTHONPATH": path}


def test_modules_of_the_tree_come_first_by_the_path_that_the_gate_sets(tree):
    refuse_modules_from_elsewhere(WORDS, Tree(tree, tree, tree), environment(tree))


def test_a_finder_that_goes_before_the_path_is_refused_and_named(tree, tmp_path):
    elsewhere = tmp_path / "elsewhere" / "chains.py"
    elsewhere.parent.mkdir()
    elsewhere.write_text("")
    # As scikit-build-core and meson-python install it.
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(FINDER.format(file=str(elsewhere)))
    with pytest.raises(
        UsageError, match=f"chains is imported from {elsewhere}, not from this side"
    ) as caught:
        refuse_modules_from_elsewhere(WORDS, Tree(tree, tree, tree), environment(tree, tmp_path / "site"))
    assert caught.value.hint.startswith("pip uninstall chains")


def test_the_interpreter_is_that_before_the_module_or_of_the_first_line(tmp_path):
    assert find_interpreter(("python3", "-X", "dev", "-m", "pytest", "b.py")) == ("python3", "-X", "dev")
    script = tmp_path / "pytest"
    script.write_text("#!/opt/venv/bin/python3 -I\nimport pytest\n")
    script.chmod(0o755)
    assert find_interpreter((str(script), "b.py")) == ("/opt/venv/bin/python3", "-I")
    script.write_text("#!/bin/sh\n")
    assert find_interpreter((str(script),)) is None
    assert find_interpreter(("no-such-pytest",)) is None
