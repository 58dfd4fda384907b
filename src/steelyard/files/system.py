"""Differences between systems that reading a record meets: flags of ``os.open``, names, sizes."""

from __future__ import annotations

import os
import sys
from typing import Final

OPENED: Final[int] = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""Flags of every file: not handed to programs, and on Windows with its bytes as they are."""
WITHOUT_WAITING: Final[int] = getattr(os, "O_NONBLOCK", 0)
"""Flag of a pipe that nobody writes to yet; 0 where there is none."""

PAGE_BYTES: Final[int] = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
"""Size of a page of memory."""
_system = sys.platform  # for mypy, every other system is unreachable code
MOVES_OPEN_FILES: Final[bool] = _system != "win32"
"""Whether a file or directory can be renamed while a process has it open, and a directory be opened."""


def read_host_name() -> str:
    """Name of this machine in its network."""
    return os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")


def count_usable_cpus() -> int:
    """CPUs that this process may use; all, where the system does not tell."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
