"""``Trees``: a work tree for each commit, with what its build made; and the commits that do not build."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from steelyard.core.errors import ProgramError
from steelyard.extensions.repository.red_builds import describe_red
from steelyard.extensions.repository.repository import Repository
from steelyard.files.plain import open_plain, read_plain, remove_plain, write_plain

DIGITS: Final = 12
"""Of a commit in the name of its tree: names of one length keep contexts equal."""


class Trees:
    """Work trees below ``directory``, which an interrupted search finds again.

    Parameters
    ----------
    build : sequence of str
        Words of the build command, run in the tree; ``{tree}`` in them is its path.
    place : Path
        Where in a tree its build and its programs start, relative to its top.
    """

    def __init__(
        self, repository: Repository, directory: Path, build: Sequence[str], place: Path = Path()
    ) -> None:
        self._repository = repository
        self._place = place
        self._directory = directory
        self._build = build

    def path(self, commit: str) -> Path:
        """Return the tree of a commit."""
        return self._directory / commit[:DIGITS]

    def get_skip_reason(self, commit: str) -> str | None:
        """Return the reason why a commit was skipped; ``None`` where it was not."""
        content = read_plain(self._make_marker(commit, "skipped"))
        return None if content is None else content.decode()

    def skip(self, commit: str, why: str) -> None:
        """Skip a commit from now on."""
        self._directory.mkdir(parents=True, exist_ok=True)
        write_plain(self._make_marker(commit, "skipped"), why.encode())

    def build(self, commit: str) -> Path:
        """Check a commit out and build it, unless that is done.

        Raises
        ------
        ProgramError
            The command that builds the commit fails.
        """
        tree, built = self.path(commit), self._make_marker(commit, "built")
        if read_plain(built) is not None:
            return tree
        self._directory.mkdir(parents=True, exist_ok=True)
        self._repository.remove(tree)  # What an interrupted build has left.
        self._repository.check_out(commit, tree)
        start = tree / self._place
        if not (start.is_dir() and start.resolve().is_relative_to(tree.resolve())):
            raise ProgramError(
                f"{self._place} is not a directory of this commit, and the command starts there",
                hint="start at a place that every commit has, or name it: --repo DIR",
            )
        if self._build:
            self.build_again(commit, self._build)
        write_plain(built, b"")
        return tree

    def build_again(self, commit: str, words: Sequence[str]) -> None:
        """Run another build in the tree of a commit that is built.

        Raises
        ------
        ProgramError
            The command fails.
        """
        tree, log = self.path(commit), self._make_marker(commit, "log")
        filled, start = [word.replace("{tree}", str(tree)) for word in words], tree / self._place
        if code := _end(filled, start, log):
            raise describe_red("its build", filled, start, code, log)

    def locate_log(self, commit: str) -> Path:
        """Return the file that has what the build of a commit prints."""
        return self._make_marker(commit, "log")

    def remove(self) -> None:
        """Remove every tree, with what an interruption left of one; logs and reasons stay."""
        for tree in sorted(self._directory.glob("*")):
            if tree.is_dir() and not tree.is_symlink():
                self._repository.remove(tree)
                remove_plain(self._make_marker(tree.name, "built"))

    def _make_marker(self, commit: str, suffix: str) -> Path:
        return self._directory / f"{commit[:DIGITS]}.{suffix}"


def _end(words: Sequence[str], tree: Path, log: Path) -> int:
    """Return the exit code of a command, or less than 0 for a signal.

    Nothing that it started goes on without it.
    """
    with os.fdopen(open_plain(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as output:
        process = subprocess.Popen(
            words,
            cwd=tree,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            return process.wait()
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
