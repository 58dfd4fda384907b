"""``node``: the machine of a queue on which a block runs.

It changes no launch: the job of the block is handed in for that node. Names are those of the queue.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, Final

from steelyard.core.units import Scalar
from steelyard.interventions.intervention import Intervention
from steelyard.interventions.launch_change import LaunchChange

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,253}")
"""A host's name; nothing that a command of a queue would take for an option or a list."""


class Node(Intervention):
    """Machines that a queue gives out."""

    name: ClassVar[str] = "node"
    about: ClassVar[str] = "machine of a queue on which a block runs"
    levels_text: ClassVar[str] = 'the name of a node, as in node = ["n1", "n2"]'
    is_place: ClassVar[bool] = True

    def check(self, level: Scalar) -> Scalar:
        """Return a name; see ``Intervention.check``."""
        if not isinstance(level, str) or not _NAME.fullmatch(level):
            raise self.make_refusal(level)
        return level

    def change(self, level: Scalar) -> LaunchChange:
        """Change nothing: the job says where it runs."""
        del level
        return LaunchChange()

    def population(self) -> Sequence[Scalar]:
        """Return no nodes that this machine knows: the queue is asked before a record is made."""
        return ()
