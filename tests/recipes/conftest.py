"""A scratch repository with a slow change, and the shell steps of a recipe."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# For scratch_repository.
sys.path.insert(0, str(Path(__file__).parents[1] / "lab"))

from scratch_repository import ScratchRepository

RECIPES = Path(__file__).parents[2] / "recipes"

SPEC = """\
name = "gate"

[program]
command = ["{source}/steelyard-trees/{version}/prog"]

[factors]
version = ["base", "head"]

[design]
blocks = 8

[metrics]
cost_s = { source = "stdout", pattern = "cost=(.*)", unit = "s" }

[analysis]
metric = "cost_s"

[[claims]]
name = "no regression"
not_slower = { version = "head" }
than = { version = "base" }
by = "90%"
"""


def script_steps(file: Path, key: str = "run: |") -> dict[str, str]:
    """Name to script of the steps of a workflow: what stands indented below ``run: |``."""
    lines, name = file.read_text().splitlines(), ""
    result: dict[str, str] = {}
    for place, line in enumerate(lines):
        text = line.strip()
        if text.startswith("- name: "):
            name = text.removeprefix("- name: ")
        if text == key:
            indent = len(line) - len(line.lstrip())
            body = []
            for item in lines[place + 1 :]:
                if item.strip() and len(item) - len(item.lstrip()) <= indent:
                    break
                body.append(item)
            result[name if key.startswith("run") else str(len(result))] = textwrap.dedent("\n".join(body))
    return result


class Scratch(ScratchRepository):
    """Its program says what it costs, with noise by commit and trial, so that neither clock nor chance
    decides.
    """

    def __init__(self, path: Path, env: dict[str, str]) -> None:
        super().__init__(path, env)
        self.made = 0
        (path / "steelyard.toml").write_text(SPEC)

    def program(self, cost: int, *, message: str = "change") -> str:
        """The id of the commit of a program that costs so much, before it is built."""
        self.made += 1
        # The trial's number, with a 1 before its zeros.
        noise = f"$(((1${{STEELYARD_TRIAL#*-}} * 7 + {self.made} * 3) % 10))"
        (self.path / "prog.in").write_text(f"#!/bin/sh\necho cost={cost}.0{noise}\n")
        return self.commit("-A", message=message)

    def change_beside(self, cost: int) -> tuple[str, str, str]:
        """Leave ``main``, change a document, and let others change the program on ``main`` meanwhile.

        Returns
        -------
        tuple of str
            The commit where the change left ``main``, its last, and the merge that a server makes of both.
        """
        fork = self.program(4)
        self.git("checkout", "-q", "-b", "change")
        (self.path / "document").touch()
        head = self.commit("document", message="a document")
        self.git("checkout", "-q", "main")
        self.program(cost, message="of others")
        self.git("merge", "-q", "--no-ff", "-m", "pull request", "change")
        return fork, head, self.git("rev-parse", "HEAD")

    def bash(self, script: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a step as a runner does: bash -e, in the repository."""
        return subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=self.path,
            env={**self.env, **env},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def steps() -> Callable[..., Any]:
    return script_steps


@pytest.fixture
def recipes() -> Path:
    return RECIPES


@pytest.fixture
def scratch(tmp_path: Path, steelyard_env: dict[str, str]) -> Scratch:
    """A repository, with ``steelyard`` of this tree first on the PATH."""
    programs = tmp_path / "bin"
    programs.mkdir()
    ours = programs / "steelyard"
    ours.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m steelyard "$@"\n')
    ours.chmod(ours.stat().st_mode | stat.S_IXUSR)
    path = f"{programs}:{steelyard_env.get('PATH', os.defpath)}"
    return Scratch(tmp_path / "repository", {**steelyard_env, "PATH": path})
