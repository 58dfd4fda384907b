"""``Named``: an intervention whose levels are a few names."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from steelyard.errors import UsageError
from steelyard.interventions.intervention import Intervention
from steelyard.interventions.launch_change import LaunchChange
from steelyard.units import Scalar


@dataclass(frozen=True, slots=True)
class Named(Intervention):
    """A choice between names.

    Attributes
    ----------
    levels : tuple of str
        All of them.
    """

    levels: ClassVar[tuple[str, ...]]

    def check(self, level: Scalar) -> Scalar:
        """One of the names; see ``Intervention.check``."""
        if level not in self.levels:
            raise UsageError(f"{level!r} is no level of {self.name}", hint=f"write {self.levels_text}")
        return level

    def missing(self, level: Scalar) -> str | None:
        """Nothing, where a name needs no right."""
        del level
        return None

    @abstractmethod
    def change(self, level: Scalar) -> LaunchChange:
        """What the name stands for."""

    def population(self) -> Sequence[Scalar]:
        """All names that this machine can make, or all where it can make none."""
        return tuple(level for level in self.levels if self.missing(level) is None) or self.levels
