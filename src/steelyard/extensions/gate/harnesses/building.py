"""Commands that build what a harness runs, each in its tree, with a log."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from steelyard.core.errors import MachineError
from steelyard.extensions.gate.harnesses.harness import Tree
from steelyard.extensions.repository.red_builds import describe_red
from steelyard.files.plain import open_plain, write_plain


def locate_build_log(tree: Tree) -> Path:
    """Return the file that has what a build of a tree writes to stderr."""
    return tree.output / "build.log"


def build(words: Sequence[str], tree: Tree, environment: Mapping[str, str] = {}) -> bytes:
    """Return what the command prints on stdout.

    Raises
    ------
    ProgramError
        It fails, with the end of what it said.
    MachineError
        It is not installed.
    """
    tree.output.mkdir(parents=True, exist_ok=True)
    log, printed = locate_build_log(tree), tree.output / "build.out"
    try:
        with os.fdopen(open_plain(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as errors:
            done = subprocess.run(
                words,
                cwd=tree.path,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                check=False,
            )
    except OSError as error:
        raise MachineError(
            f"{words[0]}: {error.strerror}", hint=f"install {words[0]}, or correct PATH"
        ) from None
    if done.returncode:
        write_plain(printed, done.stdout)
        raise describe_red("its build", list(words), tree.path, done.returncode, printed, log)
    return done.stdout
