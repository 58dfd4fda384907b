"""Archives of files with their checksums, the same bytes for the same files."""

from __future__ import annotations

import hashlib
import io
import stat
import zipfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Final

from steelyard.core.errors import UsageError
from steelyard.files.writing import write_output

CHECKSUMS: Final = "SHA256SUMS"
"""Name of the list of checksums in an archive, as ``sha256sum --check`` reads it."""
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a ZIP file can say: times of files would make each archive another one."""
_UNIX: Final = 3
_DOS_DIRECTORY: Final = 0x10
"""System of an entry, whose modes are then read, and how all systems know a directory."""


def write_archive(
    file: Path,
    root: str,
    members: Mapping[str, bytes],
    *,
    executable: Collection[str] = (),
    directories: Collection[str] = (),
) -> None:
    """Write a ZIP file of one directory and the checksums of everything in it.

    Parameters
    ----------
    root : str
        Name of the directory.
    members : Mapping of str to bytes
        By their paths below the directory.
    executable : collection of str
        Members that may be executed; ``unzip`` keeps that, Python's ``zipfile`` does not.
    directories : collection of str
        Directories that are there although they may be empty.

    Raises
    ------
    UsageError
        The file cannot be written, or is an input.
    """
    sums = "".join(f"{hashlib.sha256(members[name]).hexdigest()}  {name}\n" for name in sorted(members))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        entries = {**members, name_checksums(members): sums.encode()}
        entries |= {f"{name}/": b"" for name in directories}
        for name, content in sorted(entries.items()):
            entry = zipfile.ZipInfo(f"{root}/{name}", _EPOCH)
            entry.create_system = _UNIX
            entry.compress_type = zipfile.ZIP_DEFLATED
            if name.endswith("/"):
                entry.external_attr = (stat.S_IFDIR | 0o755) << 16 | _DOS_DIRECTORY
            else:
                entry.external_attr = (stat.S_IFREG | (0o755 if name in executable else 0o644)) << 16
            archive.writestr(entry, content)
    write_output(file, buffer.getvalue())


def name_checksums(members: Collection[str]) -> str:
    """Return the name of the list of checksums, which is another one where a member has it."""
    return f"steelyard-{CHECKSUMS}" if CHECKSUMS in members else CHECKSUMS


def read_members(directory: Path, leave_out: Iterable[str] = ()) -> dict[str, bytes]:
    """Read every regular file of a directory, by its path below it.

    Raises
    ------
    UsageError
        A file cannot be read.
    """
    out: dict[str, bytes] = {}
    for path in sorted(directory.rglob("*")):
        name = path.relative_to(directory).as_posix()
        if path.is_symlink() or not path.is_file() or name in leave_out:
            continue
        try:
            out[name] = path.read_bytes()
        except OSError as error:
            raise UsageError(
                f"{path}: cannot be read: {error.strerror}", hint="permit it, or recover the record"
            ) from None
    return out
