"""``Location``: the place of a lake, a directory or whatever fsspec opens; files are there whole or not."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, Final

from steelyard.core.errors import MachineError, SteelyardError, UsageError
from steelyard.files.urls import find_directory, find_secrets, is_url, strip_secrets

EXTRA: Final = "install the extra for lakes: pip install '.[lake]' in the checkout"
"""Hint where a package is missing."""

_UNFINISHED: Final = ".unfinished"


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
            base = str(self.directory)
            return sorted(
                f"{at}{os.sep}{name}"[len(base) + 1 :].replace(os.sep, "/")
                for at, _, names in os.walk(self.directory / self.prefix, onerror=_raise)
                for name in names
            )

    def read(self, name: str) -> bytes:
        """Return the content of a file; errors as ``list_files``."""
        with self._explained():
            if self.directory is None:
                return bytes(self._files.cat_file(f"{self._root}/{name}"))
            return (self.directory / name).read_bytes()

    def write(self, name: str, content: bytes) -> None:
        """Write a file that is there whole or as it was: by a rename in a directory, at once elsewhere.

        Raises
        ------
        UsageError
            It cannot be written.
        """
        with self._explained(writing=True):
            if self.directory is None:
                parent = str(PurePosixPath(f"{self._root}/{name}").parent)
                self._files.makedirs(parent, exist_ok=True)
                self._files.pipe_file(f"{self._root}/{name}", content)
                return
            file = self.directory / name
            file.parent.mkdir(parents=True, exist_ok=True)
            # Of one name for all who write this file: what one of them leaves that is killed, the next
            # replaces, and all write the same.
            unfinished = file.with_name(f".{file.name}{_UNFINISHED}")
            with unfinished.open("wb") as out:
                out.write(content)
                out.flush()
                os.fsync(out.fileno())
            unfinished.replace(file)

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


def _split(place: str) -> tuple[str, str]:
    """Return the place of a whole lake, and what of it is meant."""
    base_label, *rest = re.split(r"/(?=spec=[^/]*(?:/day=[^/]*)?/?\Z)", place)
    return (base_label, rest[0].rstrip("/")) if rest else (place, "")


def _raise(error: OSError) -> None:
    raise error
