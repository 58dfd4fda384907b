"""``TreeRequest``: what is asked of programs that are built in trees, kept so that it can go on."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Self

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import RecordError
from steelyard.lab.compare.compare import DEFAULT_SHELL, split


class TreeRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Base of requests to build trees and to measure programs in them.

    Attributes
    ----------
    build : str
        Command that builds a tree in it, split into words unless ``shell``; empty for none.
    seed : int or None
        Of the order of runs; drawn where ``None``.
    """

    file_name: ClassVar[str]
    kind: ClassVar[str]
    """What such a request asks for, in words."""
    build: str = ""
    shell: bool = False
    seed: int | None = None

    @property
    def build_words(self) -> list[str]:
        """The build command.

        Raises
        ------
        UsageError
            It cannot be split.
        """
        if self.shell and self.build:
            return [DEFAULT_SHELL, "-c", self.build]
        return split(self.build) if self.build else []

    def keep_in(self, directory: Path) -> Self:
        """Write the request down, with a seed; or see that the directory is of the same one, and take its.

        Raises
        ------
        RecordError
            It is of another, or of something else, or damaged.
        """
        file = directory / self.file_name
        if file.exists():
            before = self._read(file)
            if replace(self, seed=before.seed if self.seed is None else self.seed) != before:
                text = shlex.quote(str(file))
                raise RecordError(
                    f"{directory} is of another {self.kind}, or of other options",
                    hint=f"name a directory that does not exist yet: -o NAME (cat {text} shows that one)",
                )
            return before
        if directory.exists() and any(directory.iterdir()):
            raise RecordError(
                f"{directory} exists and is not of a {self.kind}",
                hint="name a directory that does not exist yet",
            )
        directory.mkdir(parents=True, exist_ok=True)
        new = replace(self, seed=secrets.randbits(31) if self.seed is None else self.seed)
        file.write_bytes(msgspec.json.encode(new))
        return new

    @classmethod
    def _read(cls, file: Path) -> Self:
        try:
            return msgspec.json.decode(file.read_bytes(), type=cls)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise RecordError(
                f"{file}: {error}", hint="name a directory that does not exist yet: -o NAME"
            ) from None


def locate_program(words: Sequence[str], tree: str) -> list[str]:
    """Return a program and its arguments for one tree, in which a relative path of the program lies.

    ``{tree}`` stands for the tree.
    """
    first, *rest = (word.replace("{tree}", tree) for word in words)
    if "/" in first and not Path(first).is_absolute():
        first = f"{tree}/{first.removeprefix('./')}"
    return [first, *rest]
