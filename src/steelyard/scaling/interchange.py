"""Columns of a data frame by the interchange protocol (``__dataframe__``), which pandas, Arrow, Modin, cuDF
and others speak; no library of theirs is imported.

The protocol hands out addresses of memory: data, one bit or byte a row for what is missing, and offsets of
texts. They are copied at once and not kept. https://data-apis.org/dataframe-protocol/latest/
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from steelyard.errors import UsageError

_INT, _UINT, _FLOAT, _BOOL, _STRING, _CATEGORICAL = 0, 1, 2, 20, 21, 23
_NUMBERS: Final = {_INT: "i", _UINT: "u", _FLOAT: "f"}
_CPU: Final = 1
_NOT_NULL, _NAN, _SENTINEL, _BITS, _BYTES = range(5)

Cells = npt.NDArray[Any]


def names(frame: Any) -> list[str]:
    """The names of the columns."""
    return [str(name) for name in _opened(frame).column_names()]


def column(frame: Any, name: str) -> list[Any]:
    """The cells of a column; ``None`` where one is missing.

    Raises
    ------
    UsageError
        It holds neither numbers nor texts, or lies in the memory of another device.
    """
    found: list[Any] = []
    for chunk in _opened(frame).get_column_by_name(name).get_chunks():
        found += _cells(chunk, name)
    return found


def _opened(frame: Any) -> Any:
    return frame.__dataframe__(allow_copy=True)


def _cells(chunk: Any, name: str) -> list[Any]:
    kind, bits, *_ = chunk.dtype
    if kind == _CATEGORICAL:
        described = chunk.describe_categorical
        words = _cells(described["categories"], name)
        codes = _plain(chunk, name, *_stored(chunk))
        return [None if missing else words[code] for code, missing in zip(*codes, strict=True)]
    if kind == _STRING:
        return _texts(chunk, name)
    if kind == _BOOL:
        read: Callable[..., tuple[list[Any], list[bool]]] = _bits if bits == 1 else _plain
        cells, missing = read(chunk, name, "u", 8)
        return [None if gone else bool(cell) for cell, gone in zip(cells, missing, strict=True)]
    if kind not in _NUMBERS:
        raise UsageError(
            f"column {name!r} of the frame holds neither numbers nor texts",
            hint="convert it, or leave it out",
        )
    cells, missing = _plain(chunk, name, _NUMBERS[kind], bits)
    return [None if gone else cell for cell, gone in zip(cells, missing, strict=True)]


def _stored(chunk: Any) -> tuple[str, int]:
    """How the codes of categories are stored: the dtype of their buffer, not that of the column."""
    kind, bits, *_ = chunk.get_buffers()["data"][1]
    return _NUMBERS[kind], bits


def _plain(chunk: Any, name: str, kind: str, bits: int) -> tuple[list[Any], list[bool]]:
    """Numbers of equal width, and which are missing."""
    size, offset = chunk.size(), chunk.offset
    data = _memory(chunk.get_buffers()["data"][0], name)
    cells = np.frombuffer(data, dtype=f"{kind}{bits // 8}", count=size, offset=offset * bits // 8)
    return cells.tolist(), _missing(chunk, name, cells)


def _bits(chunk: Any, name: str, _kind: str, _width: int) -> tuple[list[Any], list[bool]]:
    """Truth, one bit a row."""
    cells = _unpacked(_memory(chunk.get_buffers()["data"][0], name), chunk)
    return cells.tolist(), _missing(chunk, name, cells)


def _texts(chunk: Any, name: str) -> list[Any]:
    buffers = chunk.get_buffers()
    data = _memory(buffers["data"][0], name)
    offsets_buffer, (_, bits, *_) = buffers["offsets"]
    starts = np.frombuffer(
        _memory(offsets_buffer, name),
        dtype=f"i{bits // 8}",
        count=chunk.size() + 1,
        offset=chunk.offset * bits // 8,
    )
    gone = _missing(chunk, name, starts[:-1])
    return [
        None if missing else data[start:end].decode()
        for start, end, missing in zip(starts[:-1], starts[1:], gone, strict=True)
    ]


def _missing(chunk: Any, name: str, cells: Cells) -> list[bool]:
    how, sentinel = chunk.describe_null
    if how == _NAN:
        return _truths(np.isnan(cells))
    if how == _SENTINEL:
        return _truths(cells == sentinel)
    if how == _NOT_NULL or chunk.get_buffers()["validity"] is None:
        return [False] * chunk.size()
    memory = _memory(chunk.get_buffers()["validity"][0], name)
    if how == _BITS:
        mask = _unpacked(memory, chunk)
    else:
        mask = np.frombuffer(memory, dtype="u1", count=chunk.size(), offset=chunk.offset)
    # ``sentinel`` is the value of the mask that stands for a missing cell.
    return _truths(mask == sentinel)


def _truths(cells: Cells) -> list[bool]:
    return [bool(cell) for cell in cells]


def _unpacked(memory: bytes, chunk: Any) -> Cells:
    every = np.unpackbits(np.frombuffer(memory, dtype="u1"), bitorder="little")
    return np.asarray(every[chunk.offset : chunk.offset + chunk.size()])


def _memory(buffer: Any, name: str) -> bytes:
    device = buffer.__dlpack_device__()[0]
    if int(device) != _CPU:
        raise UsageError(
            f"column {name!r} of the frame lies in the memory of another device", hint="copy it to the host"
        )
    return ctypes.string_at(buffer.ptr, buffer.bufsize) if buffer.bufsize else b""
