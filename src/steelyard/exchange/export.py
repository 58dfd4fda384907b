"""A record, written for other tools."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Literal

from msgspec.structs import replace

from steelyard.errors import UsageError
from steelyard.exchange.arrow import write_arrow, write_parquet
from steelyard.exchange.csv import write_csv
from steelyard.exchange.jsonl import write_json_lines
from steelyard.exchange.peers import PeerFormat, render
from steelyard.exchange.trials import trials
from steelyard.exchange.values import values
from steelyard.series import Series
from steelyard.store import Record

Format = Literal["csv", "jsonl", "parquet", "arrow"]
SeriesFormat = Literal["extrap-text", "extrap-json"]


def export(record: Record, to: Path | None, form: Format, *, long: bool = False) -> None:
    """Write one row a trial, or one a value, to a file that is there complete or not at all;
    a link, a pipe or a device is written into.

    Parameters
    ----------
    to : Path or None
        Replaced if it exists; ``None`` is the standard output.
    form : {"csv", "jsonl", "parquet", "arrow"}
    long : bool
        One row for each value instead of one for each trial.

    Raises
    ------
    UsageError
        The file cannot be written, or is in the record itself.
    MachineError
        Parquet or Arrow without pyarrow.
    RecordError
        The record is damaged; what can be read can be recovered into another one.
    """
    _refuse_inside(to, record.directory)
    with _output(to) as binary:
        table = values(record) if long else trials(record)
        if form == "parquet":
            write_parquet(table, binary)
        elif form == "arrow":
            write_arrow(table, binary)
        elif form == "jsonl":
            write_json_lines(table, binary)
        else:
            text = io.TextIOWrapper(binary, encoding="utf-8", newline="", write_through=False)
            try:
                write_csv(table, text)
                text.flush()
            finally:
                text.detach()


def export_series(
    series: Sequence[Series], to: Path | None, form: SeriesFormat, *, directory: Path, unnamed: str
) -> None:
    """Write what models are made of, one observation a launch, as Extra-P reads it.

    Parameters
    ----------
    directory : Path
        Of the record that the series are from.
    unnamed : str
        What a function is called that nothing tells from others.

    Raises
    ------
    UsageError
        As ``export``; or the format cannot hold these series.
    """
    from steelyard.exchange import extrap_json, extrap_text

    named = [replace(one, name=one.name or unnamed) for one in series]
    text = extrap_text.write(named) if form == "extrap-text" else extrap_json.write(named)
    export_text(text, to, directory)


def export_text(text: str, to: Path | None, directory: Path) -> None:
    """Write what is made of the record in ``directory``.

    Raises
    ------
    UsageError
        As ``export``.
    """
    _refuse_inside(to, directory)
    with _output(to) as binary:
        binary.write(text.encode())


def export_for_peers(record: Record, to: Path | None, form: PeerFormat, metrics: Sequence[str] = ()) -> None:
    """Write summaries or launches as another tool does; errors as ``export`` and ``render``."""
    export_text(render(record, form, metrics), to, record.directory)


def _refuse_inside(to: Path | None, directory: Path) -> None:
    if to is not None and to.resolve().parent == directory.resolve():
        raise UsageError(
            f"{to} is inside the record, which only Steelyard writes to",
            hint="name a file beside it: --output trials.csv",
        )


@contextmanager
def _output(to: Path | None) -> Iterator[BinaryIO]:
    if to is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with _in_place(to) if _is_special(to) else _replaced(to) as file:
            yield file
    except OSError as error:
        raise UsageError(
            f"{to} cannot be written: {error.strerror}", hint="name another file with --output"
        ) from error


def _is_special(to: Path) -> bool:
    """A link, a pipe or a device (``/dev/stdout`` is all of them): a rename would put a file in its place."""
    return to.is_symlink() or (to.exists() and not to.is_file())


@contextmanager
def _in_place(to: Path) -> Iterator[BinaryIO]:
    with to.open("wb") as file:
        yield file


@contextmanager
def _replaced(to: Path) -> Iterator[BinaryIO]:
    """There complete, or as it was."""
    unfinished = to.with_name(f".{to.name}.{os.getpid()}")
    try:
        with unfinished.open("wb") as file:
            yield file
        unfinished.replace(to)
    finally:
        unfinished.unlink(missing_ok=True)
