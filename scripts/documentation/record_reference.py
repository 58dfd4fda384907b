"""The reference of the record, from the SQL that makes its tables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from documentation.markdown import GeneratedBlockError
from documentation.tables import table
from steelyard.store.schema import TABLES, VERSION

_TABLE = re.compile(r"^CREATE TABLE (\w+) \([ ]*(?:-- ([^\n]*))?\n(.*?)^\) STRICT", re.MULTILINE | re.DOTALL)
_VIEW = re.compile(r"^CREATE VIEW (\w+) AS\s*(?:-- (.*))?$", re.MULTILINE)
_COLUMN = re.compile(r"    (\w+) +(TEXT|INTEGER|REAL|BLOB)([^\n]*?)(?:-- (.*))?$")
_CHOICES = re.compile(r"CHECK \((.*)\)")

_ABOUT: Final = {
    "record.version": "of the format, as in the header of the file",
    "journal.name": "file in `journal/`",
    "journal.run": "the run that wrote it",
    "journal.moved_bytes": "so much of the file, from its beginning, is in the tables",
    "run.id": "from 1",
    "run.state": "how it ended, or that it is going on",
    "treatment.id": "from 1; the last factor varies fastest",
    "treatment.label": "the levels that vary, joined by commas",
    "context.id": "from 1, in the order in which contexts are drawn",
    "block.pass": "from 1; every pass visits every context once",
    "block.state": "only trials of complete blocks enter results",
    "block.first_trial": "number of its first trial",
    "trial.run": "the run that measured it",
    "trial.block": "the block it belongs to",
    "trial.treatment": "what was measured",
    "trial.status": "`failed`: ran, and did not pass its verification",
    "trial.wall_ns": "from before the start to after the end",
    "trial.system_us": "as `user_us`",
    "trial.minor_faults": "page faults served without a disk",
    "trial.major_faults": "page faults that read from a disk",
    "trial.voluntary_switches": "context switches because the program waited",
    "trial.involuntary_switches": "context switches because others wanted the CPU",
    "trial.exit_code": "NULL: ended by a signal, or never started",
    "trial.signal": "number of the signal that ended it; NULL: none",
    "trial.argv_bytes": "what the kernel copied to the stack: path and arguments",
    "trial.env_bytes": "what the kernel copied to the stack: the environment",
    "metric.id": "from 1",
    "metric.name": "as in the spec, or built in",
    "metric.better": "`lower`, `higher` or `neither`",
    "metric.about": "one line for tables",
    "labels.id": "from 1",
    "value.trial": "the trial that reported it",
    "value.metric": "what it is a value of, in `metric`",
    "value.labels": "the labels on it, in `labels`; those of a whole trial are `{}`",
    "value.v": "in the unit of the metric",
    "look.block": "the last block before it",
    "look.metric": "name of the metric that was looked at",
    "extension.id": "number of the extension",
    "extension.after_run": "the last run before it was asked for",
    "look.decision": "`capped`: ended without the precision",
    "batch.first_trial": "the first of these trials",
    "batch.last_trial": "the last of them",
    "batch.run": "the run that measured them",
    "batch.psi_memory_s": "as `psi_cpu_s`, for memory",
    "batch.psi_io_s": "as `psi_cpu_s`, for input and output",
    "batch.load_1min": "load average afterwards",
    "warning.id": "from 1",
    "warning.run": "the run that it is about; NULL: the whole record",
    "warning.kind": "a word, for programs",
    "warning.text": "a sentence, for people",
}
"""What the SQL leaves to its names: ``table.column`` to a phrase."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column as the SQL declares it."""

    name: str
    type: str
    meaning: str


@dataclass(frozen=True, slots=True)
class RecordTable:
    """A table as the SQL declares it."""

    name: str
    about: str
    columns: tuple[Column, ...]


def record_tables(sql: str = TABLES) -> dict[str, RecordTable]:
    """The tables by name.

    Raises
    ------
    GeneratedBlockError
        A column that neither the SQL nor this file says a word about.
    """
    result = {}
    for name, about, body in _TABLE.findall(sql):
        # A condition that stands on the next line belongs to its column.
        joined = re.sub(r"\n\s+(OR |\()", r" \1", body)
        columns = [_column(name, match) for line in joined.splitlines() if (match := _COLUMN.match(line))]
        result[name] = RecordTable(name, about, tuple(columns))
    return result


def columns(name: str) -> str:
    """The table of the columns of a table.

    Raises
    ------
    GeneratedBlockError
        The record has no such table.
    """
    result = record_tables()
    if name not in result:
        raise GeneratedBlockError(f"there is no table {name!r} in a record; tables: {', '.join(result)}")
    rows = [(f"`{column.name}`", column.type, column.meaning) for column in result[name].columns]
    return table(("column", "type", "what it is"), rows)


def views(sql: str = TABLES) -> str:
    """The table of the views."""
    return table(("view", "what it holds"), [(f"`{name}`", about) for name, about in _VIEW.findall(sql)])


def version() -> str:
    """The version of the format."""
    return f"Version {VERSION}."


def _column(table_name: str, match: re.Match[str]) -> Column:
    name, type_, rest, comment = match.groups()
    meaning = comment or _ABOUT.get(f"{table_name}.{name}")
    if meaning is None:
        raise GeneratedBlockError(f"nothing is said about the column {name} of {table_name}")
    kind = type_ if "NOT NULL" in rest or "PRIMARY KEY" in rest else f"{type_} or NULL"
    if choices := _CHOICES.search(rest):
        named = [f"`{item}`" for item in re.findall(r"'(\w+)'", choices[1])]
        meaning = f"{', '.join(named)}; {meaning}"
    return Column(name, kind, meaning)
