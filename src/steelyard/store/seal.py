"""The seal of a record: what a history keeps of it, bound to the bytes of its file.

``record.summary`` lies beside the file of a record. Its first line is a ``Seal``; a ``SealSummary`` follows,
compressed by zlib. The seal has digests of the file and of the summary: whoever reads the summary hashes the
whole file of the record first, so that a record that has changed by one bit, or is being written, is never
answered for by what it was. What does not fit is no error: the record is read then.

The document is ``steelyard/summary``. History: version 1, the first.
"""

from __future__ import annotations

import hashlib
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.units import Metric
from steelyard.files.inflating import inflate
from steelyard.files.plain import NotPlainError, read_plain, write_plain
from steelyard.store.database import is_in_the_middle
from steelyard.store.facts import SUMMARY
from steelyard.store.summaries import Condensed

FORMAT: Final = "steelyard/summary"
VERSION: Final = 1

_DIGEST_BYTES: Final = 16
"""BLAKE2b of so many bytes: no change passes by chance."""

_LARGEST_BYTES: Final = 1 << 26
"""Of a summary, compressed or not; that of 1,000 treatments with 20 metrics has some 10 MB."""


class Seal(msgspec.Struct, frozen=True):
    """Digests of the record's file and of what follows the line, in hexadecimal digits.

    ``head`` is the last link of the record's chain of digests; empty where it has none.
    """

    format: str
    version: int
    record: str
    summary: str
    head: str = ""


class SealSummary(msgspec.Struct, frozen=True):
    """A record, condensed, and every metric that it has; ``condensed`` has digests of all of them."""

    condensed: Condensed
    metrics: tuple[Metric, ...]


_decode_seal: Final = msgspec.json.Decoder(Seal).decode
_decode_summary: Final = msgspec.json.Decoder(SealSummary).decode


def write_seal(file: Path, summary: SealSummary, head: str = "") -> None:
    """Seal the record in ``file``, which nobody writes to; where no file can be made, it stays without."""
    text = zlib.compress(msgspec.json.encode(summary))
    with suppress(OSError):
        seal = Seal(FORMAT, VERSION, _hash_file(file), _hash(text), head)
        write_plain(file.with_name(SUMMARY), b"%b\n%b" % (msgspec.json.encode(seal), text))


def read_seal(file: Path) -> SealSummary | None:
    """Return the summary of the record in ``file``; ``None`` without one of these very bytes."""
    try:
        content = read_plain(file.with_name(SUMMARY), largest=_LARGEST_BYTES, may_have_names=True)
        head, _, text = (content or b"").partition(b"\n")
        seal = _decode_seal(head)
        if (seal.format, seal.version) != (FORMAT, VERSION) or seal.summary != _hash(text):
            return None
        if seal.record != _hash_file(file) or is_in_the_middle(file):
            return None
        return _decode_summary(inflate(text, form="zlib", largest=_LARGEST_BYTES))
    except (OSError, ValueError, RecursionError, NotPlainError, zlib.error):
        return None


def read_sealed_head(file: Path) -> str:
    """Return the head that the record in ``file`` had when it was sealed, whatever became of it since.

    Empty without one. Who writes to a record removes its seal first, so that the chain of a record always
    has this link.
    """
    try:
        content = read_plain(file.with_name(SUMMARY), largest=_LARGEST_BYTES, may_have_names=True)
        return _decode_seal((content or b"").partition(b"\n")[0]).head
    except (OSError, ValueError, RecursionError, NotPlainError):
        return ""


def _hash(text: bytes) -> str:
    return hashlib.blake2b(text, digest_size=_DIGEST_BYTES).hexdigest()


def _hash_file(file: Path) -> str:
    with open(file, "rb") as opened:  # noqa: PTH123
        return hashlib.file_digest(opened, lambda: hashlib.blake2b(digest_size=_DIGEST_BYTES)).hexdigest()
