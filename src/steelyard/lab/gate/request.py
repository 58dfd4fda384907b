"""``GateRequest``: two revisions or directories, the command of a harness, and how sure the verdicts are."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.errors import RecordError, UsageError
from steelyard.lab.compare.compare import DEFAULT_SHELL, split

FILE: Final = "gate.json"
MARGIN: Final = 0.03
"""Of changes that are equivalent, on a machine that was not qualified."""
ALPHA: Final = 0.05


class GateRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is gated, and how.

    Attributes
    ----------
    base, head : str
        Revisions; in what is kept, full ids. Directories where ``are_directories``.
    words : tuple of str
        The command of the harness; the program's relative path is in the tree.
    build : str
        Command that builds a tree, split into words unless ``shell``; empty for none.
    harness : str or None
        Its name; recognised where ``None``.
    metric : str or None
        That of the harness by default.
    margin : float
        Relative change up to which benchmarks are equivalent.
    max_time_s : float or None
        Budget of measurement for the whole suite; by default half as much again as the harness takes for
        both sides by its own defaults.
    seed : int or None
        Of the order of runs; drawn where ``None``.
    is_null : bool
        Both sides are builds of head: what a qualification measures.
    """

    base: str
    head: str
    words: tuple[str, ...]
    are_directories: bool = False
    build: str = ""
    shell: bool = False
    harness: str | None = None
    metric: str | None = None
    margin: float = MARGIN
    max_time_s: float | None = None
    timeout_s: float | None = None
    seed: int | None = None
    is_null: bool = False

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

    def keep_in(self, directory: Path) -> GateRequest:
        """Write the request down, with a seed; or see that the directory is of the same one, and take its.

        Raises
        ------
        RecordError
            It is of another, or of something else.
        """
        file = directory / FILE
        if file.exists():
            before = _decode(file)
            if replace(self, seed=before.seed if self.seed is None else self.seed) != before:
                raise RecordError(
                    f"{directory} is of another gate, or of other options",
                    hint="name a directory that does not exist yet: -o NAME",
                )
            return before
        if directory.exists() and any(directory.iterdir()):
            raise RecordError(
                f"{directory} exists and is not of a gate", hint="name a directory that does not exist yet"
            )
        directory.mkdir(parents=True, exist_ok=True)
        new = replace(self, seed=secrets.randbits(31) if self.seed is None else self.seed)
        file.write_bytes(msgspec.json.encode(new))
        return new


def _decode(file: Path) -> GateRequest:
    try:
        return msgspec.json.decode(file.read_bytes(), type=GateRequest)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise RecordError(
            f"{file}: {error}", hint="name a directory that does not exist yet: -o NAME"
        ) from None


def refuse_no_command(words: tuple[str, ...]) -> None:
    """Refuse a gate without a harness.

    Raises
    ------
    UsageError
    """
    if not words:
        raise UsageError(
            "no command of a harness", hint="steelyard gate main -- cargo bench; … -- pytest benchmarks/"
        )
