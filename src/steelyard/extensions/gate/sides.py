"""``GateSides``: the trees of base and head, checked out and built, with the programs of the harness."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from msgspec.structs import replace

from steelyard.core.errors import SteelyardError, UsageError
from steelyard.extensions.gate.harnesses.building import build, locate_build_log
from steelyard.extensions.gate.harnesses.harness import Tree
from steelyard.extensions.gate.request import GateRequest
from steelyard.extensions.repository.repository import Repository
from steelyard.extensions.repository.trees import DIGITS, Trees
from steelyard.files.plain import make_directory

Side = Literal["base", "head"]
SIDES: Final[tuple[Side, Side]] = ("base", "head")
LAYOUT: Final = "{layout}"
"""In the build command: the number by which code is laid out."""


class GateSides:
    """Both trees below ``directory``, under names of one length.

    Parameters
    ----------
    repository : Repository or None
        ``None`` where the request names directories.
    """

    def __init__(self, request: GateRequest, repository: Repository | None, directory: Path) -> None:
        self._request = request
        self._repository = repository
        self._directory = directory.absolute()
        self._revisions: Mapping[Side, str] = {"base": request.base, "head": request.head}
        self._trees = (
            None
            if repository is None
            else {
                side: Trees(
                    repository,
                    self._directory / "trees" / side,
                    fill_layout(request.build_words, 0),
                    Path(request.place),
                )
                for side in SIDES
            }
        )

    def locate(self, side: Side) -> Path:
        """Return the tree of a side: a link, so that names do not differ in length."""
        return self._directory / "sides" / side

    def locate_log(self, side: Side) -> Path:
        """Return the file that has what the build of a side prints."""
        if self._trees is not None:
            return self._trees[side].locate_log(self._revisions[side])
        return locate_build_log(self.describe_tree(side))

    def describe_tree(self, side: Side) -> Tree:
        """Return the tree with the directories beside it."""
        return Tree(
            self.locate(side),
            self._directory / "programs" / side,
            self._directory / "cache",
            place=Path(self._request.place),
        )

    def prepare(self, side: Side) -> Tree:
        """Check the side out and build it, unless that is done.

        Raises
        ------
        ProgramError
            The command that builds the side fails.
        UsageError
            Its directory does not exist.
        """
        revision = self._revisions[side]
        tree = self.describe_tree(side)
        with naming(side, revision):
            if self._trees is not None:
                place = self._trees[side].build(revision)
            else:
                place = Path(revision).absolute()
                if not place.is_dir():
                    raise UsageError(f"{place} is not a directory", hint="name the sources of this side")
            link = self.locate(side)
            make_directory(link.parent, within=self._directory)
            link.unlink(missing_ok=True)
            link.symlink_to(place, target_is_directory=True)
            if self._trees is None and self._request.build_words:
                build(fill_layout(self._request.build_words, 0), tree)
        for place in (tree.output, tree.cache):
            make_directory(place, within=self._directory)
        return tree

    def link_anew(self, side: Side, layout: int) -> Tree:
        """Build a side that is prepared once more, with another layout.

        Raises
        ------
        ProgramError
            The command that builds the side fails.
        """
        tree = replace(self.describe_tree(side), layout=layout)
        words = fill_layout(self._request.build_words, layout)
        if words:
            with naming(side, self._revisions[side]):
                build([word.replace("{tree}", str(tree.root.resolve())) for word in words], tree)
        return tree

    def build_copy(self, side: Side, tree: Tree) -> None:
        """Build a copy of a side by the same command.

        Raises
        ------
        ProgramError
            The command fails.
        """
        words = fill_layout(self._request.build_words, 0)
        if words:
            with naming(side, self._revisions[side]):
                build([word.replace("{tree}", str(tree.root)) for word in words], tree)

    def describe_removal(self) -> str:
        """Return the command that does what ``remove`` does, with all that is kept beside the trees."""
        words: list[tuple[str, ...]] = []
        if self._repository is not None and self._trees is not None:
            top = str(self._repository.directory.absolute())
            trees = [self._trees[side].path(self._revisions[side]) for side in SIDES]
            words += [
                ("git", "-C", top, "worktree", "remove", "--force", str(tree))
                for tree in dict.fromkeys(trees)
                if tree.is_dir()
            ]
        return " && ".join(shlex.join(line) for line in [*words, ("rm", "-r", str(self._directory))])

    def remove(self) -> None:
        """Remove what was checked out; directories that the user named stay as they are."""
        for side in SIDES:
            if self._trees is not None:
                self._trees[side].remove()
            self.locate(side).unlink(missing_ok=True)


def fill_layout(words: Sequence[str], layout: int) -> list[str]:
    """Return the words of a build with the number of a layout."""
    return [word.replace(LAYOUT, str(layout)) for word in words]


@contextmanager
def naming(side: Side, revision: str) -> Iterator[None]:
    """Say of which side an error is."""
    try:
        yield
    except SteelyardError as error:
        raise type(error)(f"{side} {shorten(revision)}: {error.message}", hint=error.hint) from None


def shorten(revision: str) -> str:
    """Return a commit as people write it; a directory as it is."""
    return revision if os.sep in revision else revision[:DIGITS]
