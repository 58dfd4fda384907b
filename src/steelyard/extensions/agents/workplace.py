"""``Workplace``: what an agent may name: a directory, paths inside it, and programs that were allowed.

It guards against mistakes and against words that were meant for something else. It is not a sandbox: a
program inside the directory may do what its user may.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from steelyard.core.errors import UsageError

MOST_WORDS: Final = 200
MOST_CHARACTERS: Final = 4096
"""Of a word."""


class Workplace:
    """A directory and the programs that may run in it.

    Parameters
    ----------
    root : Path
        All paths that are named lie inside it.
    allowed : sequence of str
        Names of installed programs; programs inside the root need no permission.
    """

    def __init__(self, root: Path, allowed: Sequence[str] = ()) -> None:
        self.root = root.resolve()
        self.allowed = frozenset(allowed)

    def check_path(self, text: str) -> Path:
        """Return the place that a path inside the root names.

        Raises
        ------
        UsageError
            It leads out of the root.
        """
        _check_characters(text)
        place = (self.root / text).resolve()
        if not place.is_relative_to(self.root):
            raise UsageError(f"{text!r} is outside of {self.root}", hint="name a path inside of it")
        return place

    def check_command(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return the words of a command.

        It is a program inside the root or an allowed one, and no path leads out.

        Raises
        ------
        UsageError
            No words, too many or too long ones; another program; a path that leads out of the root.
        """
        if not words:
            raise UsageError("the command is empty", hint='for example ["./bench", "sort"]')
        if len(words) > MOST_WORDS:
            raise UsageError(f"{len(words)} words", hint=f"a command has at most {MOST_WORDS}")
        program, *arguments = words
        if "/" in program:
            self.check_path(program)
        elif program not in self.allowed:
            raise UsageError(
                f"{program!r} is not a program that may be started here",
                hint=f"name one of {self.root} by its path (./{program}), or ask the user to start the server"
                f" with --allow {program}",
            )
        for word in (program, *arguments):
            _check_characters(word)
            for part in {word, word.partition("=")[2]}:
                if part.startswith("/") or ".." in Path(part).parts:
                    self.check_path(part)
        return tuple(words)

    def check_revision(self, text: str) -> str:
        """Return a revision, which is not an option.

        Raises
        ------
        UsageError
        """
        _check_characters(text)
        if not text or text.startswith("-") or any(character.isspace() for character in text):
            raise UsageError(f"{text!r} is not a revision", hint="a branch, a tag, or a commit")
        return text


def _check_characters(word: str) -> None:
    if len(word) > MOST_CHARACTERS or not word.isprintable():
        raise UsageError(
            f"a word of {len(word)} characters, or with control characters: {word[:40]!r}",
            hint=f"at most {MOST_CHARACTERS} printable characters",
        )
