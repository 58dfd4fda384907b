"""``Intervention``: a factor with a reserved name, whose levels change how a program is started."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.interventions.launch_change import LaunchChange


class Intervention(ABC):
    """One way to change a launch: the child, and the host only where the kernel knows no other way.

    Attributes
    ----------
    name : str
        The reserved name of the factor or of the setting of contexts.
    about : str
        One line for help and ``doctor``.
    levels_text : str
        The levels in words, for the hint of an error.
    variables : frozenset of str
        Environment variables that ``change`` may set, so that a spec which sets them too can be refused.
    keys : frozenset of str
        Keys of ``[program]`` that say the same, so that a spec which has them too can be refused.
    placeholders : frozenset of str
        By which ``[build]`` takes the level; empty where the launch takes it.
    finer : int
        Levels that each of the population stands for: itself and those up to the next.
    is_place : bool
        Whether it is where trials run, and nothing that is changed about a start.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    levels_text: ClassVar[str]
    variables: ClassVar[frozenset[str]] = frozenset()
    keys: ClassVar[frozenset[str]] = frozenset()
    placeholders: ClassVar[frozenset[str]] = frozenset()
    finer: ClassVar[int] = 1
    is_place: ClassVar[bool] = False

    def make_refusal(self, level: Scalar) -> UsageError:
        """Error for a value that is not a level."""
        return UsageError(f"{level!r} is not a level of {self.name}", hint=f"write {self.levels_text}")

    @abstractmethod
    def check(self, level: Scalar) -> Scalar:
        """Return the level as records keep it (``"1,0"`` becomes ``"0-1"``); the same on every machine.

        Raises
        ------
        UsageError
            Not a level; names the value and what would be one.
        """

    def missing(self, level: Scalar) -> str | None:
        """Reason why this machine cannot set the level.

        ``None`` where it can, as every machine does unless a level needs a right or a file.
        """
        del level
        return None

    @abstractmethod
    def change(self, level: Scalar) -> LaunchChange:
        """Change that the level makes to one launch."""

    @abstractmethod
    def population(self) -> Sequence[Scalar]:
        """Return the levels from which ``"random"`` draws without replacement, on this machine."""

    def refine(self, level: Scalar, fraction: float) -> Scalar:
        """One of the levels that ``level`` stands for, by ``fraction`` in [0, 1)."""
        return level if self.finer == 1 else int(level) + int(fraction * self.finer)

    def place(self, level: Scalar) -> Scalar:
        """Part of a level that makes a difference: levels of one place are one context."""
        return level
