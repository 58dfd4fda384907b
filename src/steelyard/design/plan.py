"""Contexts and blocks of a design: only data; how they are drawn stands in the files beside this one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from steelyard.core.units import Scalar

BlockState = Literal["planned", "complete", "incomplete", "discarded"]


class Context(msgspec.Struct, frozen=True):
    """A draw of the nuisance settings; ids count from 1."""

    id: int
    settings: Mapping[str, Scalar]


class Block(msgspec.Struct, frozen=True, gc=False):
    """Every treatment ``replicates`` times in random order, under one context.

    Attributes
    ----------
    id : int
        From 1, in the order of execution; discarded blocks count too.
    pass_ : int
        From 1.
    context : Context or None
        ``None`` where the experiment declares no contexts.
    order : tuple of int
        Treatment ids in the order of execution.
    discard : bool
        Run and stored, used nowhere.
    """

    id: int
    pass_: int
    context: Context | None
    order: tuple[int, ...]
    discard: bool = False

    @property
    def first_trial(self) -> int:
        """The number of its first trial; trials are numbered through all blocks, from 1."""
        return (self.id - 1) * len(self.order) + 1


class Extension(msgspec.Struct, frozen=True):
    """Blocks that were asked for after an experiment had ended.

    Attributes
    ----------
    after_run : int
        The last run of the record before.
    from_blocks, to_blocks : int
        Complete ones then, and complete ones wanted.
    """

    after_run: int
    from_blocks: int
    to_blocks: int


class BlockOutcome(msgspec.Struct, frozen=True, gc=False):
    """Past of a design that decides its next block."""

    block: Block
    state: BlockState
