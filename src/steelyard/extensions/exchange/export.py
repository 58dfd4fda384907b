"""A record, written for other tools."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Literal

from msgspec.structs import replace

from steelyard.core.series import Series
from steelyard.extensions.exchange.arrow import write_arrow, write_parquet
from steelyard.extensions.exchange.csv import write_csv
from steelyard.extensions.exchange.jsonl import write_json_lines
from steelyard.extensions.exchange.peers import PeerFormat, render
from steelyard.extensions.exchange.trials import trials
from steelyard.extensions.exchange.values import values
from steelyard.files.writing import open_output
from steelyard.store import Record

Format = Literal["csv", "tsv", "jsonl", "parquet", "arrow"]
SeriesFormat = Literal["extrap-text", "extrap-json"]


def export(record: Record, to: Path | None, form: Format, *, long: bool = False) -> None:
    """Write one row a trial, or one a value, to a file that is there complete or not at all.

    A link, a pipe or a device is written into.

    Parameters
    ----------
    to : Path or None
        Replaced if it exists; ``None`` is the standard output.
    form : {"csv", "tsv", "jsonl", "parquet", "arrow"}
    long : bool
        One row for each value instead of one for each trial.

    Raises
    ------
    UsageError
        The file cannot be written, or must not be: it is inside a record, a spec or a program.
    MachineError
        Parquet or Arrow without arro3.
    RecordError
        The record is damaged; what can be read can be recovered into another one.
    """
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
                write_csv(table, text, "\t" if form == "tsv" else ",")
                text.flush()
            finally:
                text.detach()


def export_series(series: Sequence[Series], to: Path | None, form: SeriesFormat, *, unnamed: str) -> None:
    """Write what models are made of, one observation a launch, as Extra-P reads it.

    Parameters
    ----------
    unnamed : str
        What a function is called that nothing tells from others.

    Raises
    ------
    UsageError
        As ``export``; or the format cannot hold these series.
    """
    from steelyard.extensions.exchange import extrap_json, extrap_text

    named = [replace(function, name=function.name or unnamed) for function in series]
    text = extrap_text.write(named) if form == "extrap-text" else extrap_json.write(named)
    export_text(text, to)


def export_text(text: str, to: Path | None) -> None:
    """Write a text; ``None`` is the standard output.

    Raises
    ------
    UsageError
        The format cannot hold these values, as ``export`` says.
    """
    with _output(to) as binary:
        binary.write(text.encode())


def export_for_peers(record: Record, to: Path | None, form: PeerFormat, metrics: Sequence[str] = ()) -> None:
    """Write summaries or launches as another tool does; errors as ``export`` and ``render``."""
    export_text(render(record, form, metrics), to)


@contextmanager
def _output(to: Path | None) -> Iterator[BinaryIO]:
    if to is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with open_output(to) as file:
        yield file
