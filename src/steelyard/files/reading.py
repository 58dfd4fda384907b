"""The one reader of files that come from outside: bounded in size, in depth and in time.

A device is refused (``/dev/zero`` has no end), a file is read up to a limit, and a pipe that nobody writes to
is not waited for. JSON of any depth and CSV of any width end in a sentence.
"""

from __future__ import annotations

import errno
import os
import re
import select
import shlex
import stat
import time
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.files.inflating import unpack
from steelyard.files.system import OPENED, WITHOUT_WAITING

LARGEST_BYTES: Final = 2**28
"""Bytes of data that are read; they need some ten times as much memory."""
LARGEST_CELL: Final = 131_072
"""Characters of a cell of CSV."""
TAB_SUFFIXES: Final = (".tsv", ".tab")
"""Of tables whose columns are separated by tabs, whatever their header has beside them."""
WRITER_WAIT_S: Final = 5.0
"""Time in which something must open a pipe for writing."""
_CHUNK: Final = 2**20


def read_bytes(path: Path, *, hint: str, largest: int = LARGEST_BYTES) -> bytes:
    """Read a file, or a pipe to its end.

    Parameters
    ----------
    hint : str
        What to do where the file is not what it should be.
    largest : int
        Bytes that are accepted.

    Raises
    ------
    UsageError
        It cannot be read, is a device, a directory or a pipe without a writer, or is larger than ``largest``.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | WITHOUT_WAITING | OPENED)
    except ValueError:
        raise UsageError(f"{str(path)!r}: not the name of a file", hint=hint) from None
    except OSError as error:
        raise _make_unreadable(path, error, hint) from None
    try:
        status = os.fstat(descriptor)
        if stat.S_ISFIFO(status.st_mode):
            chunks = _pipe(descriptor, path)
        elif stat.S_ISREG(status.st_mode):
            _refuse_size(path, status.st_size, largest, hint)
            chunks = iter(lambda: os.read(descriptor, _CHUNK), b"")
        else:
            kind = "a directory" if stat.S_ISDIR(status.st_mode) else "a device or a socket"
            raise UsageError(f"{path}: {kind}, not a file", hint=hint)
        data = bytearray()
        for chunk in chunks:
            data += chunk
            _refuse_size(path, len(data), largest, hint)
        return bytes(data)
    except OSError as error:
        raise _make_unreadable(path, error, hint) from None
    finally:
        os.close(descriptor)


def read_text(path: Path, *, hint: str, largest: int = LARGEST_BYTES) -> str:
    """Read UTF-8 text, without a mark of byte order; one of UTF-16, as PowerShell writes it, is understood.

    A file that gzip or bzip2 packed is unpacked.

    Raises
    ------
    UsageError
        As ``read_bytes``; or it cannot be unpacked, or is not UTF-8.
    """
    data = read_bytes(path, hint=hint, largest=largest)
    try:
        data = unpack(data, largest=largest)
    except ValueError as error:
        raise UsageError(f"{path}: {error}", hint=hint) from None
    try:
        return data.decode("utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        place = f"{path}:{line}: byte {data[error.start]:#04x}"
        raise UsageError(f"{place} is not UTF-8 text", hint=hint) from None


MakeMapping = Callable[[list[tuple[str, Any]]], Any]
"""Makes an object of JSON of its keys and values, in their order."""


def parse_json(text: str | bytes, place: str, *, hint: str, make: MakeMapping | None = None) -> Any:
    """Parse one JSON document.

    Parameters
    ----------
    make : callable, optional
        By default, the last value of a key that is there twice counts.

    Raises
    ------
    UsageError
        It is not JSON, is cut off, or is nested deeper than can be read.
    """
    import json

    try:
        return json.loads(text, object_pairs_hook=make)
    except RecursionError:
        raise too_deep(place, hint) from None
    except ValueError as error:
        raise UsageError(f"{place}: not JSON: {error}", hint=hint) from None


def decode_json(text: str | bytes, place: str, *, hint: str, type: Any = Any) -> Any:  # noqa: A002 -- as msgspec
    """Decode one JSON document into a type, as ``msgspec.json.decode``.

    Raises
    ------
    msgspec.ValidationError
        It is JSON of another form.
    UsageError
        The text is not JSON, as ``parse_json`` says.
    """
    try:
        return msgspec.json.decode(text, type=type)
    except (msgspec.DecodeError, UnicodeError) as error:
        if isinstance(error, msgspec.ValidationError) and type is not Any:
            raise
        cut = "truncated" in str(error)
        raise UsageError(
            f"{place}: the file is cut off: its JSON does not end" if cut else f"{place}: not JSON: {error}",
            hint=hint,
        ) from None
    except RecursionError:
        raise too_deep(place, hint) from None


_NOT_FINITE: Final = re.compile(
    r'"(?:[^"\\]|\\.)*"|(?P<sign>[-+]?)\b(?:(?P<nan>nan)|inf(?:inity)?)\b(?:\([^()"]*\))?', re.IGNORECASE
)
"""A text of JSON, which stays, or a number that is none of JSON."""


def decode_document(text: str, place: str, *, hint: str, make: MakeMapping | None = None) -> Any:
    """Decode one JSON document as programs write it: NaN and Infinity, which JSON has not, are numbers.

    ``nan``, ``-nan`` and ``inf``, as C and C++ print them, are the same numbers.

    Parameters
    ----------
    make : callable, optional
        As of ``parse_json``.

    Raises
    ------
    UsageError
        As ``parse_json``, and where the text is cut off.
    """
    try:
        if make is not None:
            return parse_json(text, place, hint=hint, make=make)
        return decode_json(text, place, hint=hint)
    except UsageError as error:
        spelled = _NOT_FINITE.sub(_spell_number, text)
        if "NaN" not in spelled and "Infinity" not in spelled:
            raise
        try:
            return parse_json(spelled, place, hint=hint, make=make)
        except UsageError:
            raise error from None


def _spell_number(match: re.Match[str]) -> str:
    """Return the number as Python's JSON has it, and a text as it is."""
    if match["sign"] is None:
        return match[0]
    return "NaN" if match["nan"] else f"{match['sign'].removeprefix('+')}Infinity"


