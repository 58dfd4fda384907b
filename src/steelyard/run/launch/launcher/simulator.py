"""SimGrid as it is installed here, and where Steelyard keeps what it makes for it."""

from __future__ import annotations

import os
import re
import shutil
from functools import lru_cache
from pathlib import Path

from steelyard.core.errors import MachineError


class Simulator:
    """The program behind ``smpirun``, which is a shell script that splits words at blanks."""

    __slots__ = ("path", "prefix", "version")

    def __init__(self, path: str, version: str, prefix: Path) -> None:
        self.path = path
        self.version = version
        self.prefix = prefix


@lru_cache(maxsize=1)
def simulator() -> Simulator:
    """Find the installed simulator.

    Raises
    ------
    MachineError
        SimGrid is not installed.
    """
    script = shutil.which("smpirun")
    text = Path(script).read_text(errors="replace") if script else ""
    path = re.search(r'"(/[^"\s]*/smpimain)"', text)
    if path is None or not os.access(path[1], os.X_OK):
        raise MachineError(
            'SimGrid is not installed here, and launch.kind = "smpi" needs it',
            hint="apt-get install libsimgrid-dev (Debian, Ubuntu), or see https://simgrid.org",
        )
    version = re.search(r"SimGrid version ([\d.]+)", text)
    return Simulator(path[1], version[1] if version else "", Path(str(script)).resolve().parents[1])
