"""Files with millions of repetitions: of a long list a sample is taken, one value at random of each stretch.

A sample, unlike means of stretches, leaves every mean, median and quantile what it is, however many values
the other file has. Values of one process are no more than one process anyway.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers.contents import FileContents, ImportedSeries
from steelyard.files.reading import LARGEST_BYTES, read_text

T = TypeVar("T")

KEPT_OF_LIST: Final = 10_000
"""Repetitions of a list that are read of a file larger than ``LARGEST_BYTES``."""
KEPT: Final = 250_000
"""Values that a record of more than it can hold keeps: some seconds of importing."""
_HEAD: Final = re.compile(rb'"(?:data|samples)"\s*:\s*\[')
"""Before lists of repetitions: pytest-benchmark's, Vitest's and mitata's."""
_NUMBERS: Final = re.compile(rb"[-+0-9.eE,\s]*")
_CHUNK: Final = 2**24
_TAIL: Final = 256
"""Bytes in which a head is whole."""


def draw(values: Sequence[T], most: int) -> list[T]:
    """Return at most ``most`` values in their order, one at random of each of equal stretches.

    The same values give the same sample.
    """
    count = len(values)
    if count <= most:
        return list(values)
    generator = random.Random(count)
    ends = [place * count // most for place in range(most + 1)]
    return [values[generator.randrange(ends[place], ends[place + 1])] for place in range(most)]


def read_long_text(path: Path, *, hint: str) -> tuple[str, tuple[str, ...]]:
    """Read a text; of one larger than ``LARGEST_BYTES`` a sample of each long list, in a stream.

    Returns
    -------
    tuple
        The text, and what is to be said of it.

    Raises
    ------
    UsageError
        As ``read_text``; or it is too large even so.
    """
    if not path.is_file() or path.stat().st_size <= LARGEST_BYTES:
        return read_text(path, hint=hint), ()
    text = bytearray()
    try:
        with path.open("rb") as file:
            for part in _shorten(file, path):
                text += part
                _refuse_size(path, len(text))
        decoded = text.decode()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", hint=hint) from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not UTF-8 text", hint=hint) from None
    note = f"Of each list of more than {KEPT_OF_LIST:,} repetitions {KEPT_OF_LIST:,} were drawn at random."
    return decoded, (note,)


def limit_repetitions(contents_of: Sequence[FileContents], most: int) -> list[FileContents]:
    """Draw samples of the longest lists, so that all files together have at most ``KEPT`` values.

    Files of at most ``most`` values stay as they are, and so do launches, each of which is an observation.
    """
    lengths = sorted(
        len(launch)
        for contents in contents_of
        for series in contents.series
        for launch in series.values
        if contents.repeats == "process"
    )
    if sum(lengths) <= most:
        return list(contents_of)
    limit = _find_limit(lengths, KEPT)
    return [_limit(contents, limit, sum(lengths)) for contents in contents_of]


def _find_limit(lengths: Sequence[int], most: int) -> int:
    """Return the length to which longer lists are cut, so that the sum is at most ``most``; one at least.

    ``lengths`` ascend.
    """
    remainder = most
    for place, length in enumerate(lengths):
        share = remainder // (len(lengths) - place)
        if length > share:
            return max(1, share)
        remainder -= length
    return max(lengths, default=1)


def _limit(contents: FileContents, limit: int, total: int) -> FileContents:
    if contents.repeats != "process":
        return contents
    note = f"Of {total:,} repetitions at most {limit:,} of each benchmark were drawn at random."

    def cut(series: ImportedSeries) -> ImportedSeries:
        return replace(series, values=tuple(tuple(draw(launch, limit)) for launch in series.values))

    return replace(contents, series=tuple(map(cut, contents.series)), notes=(*contents.notes, note))


def _shorten(file: BinaryIO, path: Path) -> Iterator[bytes]:
    """Yield a file part by part, with a sample in place of each long list of numbers."""
    text, at = b"", 0
    while chunk := file.read(_CHUNK):
        text, at = text[at:] + chunk, 0
        while head := _HEAD.search(text, at):
            end = text.find(b"]", head.end())
            if end < 0:
                _refuse_size(path, len(text) - at)
                break
            yield text[at : head.end()]
            yield _draw_numbers(text[head.end() : end])
            at = end
        else:
            rest = max(at, len(text) - _TAIL)
            yield text[at:rest]
            at = rest
    yield text[at:]


def _draw_numbers(text: bytes) -> bytes:
    """Return a sample of a list; anything but numbers stays."""
    return b",".join(draw(text.split(b","), KEPT_OF_LIST)) if _NUMBERS.fullmatch(text) else text


def _refuse_size(path: Path, size: int) -> None:
    if size > LARGEST_BYTES:
        raise UsageError(
            f"{path}: is larger than {LARGEST_BYTES // 2**20} MiB, the most that is read, beside lists of"
            " repetitions",
            hint="split it, or leave rows out",
        )