def json_lines(text: str, place: str, *, hint: str) -> list[Any]:
    """Decode a document a line; empty lines are passed over.

    Raises
    ------
    UsageError
        A line is not JSON; names its number.
    """
    return [
        decode_document(line, f"{place}, line {number}", hint=hint)
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip()
    ]


def too_deep(place: str, hint: str) -> UsageError:
    """Word the refusal of JSON that is nested too deeply."""
    return UsageError(f"{place}: its JSON is nested too deeply", hint=hint)


def column_separator(text: str, place: str) -> str:
    """Return the separator of a table's columns: comma, tab, semicolon or bar; empty of one column.

    Bars count where two lines have as many and begin with none, as sacct writes them.

    Where the first line has both, it is the tab in files whose names end in one of ``TAB_SUFFIXES``.
    """
    header = text.lstrip("\ufeff\r\n").partition("\n")[0]
    if "\t" in header and ("," not in header or place.lower().endswith(TAB_SUFFIXES)):
        return "\t"
    if separator := next((separator for separator in ",;" if separator in header), ""):
        return separator
    first, *rest = text.lstrip("\ufeff\r\n").split("\n", 2)[:2]
    has_bars = "|" in first and not first.lstrip().startswith("|")
    return "|" if has_bars and rest and first.count("|") == rest[0].count("|") else ""


_DECIMAL: Final = re.compile(r"\s*-?(\d{1,3}(\.\d{3})+|\d+),\d+([eE][-+]?\d+)?\s*")
_POINT: Final = re.compile(r"\s*-?\d+\.\d[\d.]*([eE][-+]?\d+)?\s*")


