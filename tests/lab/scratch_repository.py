"""Scratch repositories of git, which no configuration of the user's changes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path


class ScratchRepository:
    """A new repository in ``path``, with a branch ``main``."""

    def __init__(self, path: Path, env: Mapping[str, str] | None = None) -> None:
        self.path = path
        self.env = {
            **(os.environ if env is None else env),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
        }
        path.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> str:
        """What ``git WORDS`` prints."""
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        return subprocess.run(
            ["git", *who, *words], cwd=self.path, env=self.env, capture_output=True, text=True, check=True
        ).stdout.strip()

    def commit(self, *files: str, message: str = "change") -> str:
        """The id of a commit of these files, or of none."""
        if files:
            self.git("add", *files)
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


class Programs(ScratchRepository):
    """Commits are programs that use memory, of which no other process changes anything; ``sh build`` makes
    ``prog``.
    """

    def program(self, mebibytes: int, *, build="cp prog.in prog && chmod +x prog", message="change") -> str:
        """The id of the commit of a program that uses so much, and up to 5 % more, run after run in turns."""
        runs = self.path.parent / "runs"
        noise = f"$(({mebibytes * 1024} + ($(wc -l < {runs}) % 3) * {mebibytes * 25}))"
        (self.path / "prog.in").write_text(
            f"#!/bin/sh\necho >> {runs}\nexec dd if=/dev/zero of=/dev/null count=1 status=none bs={noise}K\n"
        )
        (self.path / "build").write_text(build + "\n")
        return self.commit("prog.in", "build", message=message)

    def line(self, count: int, at: int, *, small=4, large=16, **of: str) -> list[str]:
        """Commits of which number ``at`` makes it large; ``of`` has builds by ``c3``."""
        return [
            self.program(
                large if place >= at else small,
                message=f"commit {place}",
                **({"build": of[f"c{place}"]} if f"c{place}" in of else {}),
            )
            for place in range(count)
        ]
