"""Names of the kernel's functions, read once for all runs.

``perf`` reads the kernel's whole table of symbols twice at the start of every record, which takes it longer
than many programs run. Without the right to see addresses it reads none (``find_quick_start``) and leaves
addresses, which are named here.
"""

from __future__ import annotations

import re
import shutil
from bisect import bisect_right
from functools import cached_property
from pathlib import Path
from typing import Final

from steelyard.extensions.explain.perf_script import Frame

KALLSYMS: Final = Path("/proc/kallsyms")
_STATUS: Final = Path("/proc/self/status")
_CODE: Final = frozenset("tTwW")
_CAP_SETPCAP: Final = 8
_CAP_SYSLOG: Final = 34
_UPPER_HALF: Final = 1 << 63
_UNKNOWN: Final = "[unknown]"


class KernelSymbols:
    """Functions of the running kernel and of its modules, by address."""

    def __init__(self, file: Path = KALLSYMS) -> None:
        self._file = file

    @cached_property
    def _table(self) -> tuple[list[int], list[tuple[str, str]]]:
        """Start addresses in ascending order, with name and object; none where the kernel hides them."""
        try:
            lines = self._file.read_text(errors="replace").splitlines()
        except OSError:
            return [], []
        functions: dict[int, tuple[str, str]] = {}
        for line in lines:
            address, kind, name, *module = line.split()
            if kind in _CODE and (start := int(address, 16)):
                # The first of several names, as perf has it for ``__pfx_`` and aliases alike.
                functions.setdefault(start, (name, module[0] if module else "[kernel.kallsyms]"))
        starts = sorted(functions)
        return starts, [functions[start] for start in starts]

    def resolve(self, frame: Frame) -> Frame:
        """Return a frame with the kernel's name of its address, where perf left it without one."""
        if frame.object_file != _UNKNOWN or frame.ip < _UPPER_HALF:
            return frame
        starts, names = self._table
        place = bisect_right(starts, frame.ip) - 1
        if place < 0:
            return Frame(_UNKNOWN, "[kernel.kallsyms]", frame.ip)
        name, object_file = names[place]
        return Frame(name, object_file, frame.ip, frame.ip - starts[place])


def find_quick_start(status: Path = _STATUS) -> tuple[str, ...]:
    """Return the words that start ``perf record`` without the right to see addresses of the kernel.

    Empty where this process has no such right, which is as quick, or may not give it up.
    """
    try:
        match = re.search(r"^CapEff:\s*([0-9a-f]+)$", status.read_text(), re.MULTILINE)
    except OSError:
        return ()
    rights = int(match[1], 16) if match else 0
    has_both = all(rights >> bit & 1 for bit in (_CAP_SETPCAP, _CAP_SYSLOG))
    if not has_both or shutil.which("setpriv") is None:
        return ()
    return ("setpriv", "--bounding-set=-syslog", "--inh-caps=-syslog", "--")
