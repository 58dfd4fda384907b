"""Layouts of code that are drawn: programs of trees are linked again, in an order that a number gives."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.extensions.repository.tree_request import TreeRequest, locate_program
from steelyard.extensions.repository.trees import Trees
from steelyard.interventions.built import LARGEST_SEED

LAYOUT: Final = "{layout}"
"""In the build command: the number by which code is laid out."""
DRAWS: Final = 4
"""Numbers that are drawn before a build that makes the same programs again is refused."""


class Linking(msgspec.Struct, frozen=True):
    """How the program of a tree is linked again.

    Attributes
    ----------
    build : str
        Command, with ``{layout}`` where layouts are drawn.
    words : tuple of str
        The program and its arguments; ``{tree}`` is the tree.
    place : str
        Where in a tree both start.
    seed : int
        From which numbers follow.
    """

    build: str
    words: tuple[str, ...]
    place: str
    seed: int

    @property
    def draws_layouts(self) -> bool:
        """Whether the build takes the number of a layout."""
        return LAYOUT in self.build

    def draw_layouts(self, trees: Trees, commits: Sequence[str], name: str) -> None:
        """Build trees with one number, which changes each program.

        A build that makes few different programs of many numbers may make the same one twice in a row.

        Raises
        ------
        UsageError
            A build makes the same program with another number.
        ProgramError
            A build fails.
        """
        for draw in range(DRAWS):
            layout = 1 + draw_number(self.seed, f"{name} layout {draw}") % LARGEST_SEED
            before = [self.read_program(trees, commit) for commit in commits]
            for commit in commits:
                trees.build_again(commit, fill_layout(self.build, layout))
            after = [self.read_program(trees, commit) for commit in commits]
            if all(old is None or old != new for old, new in zip(before, after, strict=True)):
                return
        raise UsageError(
            f"--build makes the same program with another {LAYOUT} ({layout})",
            hint="it has to link again, as make -B does, in an order that takes the number; then begin anew"
            " (another -o NAME of bisect; ratchet: move .steelyard/ratchet away)",
        )

    def read_program(self, trees: Trees, commit: str) -> bytes | None:
        """Return the bytes of the program, where it is a file of the tree."""
        tree = trees.path(commit)
        program = Path(locate_program(self.words, str(tree), self.place)[0])
        return program.read_bytes() if program.is_relative_to(tree) and program.is_file() else None


def fill_layout(build: str, layout: int) -> list[str]:
    """Return the words of a build with the number of a layout."""
    return [word.replace(LAYOUT, str(layout)) for word in TreeRequest(build=build).build_words]


def draw_number(seed: int, name: str) -> int:
    """Return a number that follows from a seed and a name."""
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:4])
