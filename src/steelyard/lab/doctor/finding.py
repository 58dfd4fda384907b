"""One thing that was looked at, and what it means for results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal

import msgspec

from steelyard.run.host import LoadChange
from steelyard.units import Scalar

Weight = Literal["problem", "limitation", "ok"]
"""``problem``: results may mislead. ``limitation``: something cannot be seen or held. ``ok``: neither."""

WORST_FIRST: Final[tuple[Weight, ...]] = ("problem", "limitation", "ok")

Facts = Mapping[str, Scalar]


class Finding(msgspec.Struct, frozen=True):
    """What was found about one topic.

    Attributes
    ----------
    found : str
        With its value.
    means : str or None
        For results; ``None`` where it means nothing bad.
    cure : str or None
        The one command that improves it; ``None`` where no command on this machine does.
    """

    topic: str
    weight: Weight
    found: str
    means: str | None = None
    cure: str | None = None


class HostState(msgspec.Struct, frozen=True):
    """The facts that are stored with every run, and the load over a moment without any work of ours."""

    facts: Facts
    load: LoadChange

    def number(self, name: str) -> float | None:
        """A fact that is a number; ``None`` where the machine does not say."""
        value = self.facts.get(name)
        return float(value) if isinstance(value, int | float) else None

    @property
    def cpus(self) -> int:
        """That Steelyard may use."""
        return int(self.facts.get("cpus_usable", 1))


Check = Callable[[HostState], Finding]
