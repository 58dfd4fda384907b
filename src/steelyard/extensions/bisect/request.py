"""``BisectRequest``: two revisions, how to build, and what to run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from steelyard.core.errors import UsageError
from steelyard.extensions.repository.tree_request import TreeRequest, locate_program


class BisectRequest(TreeRequest, frozen=True, kw_only=True):
    """What is searched for, and how.

    Attributes
    ----------
    good, bad : str
        Revisions; in what is kept, full ids.
    words : sequence of str
        The program and its arguments; ``{tree}`` is the tree. It starts in ``place`` of the tree, in which a
        relative path of it lies.
    error : float
        Stated share of errors: of a difference that does not exist, and of a commit that did not make it.
    blocks : int
        Of a batch.
    most_batches : int
        After as many, the search ends with what it has.
    """

    file_name: ClassVar[str] = "bisect.json"
    kind: ClassVar[str] = "search"
    good: str
    bad: str
    words: tuple[str, ...]
    metric: str = "wall_s"
    error: float = 0.05
    blocks: int = 5
    most_batches: int = 200

    def program(self, tree: str) -> list[str]:
        """Return the program and its arguments for one tree."""
        return locate_program(self.words, tree, self.place)


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
