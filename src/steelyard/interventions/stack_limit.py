"""``stack_limit``: how far the stack may grow (``RLIMIT_STACK``, setrlimit(2)).

With no limit, Linux lays out the address space in another way: shared libraries and ``mmap`` begin at the
bottom and grow upwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from steelyard.core.units import Scalar
from steelyard.interventions.intervention import Intervention
from steelyard.interventions.launch_change import UNLIMITED_MIB, LaunchChange

SYSTEM: Final = "system"
UNLIMITED: Final = "unlimited"
USUAL_MIB: Final = 8
"""What Linux sets where nobody else does."""
_MIB: Final = 1 << 20


def read_limits() -> tuple[int, int]:
    """Return the soft and the hard limit of this process in bytes; −1: none."""
    import resource

    return resource.getrlimit(resource.RLIMIT_STACK)


class StackLimit(Intervention):
    """Largest stack of the program."""

    name: ClassVar[str] = "stack_limit"
    about: ClassVar[str] = "how far the stack may grow; without a limit, libraries lie elsewhere"
    levels_text: ClassVar[str] = (
        f'"unlimited", a whole number of MiB below {UNLIMITED_MIB}, or "system" (as the shell has it)'
    )

    def __init__(self, limits: Callable[[], tuple[int, int]] = read_limits) -> None:
        self.limits = limits

    def check(self, level: Scalar) -> Scalar:
        """Return the level; see ``Intervention.check``."""
        is_size = isinstance(level, int) and not isinstance(level, bool) and 0 < level < UNLIMITED_MIB
        if not is_size and level not in (SYSTEM, UNLIMITED):
            raise self.make_refusal(level)
        return level

    def missing(self, level: Scalar) -> str | None:
        """Missing for the level: a hard limit that is below it."""
        _, hard = self.limits()
        if level == SYSTEM or hard < 0 or (isinstance(level, int) and level * _MIB <= hard):
            return None
        return f"the hard limit of this process is {hard // _MIB} MiB (ulimit -H -s)"

    def change(self, level: Scalar) -> LaunchChange:
        """Return the limit; nothing where the shell decides."""
        if level == SYSTEM:
            return LaunchChange()
        return LaunchChange(stack_mib=UNLIMITED_MIB if level == UNLIMITED else int(level))

    def population(self) -> Sequence[Scalar]:
        """Return the shell's own limit and its opposite: none, or that of most machines."""
        soft, _ = self.limits()
        return (SYSTEM, USUAL_MIB if soft < 0 else UNLIMITED)
