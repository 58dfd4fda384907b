"""``Location``: the place of a lake, a directory or whatever fsspec opens; files are there whole or not."""

from __future__ import annotations

import errno
import os
import re
import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any, Final

from steelyard.core.errors import MachineError, SteelyardError, UsageError
from steelyard.files.plain import NotPlainError, open_plain, read_plain, refuse_replaced
from steelyard.files.urls import find_directory, find_secrets, is_url, strip_secrets
from steelyard.store.file_lock import lock_file

EXTRA: Final = "install the extra for lakes: pip install '.[lake]' in the checkout"
"""Hint where a package is missing."""

LARGEST_TABLE: Final = 1 << 31
"""Bytes of a table that are read; a trial takes some 100."""
_UNFINISHED: Final = ".unfinished"
_PATIENCE_S: Final = 60.0
"""Time that another export may take for one file."""


class Location:
    """A directory or a URL, and the files below it.

    Parameters
    ----------
    place : Path or str
        A URL is a text.

    Attributes
    ----------
    label : str
        The place of the whole lake, as errors and output name it, without secrets.
    prefix : str
        ``spec=SHA`` or ``spec=SHA/day=YYYY-MM-DD`` where only these records are meant; empty for all.
    directory : Path or None
        ``None`` where it is not a directory of this machine.

    Raises
    ------
    UsageError
        A URL that fsspec cannot open.
    MachineError
        fsspec, or what it needs for this kind of URL, is not installed.
    """

    def __init__(self, place: Path | str) -> None:
        self.directory: Path | None = None
        self.label = str(place)
        self._url = ""
        if isinstance(place, str) and is_url(place):
            self.label, self._url = strip_secrets(place), place
            self.directory = find_directory(place)
        else:
            self.directory = Path(place)
        base_label, self.prefix = _split(self.label)
        if self.directory is None:
            self._files, self._root = self._open()
            self._root = _split(self._root)[0]
            self.label = base_label
        elif self.prefix:
            self.directory = self.directory.absolute().parents[self.prefix.count("/")]
            self.label = base_label

    def _open(self) -> tuple[Any, str]:
        try:
            import fsspec
        except ImportError:
            raise MachineError(f"{self.label} needs fsspec, which is not installed", hint=EXTRA) from None
        with self._explained():
            files, root = fsspec.core.url_to_fs(self._url)
        return files, str(root).rstrip("/")

    def list_files(self) -> list[str]:
        """Names of all files below, with ``/`` between their parts, in order.

        Raises
        ------
        UsageError
            It cannot be read.
        """
        with self._explained():
            if self.directory is None:
                names_found = self._files.find(f"{self._root}/{self.prefix}".rstrip("/"))
                return sorted(str(name).removeprefix(self._root).lstrip("/") for name in names_found)
            names: list[str] = []
            for at, directories, files in os.walk(self.directory / self.prefix, onerror=_raise):
                below = Path(at).relative_to(self.directory)
                for entry in directories:
                    if entry.startswith(("spec=", "reports=", "day=")) and Path(at, entry).is_symlink():
                        raise self._make_not_plain((below / entry).as_posix(), "a symbolic link")
                names += [(below / entry).as_posix() for entry in files]
            return sorted(names)

    def read(self, name: str, *, largest: int = LARGEST_TABLE) -> bytes:
        """Return the content of a file, to which no link leads.

        Parameters
        ----------
        largest : int
            Bytes that are accepted.

        Raises
        ------
        UsageError
            It cannot be read, is larger, is no plain file, or lies elsewhere.
        """
        self._refuse_elsewhere(name)
        with self._explained():
            if self.directory is None:
                file = f"{self._root}/{name}"
                if (self._files.size(file) or 0) > largest:
                    raise OSError(
                        errno.EFBIG, f"{name} is larger than {largest:,} bytes, the most that is read"
                    )
                return bytes(self._files.cat_file(file))
            try:
                content = read_plain(
                    self.directory / name, within=self.directory, largest=largest, may_have_names=True
                )
            except NotPlainError as error:
                raise self._make_not_plain(name, error.kind) from None
            if content is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            return content

    def write(self, name: str, content: bytes) -> None:
        """Write a file that is there whole or as it was: by a rename in a directory, at once elsewhere.

        Raises
        ------
        UsageError
            It cannot be written, would lie elsewhere, or a link is in the way.
        """
        self._refuse_elsewhere(name)
        with self._explained(writing=True):
            if self.directory is None:
                parent = str(PurePosixPath(f"{self._root}/{name}").parent)
                self._files.makedirs(parent, exist_ok=True)
                self._files.pipe_file(f"{self._root}/{name}", content)
                return
            self.directory.mkdir(parents=True, exist_ok=True)
            try:
                self._make_directories(self.directory, PurePosixPath(name).parent)
                self._write_whole(self.directory / name, self.directory, content)
            except NotPlainError as error:
                raise self._make_not_plain(name, error.kind) from None

    def _make_directories(self, directory: Path, below: PurePosixPath) -> None:
        """Make the directories of a file, none of them through a link."""
        for part in below.parts:
            directory /= part
            if directory.is_symlink():
                raise self._make_not_plain(below.as_posix(), "a symbolic link")
            directory.mkdir(exist_ok=True)

    def _write_whole(self, file: Path, within: Path, content: bytes) -> None:
        """Write a file under another name, and rename it when it is on the disk.

        The other name is one for all who write this file, so that the next replaces what a killed one left.
        Who writes has its lock, and others wait: they would write into a file that has been renamed.
        """
        refuse_replaced(file, may_have_names=True)
        unfinished = file.with_name(f".{file.name}{_UNFINISHED}")
        deadline_s = time.monotonic() + _PATIENCE_S
        while (descriptor := _open_locked(unfinished, within)) is None:
            if time.monotonic() > deadline_s:
                raise TimeoutError(
                    errno.ETIMEDOUT, f"another export has been writing {file.name} for a minute"
                )
            time.sleep(0.01)
        with os.fdopen(descriptor, "wb") as out:
            out.truncate()
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
            unfinished.replace(file)

    def _refuse_elsewhere(self, name: str) -> None:
        """Refuse a name that is not one below this place: names are made of what records say."""
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name or not path.parts:
            raise UsageError(
                f"{self.label}: {name!r} is not the name of a file below it",
                hint="a record with such an id was changed by another program: measure it again",
            )

    def _make_not_plain(self, name: str, kind: str) -> UsageError:
        place = f"{self.label}/{name}"
        return UsageError(
            f"{place} is {kind} or lies behind one, which is not followed",
            hint=f"put the file itself there, or remove it: rm {shlex.quote(place)}",
        )

    @contextmanager
    def _explained(self, *, writing: bool = False) -> Iterator[None]:
        """Whatever a file system of others raises, in a sentence without secrets."""
        try:
            yield
        except SteelyardError:
            raise
        except ImportError as error:
            raise MachineError(
                f"{self.label} needs a package that is not installed: {self._strip_secrets(str(error))}",
                hint=EXTRA,
            ) from None
        except Exception as error:  # noqa: BLE001 -- of packages of others, which raise what they like
            verb = "written" if writing else "read"
            reason = self._strip_secrets(
                getattr(error, "strerror", None) or str(error) or type(error).__name__
            )
            place = shlex.quote(self.label)
            hint = f"check the permissions: ls -ld {place}"
            if self.directory is None:
                hint = "see whether its credentials are right, and whether fsspec opens it without Steelyard"
            raise UsageError(f"{self.label} cannot be {verb}: {reason}", hint=hint) from None

    def _strip_secrets(self, text: str) -> str:
        """Return the text without what the URL has besides a host and a path."""
        text = text.replace(self._url, self.label) if self._url else text
        for secret in find_secrets(self._url):
            text = text.replace(secret, "…")
        return text


def _open_locked(file: Path, within: Path) -> int | None:
    """Return a descriptor of the file with its lock; ``None`` where another process has it.

    A file system without locks gives none: exports of one record at once are then in each other's way.
    """
    try:
        descriptor = open_plain(file, os.O_WRONLY | os.O_CREAT, within=within)
    except (FileExistsError, FileNotFoundError):  # another has made or renamed it since it was looked for
        return None
    try:
        with suppress(OSError):
            try:
                lock_file(descriptor)
            except BlockingIOError:
                os.close(descriptor)
                return None
        if os.path.samestat(os.fstat(descriptor), file.lstat()):
            return descriptor
    except FileNotFoundError:
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)  # it was renamed before the lock was free
    return None


def _split(place: str) -> tuple[str, str]:
    """Return the place of a whole lake, and what of it is meant."""
    base_label, *rest = re.split(r"/(?=(?:spec|reports)=[^/]*(?:/day=[^/]*)?/?\Z)", place)
    return (base_label, rest[0].rstrip("/")) if rest else (place, "")


def _raise(error: OSError) -> None:
    raise error
