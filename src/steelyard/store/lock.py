"""One writer at a time, known by name."""

from __future__ import annotations

import os
import shlex
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Self

import msgspec

from steelyard.core.errors import RecordBusyError, RecordError
from steelyard.files.plain import NotPlainError, open_plain
from steelyard.files.system import read_host_name
from steelyard.store.file_lock import is_locked, lock_file

_TIMEOUT_S: Final = 2.0
"""Time for a child that a killed writer had just forked: it shares the lock until it becomes another program.
"""

_PAUSE_S: Final = 0.002
_PROCESSES: Final = Path("/proc")


class LockHolder(msgspec.Struct, frozen=True):
    """The process that is running a record; ``None`` where it is not known yet."""

    pid: int | None = None
    host: str | None = None
    since: str | None = None

    @property
    def is_here(self) -> bool:
        """Whether it is a process of this host."""
        return self.pid is not None and self.host == read_host_name()

    def __str__(self) -> str:
        if self.pid is None:
            return "another process"
        return f"process {self.pid} on {self.host} since {self.since}"


def busy(directory: Path, lock_holder: LockHolder) -> RecordBusyError:
    """Return the error for a record that somebody else is running."""
    hint = (
        f"wait for it, or stop it: kill {lock_holder.pid}"
        if lock_holder.is_here
        else "wait for it, or stop it there"
    )
    if _has_died(lock_holder):
        lock = shlex.quote(str(directory / "lock"))
        hint = f"it has died, but a process that it started still holds the record: fuser {lock} names it"
    return RecordBusyError(f"{directory} is being run by {lock_holder}", hint=hint)


def _has_died(lock_holder: LockHolder) -> bool:
    if not lock_holder.is_here:
        return False
    try:
        stat = Path(_PROCESSES, str(lock_holder.pid), "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return _PROCESSES.exists()  # without a /proc, nothing is known
    except OSError:  # a /proc that hides the processes of others
        return False
    # Z, X: it has died, and its parent has not reaped it yet.
    return stat.rpartition(")")[2].split()[0] in {"Z", "X"}


class WriterLock:
    """The right to write a record: a lock of its file, which the kernel drops with its process.

    Raises
    ------
    RecordBusyError
        Another process has it.
    RecordError
        The file system refuses the file or the lock, or something else has its name (``NotPlainError``).
    """

    def __init__(self, path: Path) -> None:
        try:
            self._fd = open_plain(path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise RecordError(
                f"{path.parent} cannot be written: {error.strerror}",
                hint=f"make it writable, or work on a copy: cp -r {shlex.quote(str(path.parent))} COPY",
            ) from error
        try:
            self._take(path)
        except RecordBusyError:
            os.close(self._fd)
            raise
        except OSError as error:
            os.close(self._fd)
            raise RecordError(
                f"{path.parent}: this file system gives no locks: {error.strerror}",
                hint="keep records on a local disk",
            ) from error
        since = datetime.now(UTC).isoformat(timespec="seconds")
        self._write(msgspec.json.encode(LockHolder(os.getpid(), read_host_name(), since)))

    def _take(self, path: Path) -> None:
        patient_until = time.monotonic() + _TIMEOUT_S
        while True:
            try:
                lock_file(self._fd)
            except BlockingIOError as error:
                lock_holder = _read(self._fd)
                if not _has_died(lock_holder) or time.monotonic() > patient_until:
                    raise busy(path.parent, lock_holder) from error
                time.sleep(_PAUSE_S)
            else:
                return

    def _write(self, text: bytes) -> None:
        # On a full disk the lock is held namelessly, which is not a reason to refuse.
        with suppress(OSError):
            os.ftruncate(self._fd, 0)
            os.lseek(self._fd, 0, os.SEEK_SET)
            os.write(self._fd, text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.release()

    def release(self) -> None:
        """Let others write.

        A second call does nothing. The file stays: if it were removed, two processes could hold two of that
        name.
        """
        if self._fd >= 0:
            self._write(b"")
            os.close(self._fd)
            self._fd = -1


def holder(path: Path) -> LockHolder | None:
    """Return the holder of the lock, found without touching it; ``None`` where it is free."""
    try:
        fd = open_plain(path, os.O_RDONLY)
    except (OSError, NotPlainError):
        return None
    try:
        return _read(fd) if is_locked(fd) else None
    except OSError:
        return None
    finally:
        os.close(fd)


def _read(fd: int) -> LockHolder:
    try:
        os.lseek(fd, 0, os.SEEK_SET)
        return msgspec.json.decode(os.read(fd, 4096), type=LockHolder)
    except msgspec.DecodeError:
        return LockHolder()
