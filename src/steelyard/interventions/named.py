"""``Named``: an intervention whose levels are a few names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from steelyard.core.units import Scalar
from steelyard.interventions.intervention import Intervention


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
            raise self.make_refusal(level)
        return level

    def population(self) -> Sequence[Scalar]:
        """All names that this machine can make, or all where it can make none."""
        return tuple(level for level in self.levels if self.missing(level) is None) or self.levels
