"""``HostState``: the machine as it is examined."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from steelyard.core.units import Scalar
from steelyard.extensions.doctor.results import HostFinding
from steelyard.run.host import LoadChange

Facts = Mapping[str, Scalar]


class HostState(msgspec.Struct, frozen=True):
    """The facts that are stored with every run, and the load over a moment without any work of ours."""

    facts: Facts
    load: LoadChange

    def number(self, name: str) -> float | None:
        """Return a fact that is a number; ``None`` where the machine does not say."""
        value = self.facts.get(name)
        return float(value) if isinstance(value, int | float) else None

    @property
    def cpus(self) -> int:
        """That Steelyard may use."""
        return int(self.facts.get("cpus_usable", 1))


Check = Callable[[HostState], HostFinding]
