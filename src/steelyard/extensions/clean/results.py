"""What commands left below the user's state and cache directories, and what became of it."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from steelyard.results.document import Format

Fate = Literal["listed", "removed", "kept"]
"""``listed``: its removal was not requested; ``kept``: it was requested and refused."""


class Leftover(msgspec.Struct, frozen=True):
    """A record, the directory of a search, or a build.

    Attributes
    ----------
    command : str
        Which made it; ``build`` for programs that ``[build]`` of a spec made.
    path : str
    size_bytes : int
        On the disk, of all its files.
    age_s : float
        Since the latest change of a file in it; of a build, since a run used it last.
    fate : {"listed", "removed", "kept"}
    reason : str
        Why it is kept.
    """

    command: str
    path: str
    size_bytes: int
    age_s: float
    fate: Fate = "listed"
    reason: str = ""


class Cleaning(msgspec.Struct, frozen=True):
    """What is older than a limit, the oldest first.

    Attributes
    ----------
    older_than_s : float
    directories : tuple of str
        Below which all of it lies.
    leftovers : tuple of Leftover
    younger, younger_bytes : int
        Number and size of those that are younger.
    foreign : tuple of str
        Paths in these directories that are not Steelyard's, or are links: they stay.
    """

    older_than_s: float
    directories: tuple[str, ...]
    leftovers: tuple[Leftover, ...]
    younger: int
    younger_bytes: int
    foreign: tuple[str, ...]


CLEANING: Final = Format("steelyard/cleaning", 1, Cleaning)
