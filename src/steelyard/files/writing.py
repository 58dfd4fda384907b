"""The one writer of files that a user names as outputs.

A file is there complete or as it was: it is written beside its place and renamed, and keeps its mode and its
owner. A link is followed; pipes and devices (``/dev/stdout``) are written into. Nothing is written into a
record, onto the spec of a record, onto a program, or onto a file that ``protecting`` names as an input.
A file that ``holding`` names is written only where it led when the block began: a measured program may have
put a link in its place.
"""

from __future__ import annotations

import errno
import os
import shlex
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO, Final

from steelyard.core.errors import UsageError
from steelyard.files.system import OPENED

RECORD_FILE: Final = "record.sqlite"
"""File that makes a directory a record."""

STDOUT: Final = Path("/dev/stdout")
"""Standard output, for which users write ``-``: written to as it is open, so that ``>>`` appends."""

_STREAMS: Final = ("/dev/std", "/dev/fd/", "/proc/")
_PROGRAMS: Final = (b"\x7fELF", b"#!")
_UNRENAMABLE: Final = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY)
"""Error numbers of a directory that cannot be written, and of a file that is mounted by itself."""

Identity = tuple[int, int]
"""Device and inode, which all names of a file share."""

_INPUTS: ContextVar[dict[Identity, Path]] = ContextVar("inputs", default={})  # noqa: B039 -- never changed


@contextmanager
def protecting(inputs: Iterable[Path]) -> Iterator[None]:
    """Let nothing be written onto these files inside the block, whatever name they are reached by."""
    identities: dict[Identity, Path] = {}
    for path in inputs:
        with suppress(OSError, ValueError):
            status = path.stat()
            if stat.S_ISREG(status.st_mode):
                identities.setdefault((status.st_dev, status.st_ino), path)
    token = _INPUTS.set({**_INPUTS.get(), **identities})
    try:
        yield
    finally:
        _INPUTS.reset(token)


Place = tuple[Path, bool]
"""File to which a path leads, and whether it is a pipe, a device or a stream."""

_PLACES: ContextVar[dict[Path, Place]] = ContextVar("places", default={})  # noqa: B039 -- never changed


@contextmanager
def holding(outputs: Iterable[Path]) -> Iterator[None]:
    """Let these files, and those in directories among them, be written only where they lead now."""
    places: dict[Path, Place] = {}
    for path in map(_make_absolute, outputs):
        with suppress(OSError, RuntimeError):
            places[path] = _locate(path)
            if path.is_dir():
                places |= {link: _locate(link) for link in path.iterdir() if link.is_symlink()}
    token = _PLACES.set({**_PLACES.get(), **places})
    try:
        yield
    finally:
        _PLACES.reset(token)


def write_output(file: Path, content: str | bytes) -> None:
    """Write a whole file; characters that UTF-8 cannot express become question marks.

    Raises
    ------
    UsageError
        The file cannot be written, or must not be, as ``open_output`` says.
    """
    with open_output(file) as out:
        out.write(content if isinstance(content, bytes) else content.encode("utf-8", "replace"))


@contextmanager
def open_output(file: Path) -> Iterator[BinaryIO]:
    """Open a file for writing, to be there complete when the block ends without an exception.

    Raises
    ------
    UsageError
        The file cannot be written, or must not be (``refuse_output``).
    """
    _refuse_moved(file)
    refuse_output(file)
    try:
        with _in_place(file) if _is_special(file) else _replacing(file.resolve()) as out:
            yield out
    except OSError as error:
        raise _make_unwritable(str(file), file, error) from error


def refuse_output(file: Path, option: str = "") -> None:
    """Refuse a file that cannot or must not be written, before anything runs for it.

    Parameters
    ----------
    option : str, optional
        Named in the message: ``--junit``.

    Raises
    ------
    UsageError
        It is inside a record, an input, a program or a directory, or the system does not let it be written.
    """
    if file == STDOUT:
        return
    text = f"{option} {file}".strip()
    try:
        refuse_inside_record(file, option)
        place = file.resolve()
        try:
            status = file.stat()  # of a stream, which no path leads to that its link names
        except FileNotFoundError:
            status = None
        if status is not None:
            _refuse_precious(text, file, status)
        if not _is_special(file):
            with _beside(place):
                pass
        elif status is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    except (OSError, RuntimeError) as error:
        raise _make_unwritable(text, file, error) from None


def _make_absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 -- links stay


def _locate(file: Path) -> Place:
    return file.resolve(), _is_special(file)


def _refuse_moved(file: Path) -> None:
    """Refuse a file that leads elsewhere than when ``holding`` began."""
    path, places = _make_absolute(file), _PLACES.get()
    place = places.get(path)
    directory = next((parent for parent in path.parents if parent in places), None)
    if place is None and directory is not None:
        place = places[directory][0] / path.relative_to(directory), False
    if place is None or file == STDOUT:
        return
    try:
        present = _locate(path)
    except (OSError, RuntimeError) as error:
        raise _make_unwritable(str(file), file, error) from None
    if present != place:
        kind = "is now a pipe or a device" if present[0] == place[0] else f"now leads to {present[0]}"
        raise UsageError(
            f"{file} {kind}, other than when this command began; nothing was written to it",
            hint=f"a measured program may have put it there: ls -l {shlex.quote(str(file))}; then remove it",
        )


