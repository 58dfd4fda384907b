"""The one system that Steelyard measures on."""

from __future__ import annotations

import sys

from steelyard.errors import MachineError


def require_linux() -> None:
    """Refuse any other system before something that only Linux has is missed one by one.

    Raises
    ------
    MachineError
        This is not Linux.
    """
    # Compared through a variable: for mypy every other system is unreachable code.
    system = sys.platform
    if system != "linux":
        raise MachineError(
            f"Steelyard measures with what only Linux has (subreapers, schedstat, memfd); this is {system}",
            hint="use it on Linux, where steelyard doctor says what a virtual machine or a container hides",
        )
