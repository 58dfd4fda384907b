"""Code that programs load while they run: plug-ins, extension modules, sources, programs that a shell starts.

No loader lists it. It is noted in warm-up runs (``discard``), which are in no result:
``native/runner/modules.cpp`` runs the program there, and the kernel stops each process where it is about to
end, and at system calls: sources that an interpreter opens are noted, too. No run that counts is observed.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import time
import weakref
from collections.abc import Sequence
from importlib.util import source_from_cache
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import ProgramError
from steelyard.files.plain import read_plain
from steelyard.run.launch.launch import Launch
from steelyard.run.launch.provenance import (
    FileState,
    ProgramIdentity,
    is_library_name,
    module_identity,
)
from steelyard.run.native import MODULES, RUNNER, native_file

_MOST_BYTES: Final = 1 << 24
_LINE: Final = re.compile(r"(\d+) (\d+) (\d+) (\d+) (\d+) (/.*)")
_NUMBERS: Final = 5
_LONGER_NS: Final = 2_000_000_000
"""By which an observed run may exceed a short time limit of its program: each stop costs time."""
_SHORT_NS: Final = 60_000_000_000
_WRITTEN: Final = "written "
_DELETED: Final = " (deleted)"
_OWN_RIGHTS: Final = stat.S_ISUID | stat.S_ISGID


class ModuleNotes(msgspec.Struct, frozen=True):
    """Files of which programs had code mapped, and sources that they read.

    Attributes
    ----------
    modules : tuple of ProgramIdentity
        Programs, and libraries that a loader lists, may be among them.
    replaced : tuple of str
        Files that were replaced while a program that had loaded them ran, or after it.
    problem : str
        Why nothing, or not everything, was noted; empty where all was.
    """

    modules: tuple[ProgramIdentity, ...] = ()
    replaced: tuple[str, ...] = ()
    problem: str = ""


class ModuleObserver:
    """Observes one run of each command, as launches of warm-up runs are made for it."""

    def __init__(self) -> None:
        self._place: Path | None = None
        self._programs: dict[str, Path] = {}
        self._observed: set[tuple[str, tuple[str, ...]]] = set()
        self._since_ns = time.time_ns()

    def wrap_launch(self, launch: Launch) -> Launch:
        """Return the launch so that its modules are noted; as it is where they were, or cannot be.

        The kernel gives a program with rights of its own (set-user-id) none of them while it is observed.
        """
        key = launch.path, launch.argv
        if key in self._observed or _has_own_rights(launch.path):
            return launch
        self._observed.add(key)
        if self._place is None:
            self._place = Path(tempfile.mkdtemp(prefix="steelyard-"))
            weakref.finalize(self, shutil.rmtree, self._place, ignore_errors=True)
        file = self._programs.setdefault(launch.path, self._place / str(len(self._programs)))
        file.touch(mode=0o600)
        runner = str(native_file(RUNNER).absolute())
        limit_ns = launch.timeout_ns
        if limit_ns is not None and limit_ns < _SHORT_NS:
            limit_ns += _LONGER_NS
        words = (MODULES, str(file), launch.path, *launch.argv)
        return replace(launch, path=runner, argv=words, timeout_ns=limit_ns)

    def collect(self) -> ModuleNotes:
        """Return what was noted since the last call."""
        programs_of: dict[str, list[str]] = {}
        states: dict[str, FileState | None] = {}
        written: set[str] = set()
        problem = ""
        for program, file in self._programs.items():
            for line in _read_lines(file):
                if match := _LINE.fullmatch(line):
                    path = _unescape(match[_NUMBERS + 1])
                    numbers = [int(match[i]) for i in range(1, _NUMBERS + 1)]
                    state = FileState(*numbers) if numbers[1] else None
                    path, state = _find_source(path) or (path, state)
                    states.setdefault(path, state)
                    programs_of.setdefault(path, []).append(program)
                elif line.startswith(_WRITTEN):
                    written.add(_unescape(line.removeprefix(_WRITTEN)))
                else:
                    problem = _describe_problem(line, program) or problem
        self._programs.clear()
        if self._place is not None:
            shutil.rmtree(self._place, ignore_errors=True)
            self._place = None
        replaced = [
            path.removesuffix(_DELETED) for path, state in states.items() if _was_replaced(path, state)
        ]
        modules = []
        for path, state in states.items():
            # What is newer the program has made itself, as compilers at run time do.
            if state is None or state.changed_ns >= self._since_ns or path in written:
                continue
            if (module := _identify(path, state, programs_of[path])) is not None:
                modules.append(module)
            elif self._has_changed(path):
                replaced.append(path)
        return ModuleNotes(tuple(modules), tuple(dict.fromkeys(replaced)), problem)

    def _has_changed(self, path: str) -> bool:
        """Whether the file changed since observing began: a file of that name below another root did not."""
        try:
            return FileState.make(Path(path)).changed_ns >= self._since_ns
        except OSError:
            return False


def _describe_problem(line: str, program: str) -> str:
    """Return why not all was noted, where a line is not of a file; empty where it says nothing of that."""
    if line.startswith("refused "):
        return f"the kernel allows no tracing ({os.strerror(int(line.split()[1]))})"
    return f"{Path(program).name} maps or reads more files than are noted" if line == "more" else ""


def _find_source(path: str) -> tuple[str, FileState] | None:
    """Return what a file is noted as, and its state now; ``None``: as it is.

    Bytecode is noted as the source that it was made of, if there is one, and a library that was opened by
    another name as the file behind it, as it is mapped.
    """
    try:
        source = os.path.realpath(path) if is_library_name(path) else ""
        if path.endswith(".pyc"):
            source = source_from_cache(path)
        return (source, FileState.make(Path(source))) if source not in ("", path) else None
    except (ValueError, OSError):
        return None


def _was_replaced(path: str, state: FileState | None) -> bool:
    """Whether a mapped file that has no name any more was there before, and another file is now."""
    try:
        return state is None and path.endswith(_DELETED) and Path(path.removesuffix(_DELETED)).is_file()
    except OSError:
        return False


def _identify(path: str, state: FileState, programs: Sequence[str]) -> ProgramIdentity | None:
    """Return the identity of a mapped file; ``None`` where no file of this machine is that one.

    A program may have another root, and a file may be gone or replaced by now; then what it mapped cannot be
    read any more.
    """
    try:
        identity = module_identity(path, sorted(set(programs)))
    except ProgramError:
        return None
    return identity if identity.state == state else None


def _has_own_rights(path: str) -> bool:
    try:
        return bool(Path(path).stat().st_mode & _OWN_RIGHTS)
    except OSError:
        return False


def _read_lines(file: Path) -> list[str]:
    content = read_plain(file, largest=_MOST_BYTES) or b""
    return os.fsdecode(content).split("\n")


def _unescape(path: str) -> str:
    """Return a path of /proc/PID/maps with the line feeds that it has: nothing else is written otherwise."""
    return path.replace("\\012", "\n")
