"""Compressed bytes from outside, unpacked up to a limit: 2 MB of zeros unpack to 2 GB."""

from __future__ import annotations

import bz2
import zlib
from typing import Final, Literal

_WINDOW_BITS = {"zlib": 15, "gzip": 31}
_GZIP: Final = b"\x1f\x8b"
_BZIP2: Final = b"BZh"


def inflate(content: bytes, *, form: Literal["zlib", "gzip"], largest: int) -> bytes:
    """Unpack one stream, whole.

    Parameters
    ----------
    largest : int
        Bytes that are accepted, unpacked.

    Raises
    ------
    zlib.error
        It is no such stream, or is damaged.
    ValueError
        It is cut off, unpacks to more than ``largest`` bytes, or is followed by something else.
    """
    stream = zlib.decompressobj(_WINDOW_BITS[form])
    unpacked = stream.decompress(content, largest + 1)
    if len(unpacked) > largest:
        raise ValueError(f"it unpacks to more than {largest:,} bytes")
    if not stream.eof:
        raise ValueError("it is cut off")
    if stream.unused_data:
        raise ValueError("something follows its end")
    return unpacked


def unpack(content: bytes, *, largest: int) -> bytes:
    """Unpack a file that gzip or bzip2 packed, whole; return any other as it is.

    A file may have several streams, one after the other, as tools with several threads write it.

    Raises
    ------
    ValueError
        It is damaged, is cut off, unpacks to more than ``largest`` bytes, or is followed by something else.
    """
    if not content.startswith((_GZIP, _BZIP2)):
        return content
    unpacked = bytearray()
    rest = content
    while rest:
        if not rest.startswith((_GZIP, _BZIP2)):
            raise ValueError("something follows its end")
        stream = zlib.decompressobj(_WINDOW_BITS["gzip"]) if rest.startswith(_GZIP) else bz2.BZ2Decompressor()
        try:
            unpacked += stream.decompress(rest, largest + 1 - len(unpacked))
        except (zlib.error, OSError) as error:
            raise ValueError(f"it is damaged: {error}") from None
        if len(unpacked) > largest:
            raise ValueError(f"it unpacks to more than {largest:,} bytes")
        if not stream.eof:
            raise ValueError("it is cut off")
        rest = stream.unused_data
    return bytes(unpacked)
