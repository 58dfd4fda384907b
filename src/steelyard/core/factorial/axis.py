"""``Axis``: what a design varies step by step."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from steelyard.core.units import Scalar


class Axis(msgspec.Struct, frozen=True):
    """One factor, or several that are linked.

    Attributes
    ----------
    name : str
        Of the factor, or of the link.
    steps : tuple of Mapping[str, Scalar]
        The levels of its factors at each step, in the order of the spec. With two steps, the first is the
        low one (-), the second the high one (+).
    """

    name: str
    steps: tuple[Mapping[str, Scalar], ...]

    @property
    def factors(self) -> tuple[str, ...]:
        """The factors that it changes."""
        return tuple(self.steps[0])

    @property
    def varies(self) -> bool:
        """Whether there is more than one step."""
        return len(self.steps) > 1

    def step(self, levels: Mapping[str, Scalar]) -> int:
        """Return the step (from 0) that a treatment with these levels stands on.

        Raises
        ------
        ValueError
            It stands on none.
        """
        for i, step in enumerate(self.steps):
            if all(_is_same(levels[name], level) for name, level in step.items()):
                return i
        raise ValueError(f"{dict(levels)} is on no step of {self.name}")


def _is_same(first: Scalar, second: Scalar) -> bool:
    return first == second and isinstance(first, bool) == isinstance(second, bool)
