"""What a conductor and its two arms tell each other: lines of JSON on two pipes."""

from __future__ import annotations

from typing import Final

import msgspec

TASK: Final = "STEELYARD_TURNS"
"""Environment variable by which a session knows that it is an arm: its ``Task`` as JSON."""


class Task(msgspec.Struct, frozen=True):
    """What an arm is to do.

    Attributes
    ----------
    orders, replies : int
        File descriptors to read from and to write to.
    files, tests : tuple of str
        Paths to collect, and the node ids to run.
    tree, other_path : str
        Top of the work tree whose code is to be measured, and of the one whose code is not.
    """

    orders: int
    replies: int
    files: tuple[str, ...]
    tests: tuple[str, ...]
    tree: str
    other_path: str


class CollectedTests(msgspec.Struct, frozen=True):
    """The tests of an arm.

    Attributes
    ----------
    missing : tuple of str
        Node ids that this tree does not have, or whose tests time nothing.
    error : str
        The first error of the collection; empty without one.
    """

    missing: tuple[str, ...]
    error: str = ""


class Order(msgspec.Struct, frozen=True):
    """A test to run once more; ``None``: none, and the session ends."""

    test: str | None


class OrderOutcome(msgspec.Struct, frozen=True):
    """The outcome of an order.

    Attributes
    ----------
    value : float or None
        Seconds of one call; ``None`` of a test's first run, which finds the warm-up, and at the end.
    error : str
        Why there is no value, in a line.
    foreign : str
        At the end: a module that was imported from elsewhere than the tree, though the tree has one of its
        name.
    """

    value: float | None = None
    error: str = ""
    foreign: str = ""
