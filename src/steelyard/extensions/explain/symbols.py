"""Lines of functions and what was inlined into them: debug information of a program, by addr2line.

Programs of Go have a table of their own, which Go's addr2line reads: their debug information (DWARF 5) is
newer than binutils 2.40.
"""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

_TIMEOUT_S: Final = 60.0
_LINE: Final = re.compile(r"^(?P<file>.+):(?P<line>\d+)(?: \(discriminator \d+\))?$")
_LOADED: Final = 1
_BUILT_BY_GO: Final = b"\xff Go buildinf:"


class SourcePlace(msgspec.Struct, frozen=True):
    """A function at an address: its name, and file and line; empty and 0 where these are not known."""

    name: str
    file: str = ""
    line: int = 0


class Segment(msgspec.Struct, frozen=True):
    """Bytes of a file that are loaded: offset, length and the address for which they are linked."""

    offset: int
    length: int
    address: int


def read_segments(path: Path) -> tuple[Segment, ...]:
    """Read the loaded segments of a 64-bit little-endian ELF file; none of any other."""
    try:
        with path.open("rb") as file:
            head = file.read(64)
            if len(head) < 64 or head[:6] != b"\x7fELF\x02\x01":
                return ()
            (table,) = struct.unpack_from("<Q", head, 32)
            size, count = struct.unpack_from("<HH", head, 54)
            file.seek(table)
            content = file.read(size * count)
    except OSError:
        return ()
    if size < 56 or len(content) < size * count:
        return ()
    entries = (struct.unpack_from("<IIQQQQ", content, i * size) for i in range(count))
    return tuple(
        Segment(offset, length, address) for kind, _, offset, address, _, length in entries if kind == _LOADED
    )


def find_address(segments: Sequence[Segment], offset: int) -> int | None:
    """Return the address for which a byte of the file is linked, which is what addr2line takes."""
    for segment in segments:
        if segment.offset <= offset < segment.offset + segment.length:
            return offset - segment.offset + segment.address
    return None


def look_up(path: Path, addresses: Collection[int]) -> Mapping[int, tuple[SourcePlace, ...]]:
    """Look up addresses of a file: at each the innermost inlined function first, its physical one last.

    Empty where there is no addr2line, or it knows nothing.
    """
    if not addresses or not path.is_file():
        return {}
    if (go := shutil.which("go")) is not None and _is_go(path):
        return _read_go_places(_ask([go, "tool", "addr2line", str(path)], addresses), addresses)
    tool = shutil.which("addr2line")
    if tool is None:
        return {}
    return _read_places(_ask([tool, "-a", "-f", "-i", "-C", "-e", str(path)], addresses))


def _ask(command: Sequence[str], addresses: Collection[int]) -> list[str]:
    """Return the lines that a tool prints about addresses; none where it fails."""
    lines = "".join(f"{address:#x}\n" for address in sorted(addresses))
    try:
        done = subprocess.run(
            command,
            input=lines,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_TIMEOUT_S,
        )
    except (subprocess.TimeoutExpired, OSError):
        return []
    return done.stdout.splitlines()


def _is_go(path: Path) -> bool:
    try:
        return _BUILT_BY_GO in path.read_bytes()
    except OSError:
        return False


def _read_go_places(lines: Sequence[str], addresses: Collection[int]) -> dict[int, tuple[SourcePlace, ...]]:
    """Read two lines for each address: its function, and file and line."""
    places: dict[int, tuple[SourcePlace, ...]] = {}
    for address, name, line in zip(sorted(addresses), lines[::2], lines[1::2], strict=False):
        match = _LINE.match(line)
        if match and match["file"] != "?":
            places[address] = (SourcePlace(name, match["file"], int(match["line"])),)
    return places


def _read_places(lines: Sequence[str]) -> dict[int, tuple[SourcePlace, ...]]:
    places: dict[int, list[SourcePlace]] = {}
    address: int | None = None
    names: list[str] = []
    for line in lines:
        if line.startswith("0x"):
            address, names = int(line, 16), []
            places[address] = []
        elif address is None:
            continue
        elif not names:
            names.append(line)
        else:
            match = _LINE.match(line)
            file = match["file"] if match and match["file"] != "??" else ""
            places[address].append(
                SourcePlace(names.pop(), file, int(match["line"]) if match and file else 0)
            )
    return {key: tuple(entries) for key, entries in places.items() if entries and entries[-1].file}
