"""Compressed bytes from outside, unpacked up to a limit: 2 MB of zeros unpack to 2 GB."""

from __future__ import annotations

import zlib
from typing import Literal

_WINDOW_BITS = {"zlib": 15, "gzip": 31}


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
