"""``clean``: list what old runs left below the user's directories, and remove it where that is requested.

A directory below ``STATE/COMMAND`` is ours where it is a record (the mark in the header of its SQLite file),
holds the request of a gate or a search, or a record; one of the build cache where a marker or a lock of the
cache lies beside it. Everything else stays, and so does every link.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import SteelyardError, UsageError
from steelyard.core.extension import find_extensions, load
from steelyard.extensions.clean.results import Cleaning, Leftover
from steelyard.extensions.clean.tree import list_names, measure_tree, open_directory, remove_tree
from steelyard.files.user_directories import locate_cache, locate_state
from steelyard.run.build.cache import KEY_CHARACTERS, hold_build
from steelyard.store.facts import FILE
from steelyard.store.lock import WriterLock
from steelyard.store.schema import APPLICATION_ID

LEAST_S: Final = 3600.0
"""Age below which nothing is removed: a command that is running may be between two records."""
_LEAST_OF_BUILDS_S: Final = 86400.0
"""The same of builds, which hold no lock while a run uses them."""
_STATE: Final = {key: place for entry in find_extensions().usable for key, place in entry.state.items()}
_COMMANDS: Final = ("compare", "null", *_STATE)
_REQUESTS: Final = {request.file_name: request for request in map(load, filter(None, _STATE.values()))}
_LOCK: Final = "lock"
_MARKS: Final = frozenset({FILE, *_REQUESTS, _LOCK})
_DEPTH: Final = 2
"""Levels below a directory in which its records lie: history --confirm keeps searches in one."""
_BUILD: Final = re.compile(rf"[0-9a-f]{{{KEY_CHARACTERS}}}")
_MAGIC: Final = b"SQLite format 3\0"
_ID_AT: Final = 68
"""Of the application id in the header of SQLite (File Format, 1.3)."""
_LARGEST_REQUEST: Final = 2**20


def clean(environ: Mapping[str, str], older_than_s: float, *, remove: bool) -> Cleaning:
    """Return what is older, and remove it where that is requested.

    Parameters
    ----------
    environ : Mapping
        Says where the user's directories are.
    older_than_s : float
        At least ``LEAST_S``.

    Raises
    ------
    UsageError
        A shorter time.
    MachineError
        The user has no home.
    """
    if older_than_s < LEAST_S:
        raise UsageError(
            "--older-than: what changed within the last hour may be in use", hint="--older-than 1h or more"
        )
    state, builds = locate_state(environ), locate_cache(environ) / "build"
    places = [*((command, state / command) for command in _COMMANDS), ("build", builds)]
    old: list[Leftover] = []
    younger: list[Leftover] = []
    foreign: list[str] = []
    now_s = time.time()
    for command, place in places:
        least_s = max(older_than_s, _LEAST_OF_BUILDS_S) if command == "build" else older_than_s
        # The way to it is the user's, and may have links; the last step and all below are ours.
        if place.is_symlink():
            foreign.append(os.fspath(place))
            continue
        with suppress(OSError), open_directory(os.fspath(place)) as parent:
            for name in list_names(parent):
                leftover = _inspect(command, place, parent, name, now_s)
                if leftover is None:
                    if not (command == "build" and _BUILD.match(name) and "." in name):
                        foreign.append(os.fspath(place / name))
                elif leftover.age_s < least_s:
                    younger.append(leftover)
                else:
                    old.append(_remove(leftover, parent, name) if remove else leftover)
    return Cleaning(
        older_than_s=older_than_s,
        directories=(os.fspath(state), os.fspath(builds)),
        leftovers=tuple(sorted(old, key=lambda it: -it.age_s)),
        younger=len(younger),
        younger_bytes=sum(it.size_bytes for it in younger),
        foreign=tuple(foreign),
    )


def _inspect(command: str, place: Path, parent: int, name: str, now_s: float) -> Leftover | None:
    """Return what an entry is; ``None`` for what is not ours."""
    try:
        with open_directory(name, parent) as directory:
            if os.fstat(directory).st_uid != os.geteuid():
                return None
            is_ours = _is_build(parent, name) if command == "build" else _is_ours(directory, _DEPTH)
            if not is_ours:
                return None
            facts = measure_tree(directory)
    except (OSError, RecursionError):
        return None
    changed_s = facts.changed_s
    if command == "build":
        with suppress(OSError):
            changed_s = os.stat(f"{name}.complete", dir_fd=parent, follow_symlinks=False).st_mtime
    return Leftover(command, os.fspath(place / name), facts.size_bytes, max(0.0, now_s - changed_s))


def _is_build(parent: int, name: str) -> bool:
    if not _BUILD.fullmatch(name):
        return False
    with suppress(OSError):
        return stat.S_ISREG(os.stat(f"{name}.lock", dir_fd=parent, follow_symlinks=False).st_mode)
    return False


def _is_ours(directory: int, depth: int) -> bool:
    """Whether an open directory is a record, of a gate or a search, or has such directories in it."""
    header = _read(directory, FILE, _ID_AT + 4)
    if header.startswith(_MAGIC) and header[_ID_AT:] == APPLICATION_ID.to_bytes(4, "big"):
        return True
    for file, request in _REQUESTS.items():
        with suppress(msgspec.MsgspecError, UnicodeDecodeError):
            msgspec.json.decode(_read(directory, file, _LARGEST_REQUEST), type=request)
            return True
    if not depth:
        return False
    for name in list_names(directory):
        with suppress(OSError), open_directory(name, directory) as child:
            if _is_ours(child, depth - 1):
                return True
    return False


def _read(directory: int, name: str, most: int) -> bytes:
    """Return the beginning of a plain file; nothing of anything else."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(name, flags, dir_fd=directory)
    except OSError:
        return b""
    try:
        return os.read(descriptor, most) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    finally:
        os.close(descriptor)


