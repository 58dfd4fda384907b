"""Lock of a whole file, by what the system has.

Linux has locks of an open file description, at which others can look without taking them. macOS has
``flock``. Windows locks bytes, and keeps others from reading them: one byte far behind the contents stands
for the file.
"""

from __future__ import annotations

import importlib
import os
import struct
from contextlib import suppress
from typing import Any, Final

_FLOCK: Final = struct.Struct("hhqqi4x")
"""struct flock of 64-bit Linux: l_type, l_whence, l_start, l_len, l_pid."""
_PLACE: Final = 2**30
"""Of the byte that is locked on Windows."""


def _load(name: str) -> Any:
    """Return the module, or ``None`` on a system without it."""
    with suppress(ModuleNotFoundError):
        return importlib.import_module(name)
    return None


_fcntl: Final[Any] = _load("fcntl")
_msvcrt: Final[Any] = None if _fcntl else _load("msvcrt")


def lock_file(descriptor: int) -> None:
    """Take the lock, which the kernel drops with the process.

    Raises
    ------
    BlockingIOError
        Another process has it.
    OSError
        The file system gives no locks.
    """
    if _fcntl is None:
        _lock_byte(descriptor)
    elif hasattr(_fcntl, "F_OFD_SETLK"):
        # Not ``flock``: looking at that takes it for a moment, in which a writer would be refused.
        request = _FLOCK.pack(_fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        _fcntl.fcntl(descriptor, _fcntl.F_OFD_SETLK, request)
    else:
        _fcntl.flock(descriptor, _fcntl.LOCK_EX | _fcntl.LOCK_NB)


def is_locked(descriptor: int) -> bool:
    """Whether a process has the lock; only on Linux is it found without taking the lock for a moment.

    Raises
    ------
    OSError
        The file system gives no locks.
    """
    if _fcntl is not None and hasattr(_fcntl, "F_OFD_GETLK"):
        # A read-only descriptor may ask about a read lock only; any writer's lock is in its way.
        request = _FLOCK.pack(_fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
        answer = _fcntl.fcntl(descriptor, _fcntl.F_OFD_GETLK, request)
        return bool(_FLOCK.unpack(answer)[0] != _fcntl.F_UNLCK)
    try:
        lock_file(descriptor)
    except BlockingIOError:
        return True
    unlock_file(descriptor)
    return False


def unlock_file(descriptor: int) -> None:
    """Give the lock of ``flock`` or of Windows back; that of Linux goes with the descriptor."""
    if _fcntl is None:
        os.lseek(descriptor, _PLACE, os.SEEK_SET)
        _msvcrt.locking(descriptor, _msvcrt.LK_UNLCK, 1)
    elif not hasattr(_fcntl, "F_OFD_SETLK"):
        _fcntl.flock(descriptor, _fcntl.LOCK_UN)


def _lock_byte(descriptor: int) -> None:
    os.lseek(descriptor, _PLACE, os.SEEK_SET)
    try:
        _msvcrt.locking(descriptor, _msvcrt.LK_NBLCK, 1)
    except PermissionError as error:
        raise BlockingIOError(error.errno, error.strerror) from error