def refuse_inside_record(path: Path, option: str = "") -> None:
    """Refuse a path inside a record.

    Raises
    ------
    UsageError
    """
    place = path.resolve()
    record = next((parent for parent in place.parents if (parent / RECORD_FILE).is_file()), None)
    if record is not None:
        raise UsageError(
            f"{option} {path} is inside the record {record.name}, which only Steelyard writes to".lstrip(),
            hint=f"name a path outside of it: {shlex.quote(str(record.with_name(place.name)))}",
        )


def _refuse_precious(option: str, file: Path, status: os.stat_result) -> None:
    """Refuse to write onto what the command reads, or what nobody means to be replaced."""
    place = file.resolve()
    source = _INPUTS.get().get((status.st_dev, status.st_ino))
    reason = None
    if source is not None:
        reason = f"is an input of this command ({source})"
    elif place.suffix == ".toml" and (place.with_suffix(".lab") / RECORD_FILE).is_file():
        reason = f"is the spec of the record {place.with_suffix('.lab').name}"
    elif stat.S_ISREG(status.st_mode) and status.st_mode & 0o111 and _is_program(file):
        reason = "is a program"
    if reason is not None:
        raise UsageError(f"{option} {reason}, and would be replaced", hint="name another file")
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not os.access(file, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _is_program(file: Path) -> bool:
    with suppress(OSError), file.open("rb") as content:
        return content.read(4).startswith(_PROGRAMS)
    return False


def _is_special(file: Path) -> bool:
    """Whether a file is a pipe or a device, or is reached through a stream (``/dev/stdout``).

    A rename would put a file in its place.
    """
    hop = Path(os.path.abspath(file))  # noqa: PTH100 -- links are followed one by one
    for _ in range(40):
        if str(hop).startswith(_STREAMS):
            return True
        if not hop.is_symlink():
            break
        hop = Path(os.path.abspath(hop.parent / hop.readlink()))  # noqa: PTH100
    return file.exists() and not file.is_file()


@contextmanager
def _in_place(file: Path) -> Iterator[BinaryIO]:
    if file == STDOUT:
        sys.stdout.flush()
    # A reader who leaves (``--junit /dev/stdout | head``) is no failure of the command.
    with (
        suppress(BrokenPipeError),
        os.fdopen(os.dup(1), "wb") if file == STDOUT else file.open("wb") as out,
    ):
        yield out


@contextmanager
def _beside(place: Path) -> Iterator[tuple[BinaryIO, Path | None]]:
    """Open a new file in the directory of ``place``; where there can be none, the file itself, as it is."""
    unfinished = place.with_name(f".steelyard-{os.getpid()}-{os.urandom(4).hex()}")
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | OPENED, 0o666)
    except OSError as error:
        if error.errno not in _UNRENAMABLE or not place.exists():
            raise
        with place.open("r+b") as out:
            yield out, None
        return
    try:
        with os.fdopen(descriptor, "wb") as out:
            yield out, unfinished
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def _replacing(place: Path) -> Iterator[BinaryIO]:
    with _beside(place) as (out, unfinished):
        if unfinished is None:
            out.truncate()
            yield out
            return
        with suppress(FileNotFoundError):
            status = place.stat()
            _keep_owner(out, status)
        yield out
        out.close()  # Windows renames no file that is open
        try:
            unfinished.replace(place)
        except OSError as error:
            if error.errno not in _UNRENAMABLE:
                raise
            place.write_bytes(unfinished.read_bytes())


def _keep_owner(out: BinaryIO, status: os.stat_result) -> None:
    """Give a new file the owner and the mode of the one that it replaces, where the system has these."""
    if hasattr(os, "fchown"):
        with suppress(PermissionError):
            os.fchown(out.fileno(), status.st_uid, status.st_gid)
        os.fchmod(out.fileno(), stat.S_IMODE(status.st_mode))


def _make_unwritable(option: str, file: Path, error: OSError | RuntimeError) -> UsageError:
    if isinstance(error, RuntimeError):  # of ``Path.resolve`` about a circle of links
        return UsageError(
            f"{option}: cannot be written: a circle of symbolic links", hint="name another file"
        )
    hint = "name a file that you may write"
    if error.errno == errno.ENOENT:
        hint = f"mkdir -p {shlex.quote(str(file.parent))}, or name a file that you may write"
    elif error.errno in (errno.ENOSPC, errno.EDQUOT):
        hint = "make room, or name a file on another file system"
    elif error.errno == errno.EFBIG:
        hint = "raise the limit of file sizes: ulimit -f unlimited"
    elif error.errno == errno.EISDIR:
        hint = "name a file, not a directory"
    return UsageError(f"{option}: cannot be written: {error.strerror or error}", hint=hint)
