"""``HostReport``: capabilities and limitations of a machine for measurements.

Its document is ``steelyard/doctor``.
History: 1, the first; 2, weights are ``problem``, ``limitation``, ``ok``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

import msgspec

from steelyard.core.units import Scalar
from steelyard.results.document import Format, Lines

Weight = Literal["problem", "limitation", "ok"]
"""``problem``: results may mislead. ``limitation``: something cannot be seen or held. ``ok``: neither."""

WORST_FIRST: Final[tuple[Weight, ...]] = ("problem", "limitation", "ok")


class HostFinding(msgspec.Struct, frozen=True):
    """Finding about one topic.

    Attributes
    ----------
    observed : str
        With its value; ``found`` in documents.
    means : str or None
        For results; ``None`` where it means nothing bad.
    cure : str or None
        The one command that improves it; ``None`` where no command on this machine does.
    """

    topic: str
    weight: Weight
    observed: str = msgspec.field(name="found")
    means: str | None = None
    cure: str | None = None


class HostReport(msgspec.Struct, frozen=True):
    """Findings, worst first, and the facts that they rest on.

    Attributes
    ----------
    able : bool
        Whether anything can be measured here at all.
    """

    facts: Mapping[str, Scalar]
    findings: tuple[HostFinding, ...]
    able: bool
    __lines__: ClassVar[Lines] = ("able", "findings", "facts")


DOCTOR: Final = Format("steelyard/doctor", 2, HostReport)
