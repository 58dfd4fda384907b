"""Specs of the studies at a size that a test can run, with the programs that ``./dev mpi`` has built."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILDS = ROOT / "build" / "workloads"


def built(name: str, program: str) -> Path:
    """A program of the workloads; skips the test where it is not built."""
    path = BUILDS / name / program
    if not path.is_file():
        pytest.skip(f"the workloads are not built for {name}: ./dev mpi {name}")
    return path


def reduced(spec: Path, directory: Path, *changes: tuple[str, str], program: Path | None = None) -> Path:
    """A copy of a study's spec in another directory, with some of its text changed; ``program`` stands in
    for the one that it would build.
    """
    text = spec.read_text()
    if program is not None:
        text = re.sub(r"\[build\]\n.*?\n\n", "", text, flags=re.DOTALL)
        text = text.replace(f"{{build}}/bin/{program.name}", str(program))
    text = text.replace("{source}", str(spec.parent))
    text = text.replace('"../machines/', f'"{spec.parents[1] / "machines"}/')
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = directory / spec.name
    path.write_text(text)
    return path
