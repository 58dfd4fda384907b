"""What an ELF file asks for: machine, loader, libraries, versions of symbols (gABI 4.1, chapters 4 and 5)."""

from __future__ import annotations

import re
import struct
from typing import Final, NamedTuple

from wheels.failures import WheelError
from wheels.targets import GLIBC

LATEST: Final = {"GLIBC": GLIBC, "GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11)}
"""The newest symbol versions that manylinux_2_28 may ask for (PEP 600, as auditwheel's policy has them)."""
LIBRARIES: Final = frozenset(
    {
        "libc.so.6",
        "libdl.so.2",
        "libm.so.6",
        "libpthread.so.0",
        "ld-linux-x86-64.so.2",
        "ld-linux-aarch64.so.1",
    }
)
"""Parts of the C library, the only ones that our modules may load."""

_PT_LOAD: Final = 1
_PT_DYNAMIC: Final = 2
_PT_INTERP: Final = 3
_DT_NEEDED: Final = 1
_DT_STRTAB: Final = 5


class Segment(NamedTuple):
    """A program header."""

    kind: int
    offset: int
    address: int
    size: int


class Elf:
    """The headers of an ELF file of 64 bits, little-endian.

    Raises
    ------
    WheelError
        The bytes are something else.
    """

    def __init__(self, name: str, content: bytes) -> None:
        if content[:6] != b"\x7fELF\x02\x01":
            raise WheelError(f"{name} is no 64-bit ELF file: it begins with {content[:6]!r}")
        self.content = content
        (self.machine,) = struct.unpack_from("<H", content, 18)
        (table_at,) = struct.unpack_from("<Q", content, 32)
        size, count = struct.unpack_from("<HH", content, 54)
        headers = (struct.unpack_from("<IIQQQQ", content, table_at + index * size) for index in range(count))
        self.segments = [
            Segment(kind, offset, address, size) for kind, _, offset, address, _, size in headers
        ]

    def needs_libraries(self) -> bool:
        """Whether it asks for a loader or for shared libraries."""
        return any(segment.kind in {_PT_DYNAMIC, _PT_INTERP} for segment in self.segments)

    def libraries(self) -> list[str]:
        """Names of the shared libraries that are loaded with it."""
        entries = [
            struct.unpack_from("<QQ", self.content, segment.offset + at)
            for segment in self.segments
            if segment.kind == _PT_DYNAMIC
            for at in range(0, segment.size, 16)
        ]
        table = next((self._offset(value) for tag, value in entries if tag == _DT_STRTAB), 0)
        return [self._text(table + value) for tag, value in entries if tag == _DT_NEEDED]

    def newer_symbols(self) -> list[str]:
        """Symbol versions that it asks for and the tag of the wheel does not promise."""
        versions = set(re.findall(rb"\b(GLIBC|GLIBCXX|CXXABI)_([0-9]+(?:\.[0-9]+)+)\0", self.content))
        return sorted(
            f"{name.decode()}_{version.decode()}"
            for name, version in versions
            if tuple(map(int, version.split(b"."))) > LATEST[name.decode()]
        )

    def _offset(self, address: int) -> int:
        for segment in self.segments:
            if segment.kind == _PT_LOAD and 0 <= address - segment.address < segment.size:
                return segment.offset + address - segment.address
        return 0

    def _text(self, offset: int) -> str:
        return self.content[offset : self.content.index(b"\0", offset)].decode(errors="replace")
