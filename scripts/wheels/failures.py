"""What making a wheel or a release fails by, and how it is told."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class WheelError(Exception):
    """A wheel that differs from what its name promises, or does not work."""


def run_or_tell(action: Callable[[], None]) -> int:
    """Run an action, and return the exit code: 1 where it fails, which is told in one line."""
    try:
        action()
    except WheelError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"error: {error.cmd[0]} failed with exit code {error.returncode}", file=sys.stderr)
        return 1
    return 0
