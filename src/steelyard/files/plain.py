"""The only way to files of ours that a measured program can replace: by name in a directory that is open.

No link is followed, and what is read, written or removed is a plain file with one name. Anything else (a
symbolic link, a pipe, a directory, a device, a hard link) is refused in words and stays as it is, so that no
program makes us write to a file elsewhere. ``native/runner/plain_file.hpp`` is the same for the runner.
"""

from __future__ import annotations

import errno
import os
import shlex
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from steelyard.core.errors import RecordError
from steelyard.files.system import OPENED, WITHOUT_WAITING

_NO_LINK: Final[int] = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY: Final[int] = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | OPENED
_BY_DIRECTORY: Final = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd
_CHUNK: Final = 2**20

_KINDS: Final = {
    errno.ELOOP: "a symbolic link",
    errno.EISDIR: "a directory",
    errno.ESPIPE: "a named pipe",
    errno.ENOTBLK: "a device",
    errno.ENOTSOCK: "a socket",
    errno.EMLINK: "a file that has another name too (a hard link)",
    errno.ENOTDIR: "behind a symbolic link or a file",
}
"""Kinds of the runner, which has a number of an error for each."""


class NotPlainError(RecordError):
    """Something else has the name of a file of ours; it was neither read nor changed.

    Attributes
    ----------
    kind : str
        Its words: "a symbolic link".
    """

    def __init__(self, message: str, *, hint: str | None = None, kind: str = "") -> None:
        super().__init__(message, hint=hint)
        self.kind = kind


def describe_kind(number: int) -> str | None:
    """Return the words of a kind that is no plain file with one name; ``None`` where it is another error."""
    return _KINDS.get(number)


def open_plain(
    path: Path,
    flags: int,
    *,
    within: Path | None = None,
    mode: int = 0o666,
    may_have_names: bool = False,
) -> int:
    """Open a plain file with one name, and return the descriptor.

    It is emptied (``O_TRUNC``) only when it was found to be one, and created (``O_CREAT``) only where nothing
    is.

    Parameters
    ----------
    flags : int
        As for ``os.open``.
    within : Path, optional
        Directory above it, below which no directory is reached through a link; by default, its own.
    mode : int
        Of a new file.
    may_have_names : bool
        Whether hard links are no reason to refuse it: it is only read.

    Raises
    ------
    NotPlainError
        Something else is there, or a directory below ``within`` is a link.
    OSError
        As for ``os.open``.
    """
    with _open_parent(path, within) as (directory, name):
        return _open(path, directory, name, flags, mode, may_have_names=may_have_names)


def read_plain(
    path: Path,
    *,
    within: Path | None = None,
    most: int | None = None,
    largest: int | None = None,
    may_have_names: bool = False,
) -> bytes | None:
    """Read a file; ``None`` where nothing is.

    Parameters
    ----------
    most : int, optional
        Bytes that are read, from its end.
    largest : int, optional
        Bytes that a file may have; a larger one is refused unread.

    Raises
    ------
    NotPlainError, OSError
        As ``open_plain``; ``OSError`` (``EFBIG``) of a file that is larger than ``largest``.
    """
    try:
        descriptor = open_plain(path, os.O_RDONLY, within=within, may_have_names=may_have_names)
    except FileNotFoundError:
        return None
    try:
        if largest is not None and os.fstat(descriptor).st_size > largest:
            raise OSError(errno.EFBIG, f"larger than {largest:,} bytes, the most that is read", str(path))
        if most is not None:
            os.lseek(descriptor, max(0, os.fstat(descriptor).st_size - most), os.SEEK_SET)
        return b"".join(iter(lambda: os.read(descriptor, _CHUNK), b""))
    finally:
        os.close(descriptor)


