"""Identity of the measured program, and whether it has changed since."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import ProgramError
from steelyard.run.launch.elf import read_elf

_SHEBANG_BYTES: Final = 256
"""BINPRM_BUF_SIZE: as much of a script's first line as the kernel reads."""

_LIBRARY: Final = re.compile(r"\.(so|node|pyd|dylib)(\.|$)|^ld-")
"""Names of what is loaded, and of loaders; some of them can be started, too."""

_TICK_NS: Final = 20_000_000
"""Longer than a tick of any kernel's file times (10 ms at 100 Hz)."""


class FileState(msgspec.Struct, frozen=True):
    """State of a file by ``stat``; equal states are taken for equal contents.

    ``changed_ns`` (ctime) is among them because no copy, however it keeps times, can keep that one.
    """

    device: int
    inode: int
    size_bytes: int
    modified_ns: int
    changed_ns: int

    @classmethod
    def make(cls, path: Path) -> FileState:
        """Return the state of a file, links followed. Raises ``OSError``."""
        stat = path.stat()
        return cls(stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)


class ProgramIdentity(msgspec.Struct, frozen=True):
    """A program as it was when it was first looked at.

    Attributes
    ----------
    path : str
        As it is started.
    resolved : str
        The file behind all links.
    sha256 : str
        Of its contents, hexadecimal.
    state : FileState
        Size, times and inode.
    build_id : str or None
        GNU build id of an ELF file; ``None`` where it has none.
    interpreter : str or None
        What follows ``#!`` in a script; ``None`` for anything else.
    library_of : tuple of str
        The programs that are linked to it, or mapped it; empty of a program.
    mapped : bool
        Whether programs were observed to map it, and no loader lists it.
    """

    path: str
    resolved: str
    sha256: str
    state: FileState
    build_id: str | None = None
    interpreter: str | None = None
    library_of: tuple[str, ...] = ()
    mapped: bool = False

    @property
    def kind(self) -> str:
        """What it is, in a word."""
        if not self.library_of:
            return "program"
        return "module" if self.mapped else "library"


def library_identity(path: str, programs: Sequence[str]) -> ProgramIdentity:
    """Path and contents of a shared library, and the programs that are linked to it.

    Raises
    ------
    ProgramError
        As ``program_identity``.
    """
    return msgspec.structs.replace(program_identity(path), library_of=tuple(programs))


def module_identity(path: str, programs: Sequence[str]) -> ProgramIdentity:
    """Path and contents of a file with code, and the programs that mapped it.

    A program, as a shell starts it, is a program of its own, and no part of the one that started it.

    Raises
    ------
    ProgramError
        As ``program_identity``.
    """
    identity = msgspec.structs.replace(program_identity(path), mapped=True)
    if is_library_name(path) or not _is_executable(Path(path)):
        return msgspec.structs.replace(identity, library_of=tuple(programs))
    return identity


def is_library_name(path: str) -> bool:
    """Whether a file is named as one that is loaded is."""
    return _LIBRARY.search(Path(path).name) is not None


def _is_executable(path: Path) -> bool:
    elf = read_elf(path)
    return elf is not None and os.access(path, os.X_OK)


def program_identity(path: str | os.PathLike[str]) -> ProgramIdentity:
    """Path, contents and origin of a program.

    Raises
    ------
    ProgramError
        The file does not exist, cannot be read or is not a regular file.
    """
    text = os.fspath(path)
    resolved = Path(os.path.realpath(text))
    try:
        state = FileState.make(resolved)
        if not resolved.is_file():
            raise ProgramError(f"program {text} is not a file", hint="give the path of the program itself")
        elf = read_elf(resolved)
        return ProgramIdentity(
            path=text,
            resolved=str(resolved),
            sha256=_find_sha256(resolved, state),
            state=state,
            build_id=elf.build_id if elf else None,
            interpreter=interpreter_line(resolved),
        )
    except OSError as error:
        raise ProgramError(
            f"program {text} cannot be read: {error.strerror}",
            hint=f"chmod +r {path}: contents are hashed to detect changes during the experiment",
        ) from error


def describe_change(identity: ProgramIdentity) -> str | None:
    """Describe how the program changed since; ``None`` while its contents are the same.

    One system call while nothing was touched. A file whose contents are the same under a new time or inode
    counts as unchanged; it is read once for that.
    """
    try:
        state = FileState.make(Path(identity.path))
        if state == identity.state:
            return None
        resolved = Path(os.path.realpath(identity.path))
        sha256 = _find_sha256(resolved, state)
    except FileNotFoundError:
        return f"{identity.kind} {identity.path} was deleted"
    except OSError as error:
        return f"{identity.kind} {identity.path} can no longer be read: {error.strerror}"
    if sha256 == identity.sha256:
        return None
    moved = f" and now is {resolved}" if str(resolved) != identity.resolved else ""
    return (
        f"{identity.kind} {identity.path} was replaced{moved}: {identity.state.size_bytes} bytes, "
        f"sha256 {identity.sha256[:12]} became {state.size_bytes} bytes, sha256 {sha256[:12]}"
    )


def interpreter_line(path: Path) -> str | None:
    """Return the interpreter line of a script behind ``#!``, as far as the kernel reads it; ``None`` without.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(_SHEBANG_BYTES)
    if not head.startswith(b"#!"):
        return None
    return head[2:].split(b"\n", 1)[0].strip(b" \t").decode(errors="replace")


def file_sha256(path: Path) -> str:
    """Hash of a file's contents, hexadecimal; a file that did not change since is not read again.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    return _find_sha256(path, FileState.make(path))


def _find_sha256(path: Path, state: FileState) -> str:
    # A file may change twice within one tick of the file system's clock, and its state then but once.
    if time.time_ns() - state.changed_ns < _TICK_NS:
        return _read_sha256(path)
    return _look_up_sha256(path, state)


# A file that was touched, or linked to, is read once and not at every look.
@lru_cache(maxsize=4096)
def _look_up_sha256(path: Path, state: FileState) -> str:  # noqa: ARG001 -- the state is part of the key
    return _read_sha256(path)


def _read_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
