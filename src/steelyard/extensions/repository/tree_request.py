"""``TreeRequest``: what is asked of programs that are built in trees, kept so that it can go on."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Self

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import RecordBusyError, RecordError
from steelyard.files.plain import read_plain, write_plain
from steelyard.files.unlisted import keep_unlisted
from steelyard.lab.compare.compare import DEFAULT_SHELL
from steelyard.store.lock import WriterLock


class TreeRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Base of requests to build trees and to measure programs in them.

    Attributes
    ----------
    build : str
        Command that builds a tree in it, read by ``/bin/sh``; empty for none.
    place : str
        Where in a tree its build and its programs start, relative to its top.
    seed : int or None
        Of the order of runs; drawn where ``None``.
    """

    file_name: ClassVar[str]
    kind: ClassVar[str]
    """What such a request asks for, in words."""
    build: str = ""
    place: str = "."
    seed: int | None = None

    @property
    def build_words(self) -> list[str]:
        """The words that run the build command."""
        return [DEFAULT_SHELL, "-c", self.build] if self.build else []

    def keep_in(self, directory: Path) -> Self:
        """Write the request down, with a seed; or see that the directory is of the same one, and take its.

        Raises
        ------
        RecordError
            It is of another, or of something else, or damaged.
        """
        file = directory / self.file_name
        content = read_plain(file)
        if content is not None:
            before = self._decode(content, file)
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
        keep_unlisted(directory)
        new = replace(self, seed=secrets.randbits(31) if self.seed is None else self.seed)
        write_plain(file, msgspec.json.encode(new))
        return new

    def lock(self, directory: Path) -> WriterLock:
        """Keep others out of the directory of this request: their end would remove the trees in use.

        Raises
        ------
        RecordBusyError
        """
        try:
            return WriterLock(directory / "lock")
        except RecordBusyError as error:
            raise RecordBusyError(f"{directory}: a {self.kind} runs there already", hint=error.hint) from None

    @classmethod
    def _decode(cls, content: bytes, file: Path) -> Self:
        try:
            return msgspec.json.decode(content, type=cls)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise RecordError(
                f"{file}: {error}", hint="name a directory that does not exist yet: -o NAME"
            ) from None


def locate_program(words: Sequence[str], tree: str, place: str = ".") -> list[str]:
    """Return a program and its arguments for one tree.

    ``{tree}`` in them is the tree; a relative path of the program lies in ``place`` of it.
    """
    first, *rest = (word.replace("{tree}", tree) for word in words)
    if "/" in first and not Path(first).is_absolute():
        first = f"{locate_start(tree, place)}/{first.removeprefix('./')}"
    return [first, *rest]


def locate_start(tree: str, place: str) -> str:
    """Return the directory in which programs of a tree start."""
    return tree if place == "." else f"{tree}/{place}"
