"""``shout``: a variable of the environment that is set or not."""

from __future__ import annotations

from steelyard.core.units import Scalar
from steelyard.interventions import Intervention, LaunchChange


class Shout(Intervention):
    """Sets ``SHOUT``."""

    name = "shout"
    about = "whether SHOUT is set"
    levels_text = '"yes" or "no"'
    variables = frozenset({"SHOUT"})

    def check(self, level: Scalar) -> Scalar:
        """Return the level."""
        if level not in ("yes", "no"):
            raise self.make_refusal(level)
        return level

    def change(self, level: Scalar) -> LaunchChange:
        """Set the variable."""
        return LaunchChange(env={"SHOUT": str(level)})

    def population(self) -> list[Scalar]:
        """Return both levels."""
        return ["yes", "no"]


shout = Shout()
