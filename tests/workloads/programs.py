"""Where ``./dev mpi`` puts the workloads, and what came of one that was started."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

ROOT = Path(__file__).parents[2]
BUILDS = ROOT / "build" / "workloads"


def built(name: str, program: str) -> Path:
    """A program of the workloads; skips the test where it is not built."""
    path = BUILDS / name / program
    if not path.is_file():
        pytest.skip(f"the workloads are not built for {name}: ./dev mpi {name}")
    return path


def reduced(spec: Path, at: Path, *changes: tuple[str, str], program: Path | None = None) -> Path:
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
    path = at / spec.name
    path.write_text(text)
    return path


class Ended:
    """How a job ended, and the lines of the protocol that it wrote."""

    def __init__(self, done: subprocess.CompletedProcess[str], metrics: Path) -> None:
        self.code = done.returncode
        self.stdout = done.stdout
        self.stderr = done.stderr
        text = metrics.read_bytes() if metrics.exists() else b""
        self.lines: list[dict[str, Any]] = [msgspec.json.decode(line) for line in text.splitlines()]

    def values(self, metric: str, **labels: object) -> list[float]:
        """The values of the only line with this metric and these labels."""
        (found,) = [
            line["values"]
            for line in self.lines
            if line["metric"] == metric and labels.items() <= line["labels"].items()
        ]
        return found
