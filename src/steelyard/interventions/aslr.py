"""``aslr``: whether the kernel draws new addresses for each start of the program."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

from steelyard.core.units import Scalar
from steelyard.interventions.intervention import Intervention
from steelyard.interventions.launch_change import LaunchChange

ADDR_NO_RANDOMIZE: Final = 0x0040000
"""From <sys/personality.h>."""
_QUERY: Final = 0xFFFFFFFF


class Aslr(Intervention):
    """Address space layout randomisation, on (as the system has it) or off."""

    name: ClassVar[str] = "aslr"
    about: ClassVar[str] = "address space layout randomisation of the program"
    levels_text: ClassVar[str] = '"on" (as the system has it) or "off"'

    def __init__(self, setting: Path = Path("/proc/sys/kernel/randomize_va_space")) -> None:
        self.setting = setting

    def check(self, level: Scalar) -> Scalar:
        """``"on"`` or ``"off"``; see ``Intervention.check``."""
        if isinstance(level, bool):
            return "on" if level else "off"
        if level not in ("on", "off"):
            raise self.make_refusal(level)
        return level

    def missing(self, level: Scalar) -> str | None:
        """Missing for the level: randomisation, or the right to switch it off."""
        if level == "on":
            if self._system_has_it_off():
                return f"this system has address randomisation off ({self.setting} is 0)"
            if _read_personality(_QUERY) & ADDR_NO_RANDOMIZE:
                return "Steelyard was itself started without address randomisation (as by setarch -R)"
            return None
        if self._system_has_it_off():
            return None
        return _get_refusal()

    def change(self, level: Scalar) -> LaunchChange:
        """Off by the personality of the child; on is a plain launch."""
        return LaunchChange(aslr_off=level == "off")

    def population(self) -> Sequence[Scalar]:
        """Both."""
        return ("on", "off")

    def _system_has_it_off(self) -> bool:
        try:
            return self.setting.read_text().strip() == "0"
        except OSError:
            return False


def _get_refusal() -> str | None:
    """Why the kernel refuses ADDR_NO_RANDOMIZE to this process; ``None`` if it does not.

    Asked by doing it and undoing it: the flag acts on the next ``execve`` and on new mappings only.
    """
    before = _read_personality(_QUERY)
    try:
        _read_personality(before | ADDR_NO_RANDOMIZE)
    except OSError as error:
        return (
            f"the kernel refuses to switch address randomisation off ({error.strerror});"
            " the seccomp filter of a container does that"
        )
    _read_personality(before)
    return None


def _read_personality(persona: int) -> int:
    import ctypes

    # PyDLL keeps the interpreter's lock, so that no thread can start a program in between.
    call = ctypes.PyDLL(None, use_errno=True).personality
    call.argtypes = [ctypes.c_ulong]
    result = int(call(persona))
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