def _remove(leftover: Leftover, parent: int, name: str) -> Leftover:
    """Remove an entry while its locks are ours, or say why it is kept."""
    path = Path(leftover.path)
    try:
        with ExitStack() as held:
            if leftover.command == "build":
                held.enter_context(hold_build(path))
            else:
                for lock in _locks(path, _DEPTH):
                    held.enter_context(WriterLock(lock))
            if (pid := _user_of(path)) is not None:
                return replace(leftover, fate="kept", reason=f"process {pid} runs in it")
            if leftover.command == "build":
                # Without it, a build that is half gone is no complete one.
                with suppress(FileNotFoundError):
                    os.unlink(f"{name}.complete", dir_fd=parent)
            remove_tree(name, parent, _MARKS.__contains__)
            if leftover.command == "build":
                with suppress(FileNotFoundError):
                    os.unlink(f"{name}.log", dir_fd=parent)
    except SteelyardError as error:
        return replace(leftover, fate="kept", reason=error.message)
    except OSError as error:
        return replace(leftover, fate="kept", reason=f"{error.strerror}: {error.filename}")
    except RecursionError:
        return replace(
            leftover, fate="kept", reason="directories in it are nested too deeply: rm -r removes it"
        )
    return replace(leftover, fate="removed")


def _locks(directory: Path, depth: int) -> Iterator[Path]:
    """Yield the locks of a record or a search, and of those in it; a link is none."""
    lock = directory / _LOCK
    if lock.is_file() and not lock.is_symlink():
        yield lock
    for child in directory.iterdir() if depth else ():
        if child.is_dir() and not child.is_symlink():
            yield from _locks(child, depth - 1)


def _user_of(directory: Path) -> int | None:
    """Return a process whose program or working directory lies in this directory; ``None`` without one."""
    real = directory.resolve()
    for process in Path("/proc").iterdir():
        if not process.name.isdecimal() or int(process.name) == os.getpid():
            continue
        for link in ("exe", "cwd"):
            with suppress(OSError):
                if (process / link).readlink().is_relative_to(real):
                    return int(process.name)
    return None
