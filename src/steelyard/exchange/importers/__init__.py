"""Files of other tools, one reader a format: which tool wrote a file, and what is in it.

An extension adds a format as one of its ``readers``: its name, and a function of the text and of the name of
the file, which returns ``FileContents``. One that has ``looks_like`` is recognised without its name.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.extension import list_readers, load
from steelyard.exchange.importers import (
    asv,
    benchmarkdotnet,
    columns,
    criterion,
    divan,
    go_bench,
    google_benchmark,
    hyperfine,
    jmh,
    lines,
    mpi_tables,
    nanobench,
    pyperf,
    pytest_benchmark,
    reframe,
    reprompi,
    tango,
    tinybench,
    vitest,
)
from steelyard.exchange.importers.columns import Chosen
from steelyard.exchange.importers.contents import FileContents
from steelyard.files.reading import decode_document, read_text

__all__ = ["FORMATS", "MOST_VALUES", "Chosen", "FileContents", "read", "read_output"]

_DAMAGED: Final = "run the benchmark again, or copy the whole file: nothing was imported"

Text = Callable[[str, str], FileContents]

_OF_JSON: Final[tuple[ModuleType, ...]] = (
    asv,
    google_benchmark,
    pytest_benchmark,
    pyperf,
    benchmarkdotnet,
    reframe,
    nanobench,
    hyperfine,
    jmh,
    vitest,
)
_OF_TEXT: Final[dict[str, tuple[Callable[[str], bool], Text]]] = {
    go_bench.TOOL: (go_bench.reads, go_bench.read),
    criterion.TOOL: (criterion.is_output, criterion.read_printed),
    divan.TOOL: (divan.is_output, divan.read),
    tango.TOOL: (tango.is_output, tango.read),
    tinybench.TOOL: (tinybench.is_output, tinybench.read),
    lines.CARGO_CRITERION: (lines.is_cargo_criterion, lines.read_cargo_criterion),
    lines.PERF_STAT: (lines.is_perf_stat, lines.read_perf_stat),
    mpi_tables.IMB: (mpi_tables.reads_imb, mpi_tables.read_imb),
    mpi_tables.OSU: (mpi_tables.reads_osu, mpi_tables.read_osu),
    reprompi.TOOL: (reprompi.is_output, reprompi.read),
}
_TABLES: Final = {
    columns.JUBE: columns.reads_jube,
    columns.CSV: columns.reads_csv,
    columns.TSV: columns.reads_tsv,
}

MOST_VALUES: Final = 1_000_000
"""Values of a file that become trials of a record."""

FORMATS: Final = (*(reader.TOOL for reader in _OF_JSON), *_OF_TEXT, *_TABLES)
"""Names of all formats that are known without an extension."""


def read(path: Path, form: str | None = None, chosen: Chosen | None = None) -> FileContents:
    """Everything in a file, or in a directory of Criterion.

    Parameters
    ----------
    form : str, optional
        One of ``FORMATS``, or that of an extension; by default what the file looks like.
    chosen : Chosen, optional
        The columns of a table.

    Raises
    ------
    UsageError
        The file cannot be read, is cut off, is of another tool or version than was said or is known, or has
        no value.
    """
    if path.is_dir():
        if form not in (None, criterion.TOOL) or not criterion.holds(path):
            raise UsageError(
                f"{path}: a directory without a sample.json, which Criterion's would have",
                hint="name a file, or the directory target/criterion",
            )
        contents = criterion.read(path)
    else:
        contents = _read(
            read_text(path, hint="give the path of a file of results"), str(path), form, chosen or Chosen()
        )
    if not contents.failures and not any(values for series in contents.series for values in series.values):
        text = f": {' '.join(contents.notes)}" if contents.notes else ""
        raise UsageError(
            f"{path}: the file of {contents.tool} contains no measurements{text}",
            hint="run the benchmark again",
        )
    return contents


def read_output(text: str, origin: str, form: str | None = None) -> FileContents:
    """Everything in what a program printed, or wrote for it to be read.

    Raises
    ------
    UsageError
        The text is of no known format, or is damaged, as ``read`` says.
    """
    return _read(text, origin, form, Chosen())


def _read(text: str, place: str, form: str | None, chosen: Chosen) -> FileContents:
    if form is not None and form not in FORMATS:
        reader = _read_other(form)
        _refuse_columns(chosen, form, place)
        return reader(text, place)
    looks = _get_looks(text, place)
    tool = form or looks
    if tool is None:
        raise UsageError(f"{place}: unrecognised format", hint=f"formats: {', '.join(list_formats())}")
    if tool != looks and not (tool in _TABLES and looks in _TABLES):
        raise UsageError(
            f"{place}: not a file of {tool}" + (f", but of {looks}" if looks else ""),
            hint=f"--format {looks}, or leave --format out" if looks else f"formats: {', '.join(FORMATS)}",
        )
    if tool not in FORMATS:
        _refuse_columns(chosen, tool, place)
        return _read_other(tool)(text, place)
    if tool in _TABLES:
        if (rows := text.count("\n")) > MOST_VALUES:
            raise UsageError(
                f"{place}: {rows:,} rows, of which a record holds at most {MOST_VALUES:,}",
                hint="import fewer of them; steelyard model reads tables of any length, without a record",
            )
        return columns.read(text, place, tool, chosen)
    _refuse_columns(chosen, tool, place)
    if tool == go_bench.TOOL and lines.holds(text):
        text = lines.join_go_output(text, place)
    return _OF_TEXT[tool][1](text, place) if tool in _OF_TEXT else _read_json(text, place, tool)


def list_formats() -> tuple[str, ...]:
    """List the names of all formats, those of extensions last."""
    return (*FORMATS, *list_readers())


def _refuse_columns(chosen: Chosen, tool: str, place: str) -> None:
    if chosen != Chosen():
        raise UsageError(
            f"{place}: {tool} names its metrics itself", hint="leave out --value, --by and --unit"
        )


def _get_looks(text: str, place: str) -> str | None:
    """Return the format that a file looks like."""
    if text.lstrip()[:1] in ("{", "["):
        if lines.holds(text):
            return lines.find_tool(text) or _find_other(text)
        try:
            return _get_tool_of(decode_document(text, place, hint=_DAMAGED)) or _find_other(text)
        except UsageError:
            # Several documents, one after the other, are none for the readers above.
            if form := _find_other(text):
                return form
            raise
    for name, (reads, _) in _OF_TEXT.items():
        if reads(text):
            return name
    return _find_other(text) or next((name for name, reads in _TABLES.items() if reads(text, place)), None)


def _find_other(text: str) -> str | None:
    """Find the format of an extension that a text looks like; of several, the first."""
    for name, place in list_readers().items():
        looks_like: Callable[[str], bool] | None = getattr(load(place), "looks_like", None)
        if looks_like is not None and looks_like(text):
            return name
    return None


def _get_tool_of(document: object) -> str | None:
    if isinstance(document, list):
        first = document[0] if document else None
        return jmh.TOOL if isinstance(first, dict) and first.keys() >= jmh.LIST_OF else None
    if not isinstance(document, dict):
        return None
    if document.keys() >= vitest.REPORTER:
        return vitest.TOOL
    results = document.get("results")
    if isinstance(results, list):
        of_nanobench = (
            bool(results) and isinstance(results[0], dict) and results[0].keys() >= nanobench.RESULT
        )
        return nanobench.TOOL if of_nanobench else hyperfine.TOOL
    return next(
        (reader.TOOL for reader in _OF_JSON if hasattr(reader, "KEYS") and document.keys() >= reader.KEYS),
        None,
    )


def _read_json(text: str, place: str, tool: str) -> FileContents:
    module = next(reader for reader in _OF_JSON if tool == reader.TOOL)
    try:
        contents: FileContents = module.read(decode_document(text, place, hint=_DAMAGED), place)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"{place}: looks like a file of {tool}, but {error}",
            hint="another version of the tool wrote it, or something changed it",
        ) from None
    return contents


def _read_other(form: str) -> Text:
    """Return the reader that an extension has under a name."""
    readers = list_readers()
    if form not in readers:
        raise UsageError(f"unknown format {form!r}", hint=f"formats: {', '.join(list_formats())}")
    reader: Text = load(readers[form])
    return reader
