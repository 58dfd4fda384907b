"""The compiler that builds: part of the key, so that an upgrade builds again.

A tool is identified by its resolved path and the hash of its contents. It is never started for
``--version``: the first word of a build may be a script of the user's that knows no such option and builds.
What a compiler loads on its way (``cc1``, specs, headers of the system) is not looked at; where
those alone are replaced, ``inputs`` names them by absolute path.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import MachineError, ProgramError
from steelyard.run.build.inputs import holds
from steelyard.run.host import files
from steelyard.run.launch.provenance import program_identity

_USUAL: Final = ("cc", "c++", "as", "ld")
"""Compilers that make, cmake and their kind call by default."""

_USE_LD: Final = re.compile(r"-fuse-ld=([a-z]+)\b")

_VARIABLES: Final = ("CC", "CXX", "CPP", "FC", "F77", "AS", "LD", "AR", "NVCC", "MPICC", "MPICXX", "RUSTC")
"""Variables, in the environment or as words ``CC=clang`` of the command, that choose a tool."""


class Tool(msgspec.Struct, frozen=True, order=True):
    """A program that takes part in a build."""

    word: bytes
    path: bytes
    sha256: str


def tools(command: Sequence[str], env: Mapping[str, str], directory: Path) -> tuple[Tool, ...]:
    """Return the tools that a command calls.

    They are the first word of the command, the tools that it or the environment chooses, and the usual
    compilers.

    Raises
    ------
    MachineError
        As ``find_needed``. Others may be missing: not every build needs them.
    """
    paths = find_needed(command, env, directory)
    for word in (*_list_chosen(command, env), *_USUAL):
        path = find(word, env, directory)
        if path is not None:
            paths.setdefault(word, path)
    return tuple(sorted(_identify(word, path) for word, path in paths.items()))


def find_needed(command: Sequence[str], env: Mapping[str, str], directory: Path) -> dict[str, Path]:
    """Paths of the first word of the command and of the linker that it asks for.

    Raises
    ------
    MachineError
        One of them is not a program of this machine.
    """
    first = find(command[0], env, directory)
    if first is None and "/" in command[0] and holds((directory / command[0]).is_file):
        raise MachineError(
            f"build.command: {command[0]!r} may not be executed",
            hint=f"chmod +x {directory / command[0]}",
        )
    if first is None:
        raise MachineError(
            f"build.command: {command[0]!r} is not found",
            hint=f"install {command[0]}, or write its path" if "/" not in command[0] else "correct its path",
        )
    paths = {command[0]: first}
    for word in _list_linker(command, env):
        linker = find(word, env, directory)
        if linker is None:
            raise MachineError(
                f"build.command: the linker {word} is not found",
                hint=f"apt install {word[3:]}, or use another",
            )
        paths[word] = linker
    return paths


def find(word: str, env: Mapping[str, str], directory: Path) -> Path | None:
    """Return the executable file that a word names, seen from ``directory``; ``None`` where none is found."""
    if "/" in word:
        path = directory / word
        return path if holds(path.is_file) and os.access(path, os.X_OK) else None
    text = shutil.which(word, path=env.get("PATH", os.defpath))
    return None if text is None else Path(text)


def machine(root: Path = Path("/")) -> str:
    """Processor features that ``-march=native`` depends on.

    Machines with a common home must not share programs.
    """
    cpu = files.fields(root / "proc/cpuinfo", ":")
    names = ("vendor_id", "model name", "stepping", "flags", "CPU implementer", "CPU part", "Features", "isa")
    return " ".join([platform.machine(), *(cpu.get(name, "") for name in names)])


def _list_linker(command: Sequence[str], env: Mapping[str, str]) -> Iterator[str]:
    """Yield the linker that ``-fuse-ld=lld`` makes a compiler call."""
    for text in (*command, *env.values()):
        yield from (f"ld.{name}" for name in _USE_LD.findall(text))


def _list_chosen(command: Sequence[str], env: Mapping[str, str]) -> Iterator[str]:
    settings = [*env.items(), *(tuple(word.split("=", 1)) for word in command if "=" in word)]
    for name, value in settings:
        if name in _VARIABLES and value.split():
            yield value.split()[0]


def _identify(word: str, path: Path) -> Tool:
    try:
        identity = program_identity(path)
    except ProgramError as error:
        raise MachineError(f"build.command: {word!r}: {error.message}", hint=error.hint) from error
    return Tool(os.fsencode(word), os.fsencode(identity.resolved), identity.sha256)
