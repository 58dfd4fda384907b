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
from msgspec.structs import replace

from steelyard.core.errors import SteelyardError, UsageError
from steelyard.core.extension import list_readers, load
from steelyard.extensions.exchange.importers import (
    action_benchmark,
    asv,
    bencher,
    benchmarkdotnet,
    catch2,
    codspeed,
    columns,
    criterion,
    divan,
    go_bench,
    google_benchmark,
    gungraun,
    hyperfine,
    jmh,
    json_paths,
    libtest,
    lines,
    mitata,
    mpi_tables,
    nanobench,
    parquet_rows,
    pyperf,
    pytest_benchmark,
    reframe,
    reprompi,
    skampi,
    tango,
    tinybench,
    vitest,
    zenbench,
)
from steelyard.extensions.exchange.importers.columns import Chosen
from steelyard.extensions.exchange.importers.contents import FileContents
from steelyard.extensions.exchange.importers.repetitions import read_long_text
from steelyard.files.reading import TAB_SUFFIXES, decode_document, json_lines

__all__ = ["FORMATS", "MOST_VALUES", "Chosen", "FileContents", "find_tool", "read", "read_output"]

_DAMAGED: Final = "run the benchmark again, or copy the whole file: nothing was imported"

Text = Callable[[str, str], FileContents]

_OF_JSON: Final[tuple[ModuleType, ...]] = (
    asv,
    mitata,
    google_benchmark,
    pytest_benchmark,
    pyperf,
    benchmarkdotnet,
    reframe,
    nanobench,
    hyperfine,
    jmh,
    vitest,
    zenbench,
    codspeed,
    action_benchmark,
    bencher,
)
_OF_TEXT: Final[dict[str, tuple[Callable[[str], bool], Text]]] = {
    go_bench.TOOL: (go_bench.reads, go_bench.read),
    criterion.TOOL: (criterion.is_output, criterion.read_printed),
    divan.TOOL: (divan.is_output, divan.read),
    tango.TOOL: (tango.is_output, tango.read),
    tinybench.TOOL: (tinybench.is_output, tinybench.read),
    libtest.TOOL: (libtest.is_output, libtest.read),
    catch2.TOOL: (catch2.is_output, catch2.read),
    gungraun.TOOL: (gungraun.is_output, gungraun.read),
    lines.CARGO_CRITERION: (lines.is_cargo_criterion, lines.read_cargo_criterion),
    lines.PERF_STAT: (lines.is_perf_stat, lines.read_perf_stat),
    mpi_tables.IMB: (mpi_tables.reads_imb, mpi_tables.read_imb),
    mpi_tables.OSU: (mpi_tables.reads_osu, mpi_tables.read_osu),
    reprompi.TOOL: (reprompi.is_output, reprompi.read),
    skampi.TOOL: (skampi.is_output, skampi.read),
}
_TABLES: Final = {
    columns.JUBE: columns.reads_jube,
    columns.CSV: columns.reads_csv,
    columns.TSV: columns.reads_tsv,
}

MOST_VALUES: Final = 1_000_000
"""Values of a file that become trials of a record."""

_TABLE_SUFFIXES: Final = frozenset((".csv", *TAB_SUFFIXES))

_ROWS: Final = (json_paths.JSON, json_paths.JSON_LINES, parquet_rows.PARQUET)
"""Formats of no tool, whose columns are chosen as those of tables are."""

FORMATS: Final = (*(reader.TOOL for reader in _OF_JSON), *_OF_TEXT, *_TABLES, *_ROWS)
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
    elif form == parquet_rows.PARQUET or (form is None and parquet_rows.is_parquet(path)):
        contents = parquet_rows.read(path, chosen or Chosen())
    else:
        text, notes = read_long_text(path, hint="give the path of a file of results")
        contents = _read(text, str(path), form, chosen or Chosen())
        contents = replace(contents, notes=(*contents.notes, *notes))
    if not contents.failures and not any(values for series in contents.series for values in series.values):
        notes_text = f": {' '.join(contents.notes)}" if contents.notes else ""
        raise UsageError(
            f"{path}: the file of {contents.tool} contains no measurements{notes_text}",
            hint="run the benchmark again",
        )
    return contents