def _read_decimals(rows: list[tuple[int, list[str]]], place: str) -> list[tuple[int, list[str]]]:
    """Write numbers with a decimal comma, as tables with semicolons have them, with a point.

    Raises
    ------
    UsageError
        A column has numbers with commas and others with points, which may be thousands.
    """
    commas: dict[int, str] = {}
    for _, cells in rows:
        for column, cell in enumerate(cells):
            if _DECIMAL.fullmatch(cell):
                commas.setdefault(column, cell.strip())
    for number, cells in rows:
        for column in commas.keys() & range(len(cells)):
            cell = cells[column]
            if _POINT.fullmatch(cell):
                raise UsageError(
                    f"{place}, line {number}: {cell.strip()!r} beside {commas[column]!r} may be thousands or"
                    " a fraction",
                    hint="write all numbers of the column alike, without marks of thousands",
                )
            if _DECIMAL.fullmatch(cell):
                cells[column] = cell.replace(".", "").replace(",", ".")
    return rows


def csv_rows(text: str, place: str, separator: str = "") -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of CSV or TSV, empty lines too, each with the number of the line on which it ends.

    Parameters
    ----------
    separator : str
        Of columns; by default what the first line has.

    Raises
    ------
    UsageError
        A cell is longer than 131,072 characters, or a line cannot be read as CSV.
    """
    import csv
    import io

    csv.field_size_limit(LARGEST_CELL)
    delimiter = separator or column_separator(text, place) or ","
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        numbered = ((rows.line_num, cells) for cells in rows)
        yield from _read_decimals(list(numbered), place) if delimiter == ";" else numbered
    except csv.Error as error:
        long = "field larger" in str(error)
        reason = f"a cell of more than {LARGEST_CELL:,} characters" if long else str(error)
        cure = "close the quotation mark that opens it, or shorten it" if long else "repair that line"
        raise UsageError(f"{place}, line {rows.line_num}: {reason}", hint=cure) from None


def check_width(
    header: Sequence[str],
    cells: Sequence[str],
    line: str,
    hint: str = "the file was cut off, or a cell holds a separator; repair that line",
) -> None:
    """Refuse a row that has more or fewer cells than the header.

    Parameters
    ----------
    line : str
        File and line, with which the message begins.

    Raises
    ------
    UsageError
        It has.
    """
    if len(cells) != len(header):
        raise UsageError(
            f"{line}: {len(cells)} cell{'s' * (len(cells) != 1)}, but the header has {len(header)}", hint=hint
        )


def _pipe(descriptor: int, path: Path) -> Iterator[bytes]:
    """Yield what comes through a pipe until all writers have closed it."""
    deadline_s = time.monotonic() + WRITER_WAIT_S
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    received = False
    while True:
        try:
            chunk = os.read(descriptor, _CHUNK)
        except BlockingIOError:  # a writer that has nothing to say yet
            received = True
            poll.poll()
            continue
        if chunk:
            received = True
            yield chunk
        elif received:
            return
        elif time.monotonic() > deadline_s:
            raise UsageError(
                f"{path}: a pipe that nothing writes to",
                hint=f"write to it: COMMAND > {shlex.quote(str(path))}",
            )
        else:
            time.sleep(0.02)


def _refuse_size(path: Path, size: int, largest: int, hint: str) -> None:
    if size > largest:
        cure = "split it, or leave rows out" if largest == LARGEST_BYTES else hint
        raise UsageError(f"{path}: is larger than {_format_size(largest)}, the most that is read", hint=cure)


def _format_size(number: int) -> str:
    return f"{number // 2**20} MiB" if number >= 2**20 else f"{number:,} bytes"


def _make_unreadable(path: Path, error: OSError, hint: str) -> UsageError:
    cures = {
        errno.EACCES: f"see who may read it: ls -ld {shlex.quote(str(path))}",
        errno.ENAMETOOLONG: "choose a shorter name",
    }
    cure = cures.get(error.errno or 0, hint)
    return UsageError(f"{path}: cannot be read: {error.strerror}", hint=cure)
