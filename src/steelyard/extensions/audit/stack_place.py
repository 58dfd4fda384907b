"""Where the stack of a program begins, alone and under valgrind, which puts it elsewhere.

Counts of one length of the environment speak of the length at which the stack lies at the same place of a
page when the program runs alone. Both places are read by a start of this interpreter with strings that take
the same room, modulo a page, as those of the program.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import MachineError
from steelyard.files.system import PAGE_BYTES
from steelyard.interventions.shift import STACK_STEP
from steelyard.run.launch.launch import CAPTURE, NULL, Launch
from steelyard.run.launch.valgrind import locate_program
from steelyard.run.measure.verify import ending
from steelyard.run.runner.runner import probe_launches

_POINTER_BYTES: Final = 8
_PAD: Final = "STEELYARD_PROBE_PAD="

_READ: Final = "import ctypes; print(ctypes.c_void_p.in_dll(ctypes.CDLL(None), '__libc_stack_end').value)"
"""glibc's linker keeps the stack pointer with which the kernel, or valgrind, started the program."""


class StackSteps(msgspec.Struct, frozen=True):
    """The stack's place at each length of the environment.

    Attributes
    ----------
    place : int
        Stack pointer at the start, modulo a page, without growth.
    first : int
        Bytes of growth, 1 to 16, at which it is 16 bytes lower for the first time.
    """

    place: int
    first: int

    @property
    def phase(self) -> int:
        """Bytes of growth that the current step of 16 has taken already."""
        return STACK_STEP - self.first


def find_steps(place: Callable[[int], int]) -> StackSteps:
    """Return the steps, by bisection.

    Parameters
    ----------
    place : callable
        The stack's place after so many bytes of growth.

    Raises
    ------
    MachineError
        The stack does not move in steps of 16 bytes.
    """
    start = place(0)
    if (start - place(STACK_STEP)) % PAGE_BYTES != STACK_STEP:
        raise MachineError(
            f"the stack does not move by {STACK_STEP} bytes where the environment grows by as many",
            hint="audit without --counts",
        )
    low, high = 0, STACK_STEP
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if place(middle) == start else (low, middle)
    return StackSteps(start, high)


def find_shift(counted: StackSteps, timed: StackSteps, period: int) -> int:
    """Return the bytes, 0 to ``period`` - 1, by which a counted length differs from the one to time.

    With these added, the stack lies at the same place when the program runs alone.
    """
    return (counted.phase - counted.place - timed.phase + timed.place) % period


def read_place(launch: Launch, *, counted: bool = False) -> int:
    """Start this interpreter in place of the program, and read where its stack begins, modulo a page.

    Parameters
    ----------
    counted : bool
        Whether the launch is that of valgrind.

    Raises
    ------
    MachineError
        The interpreter does not tell, as with a C library that is not glibc.
    """
    (raw,) = probe_launches([probe(launch, counted=counted)])
    text = raw.stdout.strip()
    if raw.status != "ok" or raw.exit_code or not text.isdigit():
        how = ending(raw) if raw.status != "ok" or raw.exit_code else f"it printed {text[:40]!r}"
        raise MachineError(
            f"where the stack of a program begins cannot be read here: {how}", hint="audit without --counts"
        )
    return int(text) % PAGE_BYTES


def probe(launch: Launch, *, counted: bool = False) -> Launch:
    """Return a launch of this interpreter with strings and pointers as large as the program's, modulo a page.

    Parameters
    ----------
    launch : Launch
        Of the program, alone or (``counted``) under valgrind.
    """
    name = str(Path("/proc/self/exe").resolve())
    words = (name, "-I", "-S", "-c", _READ)
    at = locate_program(launch) if counted else 0
    before = launch.argv[:at]
    if counted:
        # The last of several equal options counts.
        before = (*before, "--cache-sim=no", "--branch-sim=no", "--log-file=/dev/null")
    path = launch.argv[at] if counted else launch.path
    program = (path, *launch.argv[at:], *launch.env)
    env = [*launch.env]
    missing = (len(launch.argv) - at - len(words) - 1) % (PAGE_BYTES // _POINTER_BYTES)
    env += [f"STEELYARD_PROBE_{index:04d}=" for index in range(missing)]
    strings = (name, *words, *env, _PAD)
    padding = (_sum_bytes(program) - _sum_bytes(strings)) % PAGE_BYTES
    return replace(
        launch,
        path=launch.path if counted else name,
        argv=(*before, *words),
        env=(*env, _PAD + "x" * padding),
        stdin="/dev/null",
        stdout=CAPTURE,
        stderr=NULL,
        timeout_ns=None,
        metrics_path=None,
        counters=(),
        digests=False,
        files=(),
        prepare=(),
        cleanup=(),
    )


def _sum_bytes(strings: tuple[str, ...]) -> int:
    return sum(len(os.fsencode(text)) + 1 for text in strings)
