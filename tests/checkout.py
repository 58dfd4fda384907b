"""Files of the checkout, and what those of Python import: what tests of the houses and their rooms read."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def list_files(*patterns: str) -> list[Path]:
    """Files that git knows, or would; skips the test where this is no checkout."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [file for name in listed.stdout.splitlines() if (file := ROOT / name).is_file()]


def imported(file: Path, *, at_once: bool = False) -> set[str]:
    """Modules that a Python file imports, wherever in it; ``at_once``, at its top level alone."""
    names = set()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in tree.body if at_once else ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names
