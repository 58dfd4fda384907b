"""Rights of this process: its capabilities (``capabilities(7)``)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

CAP_SYS_ADMIN: Final = 21
CAP_SYS_NICE: Final = 23
"""From <linux/capability.h>."""


def has_capability(number: int, status: Path = Path("/proc/self/status")) -> bool:
    """Whether a capability is in the effective set of this process; not where the kernel does not say."""
    try:
        text = status.read_text()
    except OSError:
        return False
    effective = next((line.split()[1] for line in text.splitlines() if line.startswith("CapEff:")), "0")
    return bool(int(effective, 16) >> number & 1)
