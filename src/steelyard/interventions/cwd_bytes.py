"""``cwd_bytes``: how long the name of the working directory is, as ``getcwd`` gives it.

A longer spelling of the same name (slashes, links) would not do: the kernel tells a program the real one. So
the directory is shown once more under a name of the wanted length, below the record, in a mount namespace of
the runner: the program works in the very same directory, nobody else sees the mount, and it ends with the
last process in that namespace, however that ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from steelyard.core.units import Scalar
from steelyard.interventions.intervention import Intervention
from steelyard.interventions.launch_change import LaunchChange
from steelyard.interventions.rights import CAP_SYS_ADMIN, has_capability

LEAST: Final = 64
LARGEST: Final = 3072
"""Bytes: the kernel takes 4095 in a path, and programs put names of files behind it."""


def may_mount() -> bool:
    """Whether this process has CAP_SYS_ADMIN."""
    return has_capability(CAP_SYS_ADMIN)


class CwdBytes(Intervention):
    """Bytes of the working directory's name."""

    name: ClassVar[str] = "cwd_bytes"
    about: ClassVar[str] = "bytes of the working directory's name, as getcwd gives it"
    levels_text: ClassVar[str] = f"a whole number of bytes from {LEAST} to {LARGEST}, or 0: as it is"
    finer: ClassVar[int] = 16

    def __init__(self, allowed: Callable[[], bool] = may_mount) -> None:
        self.allowed = allowed

    def check(self, level: Scalar) -> Scalar:
        """Return the number of bytes; see ``Intervention.check``."""
        if isinstance(level, bool) or not isinstance(level, int):
            raise self.make_refusal(level)
        if level and not LEAST <= level <= LARGEST:
            raise self.make_refusal(level)
        return level

    def missing(self, level: Scalar) -> str | None:
        """Missing here: the right to mount, in a namespace that no other process sees."""
        if not level or self.allowed():
            return None
        return "showing a directory under another name needs CAP_SYS_ADMIN (root)"

    def change(self, level: Scalar) -> LaunchChange:
        """Return the length; none where the name stays as it is."""
        return LaunchChange(cwd_bytes=int(level) or None)

    def population(self) -> Sequence[Scalar]:
        """Return a kibibyte of lengths, each beyond what a record's own directory commonly takes."""
        return range(512, 1536, self.finer)