def write_plain(path: Path, content: bytes, *, within: Path | None = None, mode: int = 0o666) -> None:
    """Write a file, complete or not at all: a new one beside it takes its name.

    Raises
    ------
    NotPlainError, OSError
        As ``open_plain``.
    """
    with _open_parent(path, within) as (directory, name):
        _refuse_other_kind(path, directory, name)
        head, base = os.path.split(name)  # a path where directories cannot be held
        unfinished = os.path.join(head, f".{base}-{os.getpid()}-{os.urandom(4).hex()}")  # noqa: PTH118
        descriptor = _open(path, directory, unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            with os.fdopen(descriptor, "wb") as out:
                out.write(content)
            os.replace(unfinished, name, src_dir_fd=directory, dst_dir_fd=directory)
        except BaseException:
            with suppress(OSError):
                os.unlink(unfinished, dir_fd=directory)
            raise


def remove_plain(path: Path, *, within: Path | None = None) -> None:
    """Remove a file; nothing happens where nothing is.

    Raises
    ------
    NotPlainError, OSError
        As ``open_plain``.
    """
    with suppress(FileNotFoundError), _open_parent(path, within) as (directory, name):
        _refuse_other_kind(path, directory, name)
        os.unlink(name, dir_fd=directory)


def make_directory(directory: Path, *, within: Path) -> None:
    """Make a directory below another one, with those between them; no link among them is followed.

    Raises
    ------
    NotPlainError, OSError
        As ``open_plain``.
    """
    parts = directory.relative_to(within).parts
    within.mkdir(parents=True, exist_ok=True)
    for count in range(1, len(parts) + 1):
        path = within.joinpath(*parts[:count])
        with suppress(FileExistsError):
            path.mkdir()
        with _open_parent(path / "entry", within):
            pass


def refuse_replaced(*paths: Path, may_have_names: bool = False) -> None:
    """Refuse files that others will open by path, such as those of a database; they may be absent.

    Parameters
    ----------
    may_have_names : bool
        Whether hard links are no reason: they are only read.

    Raises
    ------
    NotPlainError
    """
    for path in paths:
        with suppress(FileNotFoundError):
            if number := _find_kind(path.lstat(), may_have_names=may_have_names):
                raise _make_error(path, number)


@contextmanager
def _open_parent(path: Path, within: Path | None) -> Iterator[tuple[int | None, str]]:
    """Give the descriptor of the directory of a path, and the name there; no descriptor on Windows."""
    if not _BY_DIRECTORY:
        yield None, str(path)
        return
    root = path.parent if within is None else within
    *directories, name = path.relative_to(root).parts
    if within is not None and ".." in (*directories, name):
        raise _make_error(path, 0, f"file below {root}")
    descriptor = os.open(root, _DIRECTORY)
    try:
        for part in directories:
            root /= part
            try:
                inner = os.open(part, _DIRECTORY | _NO_LINK, dir_fd=descriptor)
            except NotADirectoryError:
                is_link = stat.S_ISLNK(os.lstat(part, dir_fd=descriptor).st_mode)
                raise _make_error(root, errno.ELOOP if is_link else 0, "directory") from None
            os.close(descriptor)
            descriptor = inner
        yield descriptor, name
    finally:
        os.close(descriptor)


def _open(
    path: Path, directory: int | None, name: str, flags: int, mode: int, *, may_have_names: bool = False
) -> int:
    careful = OPENED | WITHOUT_WAITING | _NO_LINK | getattr(os, "O_NOCTTY", 0)
    if flags & os.O_EXCL or not _refuse_other_kind(path, directory, name, may_have_names=may_have_names):
        exclusive = os.O_EXCL if flags & os.O_CREAT else 0
        return os.open(name, flags | careful | exclusive, mode, dir_fd=directory)
    descriptor = os.open(name, flags & ~(os.O_CREAT | os.O_TRUNC) | careful, dir_fd=directory)
    try:
        # Of the open file itself: the name may have come to lead elsewhere meanwhile.
        if number := _find_kind(os.fstat(descriptor), may_have_names=may_have_names):
            raise _make_error(path, number)
        if flags & os.O_TRUNC:
            os.ftruncate(descriptor, 0)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _refuse_other_kind(path: Path, directory: int | None, name: str, *, may_have_names: bool = False) -> bool:
    """Whether a plain file is there; anything else but nothing is refused, unopened."""
    try:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    if number := _find_kind(status, may_have_names=may_have_names):
        raise _make_error(path, number)
    return True


def _find_kind(status: os.stat_result, *, may_have_names: bool = False) -> int:
    """Return the number of a kind; 0 for a plain file with one name."""
    if stat.S_ISREG(status.st_mode):
        return errno.EMLINK if status.st_nlink > 1 and not may_have_names else 0
    kinds = {
        stat.S_IFLNK: errno.ELOOP,
        stat.S_IFDIR: errno.EISDIR,
        stat.S_IFIFO: errno.ESPIPE,
        stat.S_IFSOCK: errno.ENOTSOCK,
    }
    return kinds.get(stat.S_IFMT(status.st_mode), errno.ENOTBLK)


def _make_error(path: Path, number: int, noun: str = "plain file") -> NotPlainError:
    kind = _KINDS.get(number, "elsewhere" if noun.startswith("file below") else "a file")
    return NotPlainError(
        f"{path} is {kind}, not the {noun} that Steelyard keeps there; it was neither read nor changed",
        hint=f"a measured program may have put it there: ls -l {shlex.quote(str(path))}; then remove it",
        kind=kind,
    )
