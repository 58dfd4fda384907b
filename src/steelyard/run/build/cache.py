"""The cache of built programs: one directory a key, all of equal path length, built in place.

In place, because builds write absolute paths into programs (rpath, ``__FILE__``, install prefixes), so a
directory that is renamed when it is ready would hold programs that look for another one. Whether it is
ready is said by a file beside it, which is written last and lists what was built; one process at a time
works on a key, held by a lock that the kernel drops when the process dies. Equal lengths, because the
length of a program's path moves its stack.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import MachineError
from steelyard.run.build.outputs import BuildOutput, is_as_built, output_files

KEY_CHARACTERS: Final = 16
"""Digits of the sha256 that name the directory (64 bits); the marker holds the whole key, which is compared.
"""

_FORMAT: Final = "steelyard/build"
_VERSION: Final = 1
"""Version of the marker. History: 1, the first."""


class _Marker(msgspec.Struct, frozen=True):
    format: str
    version: int
    key: str
    outputs: tuple[BuildOutput, ...]


class Entry(msgspec.Struct, frozen=True):
    """The directory of one key and the files in it."""

    root: Path
    key: str

    @property
    def directory(self) -> Path:
        """The directory that ``{build}`` stands for."""
        return self.root / self.key[:KEY_CHARACTERS]

    @property
    def log(self) -> Path:
        """Output of the build."""
        return self._place_beside("log")

    def _place_beside(self, suffix: str) -> Path:
        return self.root / f"{self.key[:KEY_CHARACTERS]}.{suffix}"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep others from this key meanwhile; wait for who works on it, at most as long as a build may take.

        Raises
        ------
        MachineError
            The cache cannot be written.
        """
        import fcntl  # which Windows lacks, where records are read

        with self._writing():
            self.root.mkdir(parents=True, exist_ok=True)
            # Never deleted: a process that opened the old file would hold a lock that nobody else sees.
            descriptor = os.open(self._place_beside("lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    @contextmanager
    def journal(self) -> Iterator[Path]:
        """Provide the path of a journal for the runner that builds; it is gone afterwards. Only while locked.

        A runner whose Python was killed holds its journal until all that it started has ended. That is
        waited for here, or else an interrupted build could still write into the directory of the next one.

        Raises
        ------
        MachineError
            The cache cannot be written.
        """
        import fcntl  # which Windows lacks, where records are read

        path = self._place_beside("journal")
        with self._writing(), path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            path.unlink()
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)

    def fault(self) -> str | None:
        """Return the reason why the directory is unusable.

        ``None`` when it holds a complete build. Only while locked.
        """
        try:
            marker = msgspec.json.decode(self._place_beside("complete").read_bytes(), type=_Marker)
        except FileNotFoundError:
            return "not built before"
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return "its marker cannot be read"
        if (marker.format, marker.version, marker.key) != (_FORMAT, _VERSION, self.key):
            return "its marker is of another version or key"
        damaged = next(
            (os.fsdecode(file.name) for file in marker.outputs if not is_as_built(self.directory, file)), None
        )
        return None if damaged is None else f"its file {damaged} is no longer as it was built"

    def note_use(self) -> None:
        """Let the marker's time be that of the latest use, which tells old builds. Only while locked."""
        with suppress(OSError):  # A cache of somebody else may be read all the same.
            os.utime(self._place_beside("complete"))

    def clear(self) -> None:
        """Make an empty directory without marker, whatever was there. Only while locked.

        Raises
        ------
        MachineError
            The cache cannot be written.
        """
        with self._writing():
            self._place_beside("complete").unlink(missing_ok=True)
            if self.directory.is_dir():
                _allow_access(self.directory)
                shutil.rmtree(self.directory)
            self.directory.mkdir()

    def complete(self) -> None:
        """Say that the directory holds what was to be built. Only while locked.

        Raises
        ------
        MachineError
            The cache cannot be written.
        """
        with self._writing():
            outputs = tuple(output_files(self.directory))
            new = self._place_beside("complete.new")
            new.write_bytes(msgspec.json.encode(_Marker(_FORMAT, _VERSION, self.key, outputs)))
            new.replace(self._place_beside("complete"))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise MachineError(
                f"the build cache {self.root} cannot be written: {error.strerror} ({error.filename})",
                hint="set XDG_CACHE_HOME to a directory with room that can be written",
            ) from error


@contextmanager
def hold_build(directory: Path) -> Iterator[None]:
    """Keep others from the build in a directory of a cache.

    Raises
    ------
    MachineError
        Another process builds there, or is about to use it.
    """
    import fcntl  # which Windows lacks, where records are read

    descriptor = os.open(
        directory.with_name(f"{directory.name}.lock"), os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    )
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise MachineError("another process builds there") from None
    finally:
        os.close(descriptor)


def _allow_access(directory: Path) -> None:
    """Allow us to empty it: some builds leave directories that may not be written."""
    directory.chmod(0o700)
    for folder, names, _ in os.walk(directory):
        for path in (Path(folder, name) for name in names):
            if not path.is_symlink():
                path.chmod(0o700)
