"""``LakeFacts``: all that a lake keeps of a record beside its trials, as compressed JSON.

The document is ``steelyard/lake``. History: version 1, the first.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from steelyard.core.errors import UPGRADE, RecordError
from steelyard.core.record_id import is_record_id
from steelyard.core.sample import Treatment
from steelyard.core.units import Metric, Scalar
from steelyard.design.plan import Extension
from steelyard.files.inflating import inflate
from steelyard.store.entries import LoadOfBatch, Look, Run, StoredNotice
from steelyard.store.summaries import Condensed

FORMAT: Final = "steelyard/lake"
VERSION: Final = 1

LARGEST_BYTES: Final = 1 << 28
"""Of facts, compressed or not: what is larger was not written by Steelyard."""
_NAME: Final = re.compile(r"(?:.*/)?spec=([0-9a-f]{16})/day=(\d{4}-\d\d-\d\d)/([0-9a-f]{16})\.json\.gz")


class TableFile(msgspec.Struct, frozen=True):
    """Rows of a Parquet file, and the BLAKE2b of its bytes in hexadecimal digits."""

    rows: int
    digest: str


class Reduced(msgspec.Struct, frozen=True):
    """A metric of a record, how a trial's iterations become one observation, and its column.

    The column is of the trials; it is empty where the metric has labels, of which that table has none.
    """

    metric: Metric
    reduce: str
    column: str


class LakeFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A record without its trials.

    Attributes
    ----------
    id : str
        Of the record.
    name : str
        Of its directory, without its path.
    created_ns : int
        Unix time.
    spec : str
        The SHA of its place: of the spec without what may differ between records of one.
    content : str
        Digest of the record's file, by which it is known to be there already.
    experiment : str
        The checked spec (JSON).
    program : mapping
        The measured program.
    contexts : mapping
        Settings by the id of a context.
    blocks : int
        Drawn, those without a trial included.
    condensed : Condensed or None
        What a history keeps of it; ``None`` where that is nothing.
    head : str
        Last link of its chain of digests when it was exported; empty where it had none.
    trials, ratios : TableFile
        The tables beside it.
    """

    format: str = FORMAT
    version: int = VERSION
    id: str
    name: str
    created_ns: int
    spec: str
    content: str
    experiment: str
    program: dict[str, Any]
    treatments: tuple[Treatment, ...]
    metrics: tuple[Reduced, ...]
    contexts: dict[int, dict[str, Scalar]]
    runs: tuple[Run, ...]
    looks: tuple[Look, ...]
    extensions: tuple[Extension, ...]
    warnings: tuple[StoredNotice, ...]
    batches: tuple[LoadOfBatch, ...]
    blocks: int
    condensed: Condensed | None
    trials: TableFile
    ratios: TableFile
    head: str = ""

    @property
    def stem(self) -> str:
        """The names of its files below the place of a lake, without their ends."""
        return name_stem(self.spec, self.created_ns, self.id)


def name_stem(spec: str, created_ns: int, record: str) -> str:
    """Return ``spec=SHA/day=YYYY-MM-DD/RECORD``, the place of a record's files in a lake.

    Raises
    ------
    ValueError
        A spec or record that is not 16 hexadecimal digits, which could lead out of the lake; or a time that
        is none.
    """
    for noun, text in (("spec", spec), ("record", record)):
        if not is_record_id(text):
            raise ValueError(f"its {noun} is called {text!r}, which is not 16 hexadecimal digits")
    return f"spec={spec}/day={datetime.fromtimestamp(created_ns // 10**9, UTC):%Y-%m-%d}/{record}"


def hash_bytes(content: bytes) -> str:
    """Return the digest by which files of a lake are told apart."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def encode(facts: LakeFacts) -> bytes:
    """Facts as a file: equal facts are equal bytes."""
    return gzip.compress(msgspec.json.encode(facts), mtime=0)


_decode: Final = msgspec.json.Decoder(LakeFacts).decode


class _Head(msgspec.Struct):
    format: str
    version: int


def inflate_document(content: bytes, document: str, version: int, place: str) -> bytes:
    """Return the JSON of a document of a lake, of this format and at most this version.

    Raises
    ------
    RecordError
        It is of a newer version.
    ValueError, zlib.error, msgspec.DecodeError, OSError, RecursionError
        It is damaged, or of another format.
    """
    text = inflate(content, form="gzip", largest=LARGEST_BYTES)
    head = msgspec.json.decode(text, type=_Head)
    if head.format != document:
        raise ValueError(f"its format is {head.format!r}, not {document!r}")
    if head.version > version:
        raise RecordError(
            f"{place} has format {head.version}, and this Steelyard reads formats up to {version}",
            hint=UPGRADE,
        )
    return text


def decode(content: bytes, place: str) -> LakeFacts:
    """Facts from a file, whose bytes come from outside.

    Parameters
    ----------
    place : str
        As errors name it.

    Raises
    ------
    RecordError
        It is damaged, of another format or of a newer version.
    """
    try:
        facts = _decode(inflate_document(content, FORMAT, VERSION, place))
        name_stem(facts.spec, facts.created_ns, facts.id)
    except RecursionError:
        raise describe_damage(place, "its JSON is nested too deeply") from None
    except (zlib.error, msgspec.DecodeError, ValueError, OverflowError, OSError) as error:
        raise describe_damage(place, str(error)) from None
    return facts


def describe_damage(place: str, why: str) -> RecordError:
    """Return the error for a file of a lake that is not what it should be."""
    return RecordError(
        f"{place} is damaged: {why}",
        hint="export its record again: steelyard export RECORD.lab --to PLACE; or remove the three files of"
        " that name",
    )


def find_place(name: str) -> tuple[str, str, str] | None:
    """Return the spec, day and record of a file of facts by its name; ``None`` of other files."""
    match = _NAME.fullmatch(name)
    return (match[1], match[2], match[3]) if match else None
