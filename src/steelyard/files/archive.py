"""Archives of files with their checksums, the same bytes for the same files."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from steelyard.core.errors import UsageError
from steelyard.files.writing import write_output

CHECKSUMS: Final = "SHA256SUMS"
"""Name of the list of checksums in an archive, as ``sha256sum --check`` reads it."""
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a ZIP file can say: times of files would make each archive another one."""


def write_archive(file: Path, root: str, members: Mapping[str, bytes]) -> None:
    """Write a ZIP file of one directory and the checksums of everything in it.

    Parameters
    ----------
    root : str
        Name of the directory.
    members : Mapping of str to bytes
        By their paths below the directory.

    Raises
    ------
    UsageError
        The file cannot be written, or is an input.
    """
    sums = "".join(f"{hashlib.sha256(members[name]).hexdigest()}  {name}\n" for name in sorted(members))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted({**members, CHECKSUMS: sums.encode()}.items()):
            entry = zipfile.ZipInfo(f"{root}/{name}", _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    write_output(file, buffer.getvalue())


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
