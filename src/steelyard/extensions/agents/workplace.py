"""``Workplace``: what an agent may name: a directory, paths inside it, and programs that were allowed.

It guards against mistakes and against words that were meant for something else. It is not a sandbox: a
program inside the directory may do what its user may.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from steelyard.core.errors import UsageError

MOST_WORDS: Final = 200
MOST_CHARACTERS: Final = 4096
"""Of a word."""

_BETWEEN: Final = re.compile(r"""[\s=,:;@"'`()\[\]{}<>|&$!*?#%^+]+""")
"""What may stand before a path within a word: ``X=y=/etc``, ``@/etc``, ``a:/etc``."""
_PLACEHOLDER: Final = re.compile(r"\{\w+\}")
"""A directory of ours in commands that build: ``{tree}``."""
_URL: Final = re.compile(r"https?://[\w.:-]+(/[\w./~%-]*)?(\?[\w.~%&=-]*)?")
_UP: Final = re.compile(r"\.\.(/|$)")


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
        try:
            place = (self.root / Path(text).expanduser()).resolve()
        except RuntimeError as error:  # a circle of links, or the home of nobody
            raise UsageError(f"{text!r}: {error}", hint=f"name a path inside of {self.root}") from None
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
            for text in dict.fromkeys(self._read_paths(word)):
                try:
                    self.check_path(text)
                except UsageError as error:
                    raise UsageError(f"{word!r}: {error.message}", hint=error.hint) from None
        return tuple(words)

    def _read_paths(self, word: str) -> Iterator[str]:
        """Yield every text in a word of a command that a program may take for a path.

        Which one it takes is known to the program alone: links are followed for each, and an absolute path
        may stand behind the letters of an option (``-o/etc``, ``-isystem/etc``).
        """
        if _URL.fullmatch(word):
            return
        yield word
        word = _PLACEHOLDER.sub(".", word)
        starts = [0, *(match.end() for match in _BETWEEN.finditer(word))]
        for text in (*(word[start:] for start in starts), *_BETWEEN.split(word)):
            yield text
            if text.startswith("-"):
                yield from self._read_behind_option(text)

    def _read_behind_option(self, text: str) -> Iterator[str]:
        """Yield what may be a path behind the letters of an option, of which there is one, or are more."""
        value = text[2:]
        yield value
        if up := _UP.search(value):
            yield value[up.start() :]
        # With parents: of a name that is too long, Path.exists raises an error.
        is_relative = value.startswith(".") or os.path.isdir((self.root / value).parent)  # noqa: PTH112
        letters, slash, _ = value.partition("/")
        if slash and not is_relative and not _BETWEEN.search(letters):
            yield value[len(letters) :]

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
