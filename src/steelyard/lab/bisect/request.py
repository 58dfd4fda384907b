"""``BisectRequest``: two revisions, how to build, and what to run."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.errors import RecordError, UsageError
from steelyard.lab.compare.compare import DEFAULT_SHELL, split

FILE: Final = "bisect.json"


class BisectRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is searched for, and how.

    Attributes
    ----------
    good, bad : str
        Revisions; in what is kept, full ids.
    build : str
        Command that builds a commit in its tree, split into words unless ``shell``; empty for none.
    words : sequence of str
        The program and its arguments; ``{tree}`` is the tree, where it starts, and in which a relative path
        of the program lies.
    error : float
        Stated share of errors: of a difference that does not exist, and of a commit that did not make it.
    blocks : int
        Of a batch.
    most_batches : int
        After as many, the search ends with what it has.
    seed : int or None
        Of the order of runs; drawn where ``None``.
    """

    good: str
    bad: str
    words: tuple[str, ...]
    build: str = ""
    shell: bool = False
    metric: str = "wall_s"
    error: float = 0.05
    blocks: int = 5
    most_batches: int = 200
    seed: int | None = None

    @property
    def build_words(self) -> list[str]:
        """The build command.

        Raises
        ------
        UsageError
            It cannot be split.
        """
        if self.shell:
            return [DEFAULT_SHELL, "-c", self.build]
        return split(self.build) if self.build else []

    def program(self, tree: str) -> list[str]:
        """The program and its arguments for one tree."""
        first, *rest = (word.replace("{tree}", tree) for word in self.words)
        if "/" in first and not Path(first).is_absolute():
            first = f"{tree}/{first.removeprefix('./')}"
        return [first, *rest]

    def kept_in(self, directory: Path) -> BisectRequest:
        """Write the request down, with a seed; or see that the directory is of the same one, and take its.

        Raises
        ------
        RecordError
            It is of another, or of something else.
        """
        file = directory / FILE
        if file.exists():
            kept = msgspec.json.decode(file.read_bytes(), type=BisectRequest)
            if replace(self, seed=kept.seed if self.seed is None else self.seed) != kept:
                shown = shlex.quote(str(file))
                raise RecordError(
                    f"{directory} is of another search, or of other options",
                    hint=f"name a directory that does not exist yet: -o NAME (cat {shown} shows that one)",
                )
            return kept
        if directory.exists() and any(directory.iterdir()):
            raise RecordError(
                f"{directory} exists and is not of a search", hint="name a directory that does not exist yet"
            )
        directory.mkdir(parents=True, exist_ok=True)
        new = replace(self, seed=secrets.randbits(31) if self.seed is None else self.seed)
        file.write_bytes(msgspec.json.encode(new))
        return new


def refuse_few(words: Sequence[str]) -> None:
    """Refuse a search without a program.

    Raises
    ------
    UsageError
    """
    if not words:
        raise UsageError(
            "no program to measure", hint="steelyard bisect v1.0 HEAD --build make -- ./prog input"
        )