def find_tool(path: Path) -> str | None:
    """Return the format that a file looks like; ``None`` of one that is damaged, or of no tool.

    Of a text with commas or tabs, only its name says that it is a table.
    """
    try:
        text, _ = read_long_text(path, hint="")
        looks = _find_looks(text, str(path))
    except SteelyardError:
        return None
    is_doubtful = looks in (columns.CSV, columns.TSV) and _TABLE_SUFFIXES.isdisjoint(path.suffixes)
    return None if is_doubtful else looks


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
    is_json = text.lstrip()[:1] in ("{", "[")
    looks = _find_looks(text, place)
    tool = form or looks
    if is_json and tool is None:
        tool = json_paths.JSON_LINES if lines.holds(text) else json_paths.JSON
    if tool is None:
        problem = "unrecognised format" if text.strip() else "nothing is in it"
        raise UsageError(f"{place}: {problem}", hint=f"formats: {', '.join(list_formats())}")
    if tool in _ROWS:
        return _read_rows(text, place, tool, chosen)
    # A table that is asked for is one, where the text is not plainly something else.
    if tool != looks and not (tool in _TABLES and (looks is None or looks in _TABLES)):
        raise UsageError(
            f"{place}: not a file of {tool}" + (f", but of {looks}" if looks else ""),
            hint=f"--format {looks}, or leave --format out"
            if looks
            else f"formats: {', '.join(list_formats())}",
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
    _refuse_columns(chosen, tool, place, is_json=is_json)
    if tool == go_bench.TOOL and lines.holds(text):
        text = lines.join_go_output(text, place)
    return _OF_TEXT[tool][1](text, place) if tool in _OF_TEXT else _read_json(text, place, tool)


def list_formats() -> tuple[str, ...]:
    """List the names of all formats, those of extensions last."""
    return (*FORMATS, *list_readers())


def _refuse_columns(chosen: Chosen, tool: str, place: str, *, is_json: bool = False) -> None:
    # Which way is better is a question about the answer, whatever tool wrote the file.
    if replace(chosen, sides={}) != Chosen():
        hint = "leave out --value, --by and --unit" + ("; or --format json" if is_json else "")
        raise UsageError(f"{place}: {tool} names its metrics itself", hint=hint)


def _read_rows(text: str, place: str, tool: str, chosen: Chosen) -> FileContents:
    """Read JSON of no tool, by the paths to its values."""
    if tool == json_paths.JSON_LINES:
        document = json_lines(text, place, hint=_DAMAGED)
    else:
        document = decode_document(text, place, hint=_DAMAGED)
    if not chosen.value:
        raise UsageError(
            f"{place}: JSON of no tool that is known, and --value is missing: where are the measurements?",
            hint=f"--value 'results/*/times/*'; or --format, one of: {', '.join(list_formats())}",
        )
    (header, rows), names = json_paths.read_rows(document, chosen.value, place)
    return columns.read_cells(header, rows, place, tool, replace(chosen, value=names))


def _find_looks(text: str, place: str) -> str | None:
    """Return the format that a file looks like."""
    if text.lstrip()[:1] in ("{", "["):
        if lines.holds(text):
            return lines.find_tool(text) or _find_other(text)
        try:
            document = decode_document(text, place, hint=_DAMAGED)
            if catch2.is_json_reporter(document):
                raise catch2.make_json_refusal(place)
            return _get_tool_of(document) or _find_other(text)
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
        keys = first.keys() if isinstance(first, dict) else set()
        lists = ((jmh.TOOL, jmh.LIST_OF), (action_benchmark.TOOL, action_benchmark.ENTRY))
        return next((tool for tool, needed in lists if keys >= needed), None)
    if not isinstance(document, dict):
        return None
    results = document.get("results")
    if isinstance(results, list):
        of_nanobench = (
            bool(results) and isinstance(results[0], dict) and results[0].keys() >= nanobench.RESULT
        )
        return nanobench.TOOL if of_nanobench else hyperfine.TOOL
    keyed = (
        (vitest.TOOL, vitest.REPORTER),
        (gungraun.TOOL, gungraun.KEYS),
        *(
            (reader.TOOL, reader.KEYS)
            for reader in _OF_JSON
            if hasattr(reader, "KEYS") and reader.KEYS != nanobench.KEYS  # whose results are a list
        ),
    )
    tool = next((tool for tool, keys in keyed if document.keys() >= keys), None)
    return tool or (bencher.TOOL if bencher.has_form(document) else None)


def _read_json(text: str, place: str, tool: str) -> FileContents:
    module = next(reader for reader in _OF_JSON if tool == reader.TOOL)
    try:
        make = google_benchmark.keep_fields if module is google_benchmark else None
        contents: FileContents = module.read(decode_document(text, place, hint=_DAMAGED, make=make), place)
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
