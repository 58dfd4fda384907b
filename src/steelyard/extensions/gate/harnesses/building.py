"""Commands that build what a harness runs, each in its tree, with a log."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import Final

from steelyard.core.errors import MachineError, ProgramError
from steelyard.extensions.gate.harnesses.harness import Tree

_LINES: Final = 6


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
    log = tree.output / "build.log"
    try:
        with log.open("wb") as errors:
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
        text = log.read_text(encoding="utf-8", errors="replace") or done.stdout.decode(errors="replace")
        end = "".join(f"\n    {line}" for line in text.strip().splitlines()[-_LINES:])
        raise ProgramError(f"its build ended with {done.returncode}{end}", hint=f"cat {log}")
    return done.stdout
