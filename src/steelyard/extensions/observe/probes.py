"""Probes: what is put around a program, into its environment, or into its build."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import MachineError, UsageError
from steelyard.lab.compare.compare import split

INCLUDE: Final = Path(__file__).parent / "include"
"""Where ``steelyard_probe.h`` lies; compilers find it by CPATH."""

NONE: Final = "none"
"""The baseline: no probe."""

UNPROBED: Final = "-DSTEELYARD_UNPROBED"
"""Stands in the baseline's build in place of an option: an empty word would be a file name."""


class Probe(msgspec.Struct, frozen=True):
    """One way to observe a program.

    Attributes
    ----------
    wrap : tuple of str
        Words before the program.
    option : str
        What the build has for ``{probe}``; empty: what the baseline has.
    variables : Mapping[str, str]
        Of the environment; other probes have them empty.
    preload : bool
        Load the library that counts calls of the allocator.
    """

    name: str
    wrap: tuple[str, ...] = ()
    option: str = ""
    variables: Mapping[str, str] = {}
    preload: bool = False

    @property
    def inside(self) -> bool:
        """Whether the probe runs inside the program, so that callgrind counts its instructions."""
        return not self.wrap


_TOOLS: Final[dict[str, tuple[str, str]]] = {
    "perf-stat": ("perf stat -o /dev/null --", "linux-perf"),
    "strace": ("strace -c -f -o /dev/null", "strace"),
    "ltrace": ("ltrace -c -f -o /dev/null", "ltrace"),
    "memcheck": ("valgrind --tool=memcheck --log-file=/dev/null", "valgrind"),
    "cachegrind": (
        "valgrind --tool=cachegrind --cachegrind-out-file=/dev/null --log-file=/dev/null",
        "valgrind",
    ),
    "callgrind": (
        "valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file=/dev/null",
        "valgrind",
    ),
}
"""Name to the words before the program, and Debian's package."""

PRELOAD: Final = "preload"
KNOWN: Final = (*_TOOLS, PRELOAD)
"""Probes that need no more than their name."""


def _suggest_option(name: str) -> str:
    """Guess what was meant instead of a known probe.

    It may be a command, a variable, a word of the build, or another known probe.
    """
    from steelyard.spec.text.origin import suggest

    if name.startswith("-"):
        return f"a word of the build is --option={shlex.quote(name)}, with --build"
    if re.match(r"[A-Za-z_][A-Za-z0-9_]*=", name):
        return f"a variable is --variable {shlex.quote(name)}"
    if len(words := name.split()) > 1 or shutil.which(name):
        also = f"; --probe {words[0]} is known" if words[0] in _TOOLS else ""
        return f"a command of your own is --wrap {shlex.quote(name)}{also}"
    return suggest(name, KNOWN, "probes")


def make_known_probe(name: str) -> Probe:
    """Make a known probe.

    Raises
    ------
    UsageError
        No known probe has that name.
    MachineError
        This machine lacks its tool.
    """
    if name == PRELOAD:
        if shutil.which("cc") is None:
            raise MachineError(
                "the probe preload needs a C compiler, and cc is not found", hint="apt-get install gcc"
            )
        return Probe(PRELOAD, preload=True)
    if name not in _TOOLS:
        raise UsageError(f"unknown probe {name!r}", hint=_suggest_option(name))
    words, package = _TOOLS[name]
    wrap = tuple(words.split())
    if shutil.which(wrap[0]) is None:
        raise MachineError(
            f"the probe {name} needs {wrap[0]}, which is not found", hint=f"apt-get install {package}"
        )
    return Probe(name, wrap)


def wrapper(text: str) -> Probe:
    """Make a probe of a user's own command before the program.

    Raises
    ------
    UsageError
        It cannot be split into words.
    MachineError
        Its program is not found.
    """
    words = tuple(split(text))
    if shutil.which(words[0]) is None:
        raise MachineError(
            f"the probe {text!r} needs {words[0]}, which is not found", hint="install it, or check PATH"
        )
    return Probe(" ".join(text.split()), words)


def variable(text: str) -> Probe:
    """Make a probe of an environment variable, ``NAME=VALUE``.

    Raises
    ------
    UsageError
        It is not of this form.
    """
    name, mark, value = text.partition("=")
    if not mark or not name.isidentifier() or not name.isascii() or not value:
        raise UsageError(f"not of the form NAME=VALUE: {text!r}", hint="write --variable NAME=VALUE")
    return Probe(text, variables={name: value})


def option(text: str) -> Probe:
    """Make a probe of an option of the build.

    Raises
    ------
    UsageError
        It is empty, or more than one word.
    """
    if len(split(text)) != 1:
        raise UsageError(
            f"{text!r} is not one word of a build command", hint="give one --option for each level"
        )
    return Probe(text, option=text)


def distinct(probes: Sequence[Probe]) -> tuple[Probe, ...]:
    """Refuse no probes, and two of one name.

    Raises
    ------
    UsageError
        None at all, or two of one name.
    """
    names = [probe.name for probe in probes]
    if not names:
        raise UsageError(
            "no probe is given",
            hint=f"--probe NAME, one of {', '.join(KNOWN)}; --wrap CMD, --variable NAME=VALUE, or --build CMD"
            " with --option WORD",
        )
    for place, name in enumerate(names):
        if name in names[:place] or name == NONE:
            raise UsageError(f"the probe {name!r} is given twice", hint="leave one out")
    return tuple(probes)
