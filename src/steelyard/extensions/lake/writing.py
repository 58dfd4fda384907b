"""From a record to its files in a lake."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from steelyard.core.errors import RecordError, SteelyardError
from steelyard.extensions.exchange.arrow import write_parquet
from steelyard.extensions.exchange.table import Cell, Table, TableColumn
from steelyard.extensions.exchange.trials import trials
from steelyard.extensions.lake.facts import (
    LARGEST_BYTES,
    LakeFacts,
    Reduced,
    TableFile,
    decode,
    encode,
    hash_bytes,
    name_stem,
)
from steelyard.extensions.lake.location import Location
from steelyard.store import Record
from steelyard.store.chain import format_head
from steelyard.store.facts import FILE
from steelyard.store.summaries import Condensed

_LEAN: Final[Mapping[str, Any]] = {
    "compression": "zstd(3)",
    "dictionary_enabled": False,
    "skip_arrow_metadata": True,
    "writer_version": "parquet_2_0",
}
"""With whole numbers as differences, 32 trials take 4.6 kB; as pyarrow writes by default, 11 kB."""

_RATIOS: Final = (
    TableColumn("metric", "text"),
    TableColumn("baseline", "integer"),
    TableColumn("treatment", "integer"),
    TableColumn("block", "integer"),
    TableColumn("log_ratio", "real"),
)


class BlockRatio(msgspec.Struct, frozen=True):
    """The natural logarithm of treatment over baseline in one block, by mean logarithms of its trials."""

    metric: str
    baseline: int
    treatment: int
    block: int
    log_ratio: float


def write_record(
    record: Record, location: Location, spec: str, ratios: Iterable[BlockRatio], condensed: Condensed | None
) -> bool:
    """Write a record into a lake; whether it was not there as it is.

    Raises
    ------
    UsageError
        The place cannot be read or written.
    MachineError
        arro3 is not installed.
    RecordError
        The record is damaged.
    """
    stem, content = name_stem(spec, record.created_ns, record.id), _hash_content(record.directory / FILE)
    present = _read_facts(location, stem)
    if present is not None:
        if present.content == content and _is_whole(location, stem, present):
            return False
        _refuse_fork(record, present, location)
    tables = {
        f"{stem}.parquet": trials(record),
        f"{stem}.ratios.parquet": Table(_RATIOS, _list_rows(ratios)),
    }
    files = []
    for name, table in tables.items():
        counted = _Counted(table.rows)
        out = io.BytesIO()
        trial_file = {
            column.name: "delta_binary_packed" for column in table.columns if column.type == "integer"
        }
        write_parquet(Table(table.columns, iter(counted)), out, column_encoding=trial_file, **_LEAN)
        location.write(name, out.getvalue())
        files.append(TableFile(counted.rows, hash_bytes(out.getvalue())))
    columns = {column.name for column in tables[f"{stem}.parquet"].columns}
    facts = _collect(record, columns, spec, content, condensed, *files)
    location.write(f"{stem}.json.gz", encode(facts))
    return True


def _read_facts(location: Location, stem: str) -> LakeFacts | None:
    """Return what the lake has of a record; ``None`` where that is nothing that can be read."""
    try:
        return decode(location.read(f"{stem}.json.gz", largest=LARGEST_BYTES), stem)
    except SteelyardError:
        return None


def _is_whole(location: Location, stem: str, facts: LakeFacts) -> bool:
    """Whether both tables of a record are as they were written."""
    try:
        return all(
            hash_bytes(location.read(f"{stem}{end}")) == table.digest
            for end, table in ((".parquet", facts.trials), (".ratios.parquet", facts.ratios))
        )
    except SteelyardError:
        return False


def _refuse_fork(record: Record, present: LakeFacts, location: Location) -> None:
    """Refuse to replace trials that the record does not have: of a copy that went on apart, or is longer.

    Raises
    ------
    RecordError
    """
    if present.head and (links := record.links()):
        continues = present.head in {format_head(number, digest) for number, _, _, digest in links}
    else:
        runs = {(run.id, run.started_ns) for run in record.runs()}
        continues = (
            all((run.id, run.started_ns) in runs for run in present.runs)
            and record.progress().trials >= present.trials.rows
        )
    if not continues:
        raise RecordError(
            f"{record.directory} is a copy of what {location.label} has as {present.name}, and lacks trials"
            " of that: it would replace them",
            hint="the copies went on apart, or this is the older one: keep the records, and merge them",
        )


def _find_column(record: Record, metric: str, columns: Collection[str]) -> str:
    """Return the column of a metric, which has another name where a column of every table has its own.

    It is empty where the record has none, or the metric has labels: a column of its name is then another.
    """
    if any(record.labels_of(metric)):
        return ""
    return next((name for name in (f"metric.{metric}", metric) if name in columns), "")


def _collect(
    record: Record,
    columns: Collection[str],
    spec: str,
    content: str,
    condensed: Condensed | None,
    *files: TableFile,
) -> LakeFacts:
    contexts = {
        outcome.block.context.id: dict(outcome.block.context.settings)
        for outcome in (record.stream_outcomes() if record.experiment.contexts else ())
        if outcome.block.context is not None
    }
    trial_file, ratios = files
    return LakeFacts(
        id=record.id,
        name=record.directory.resolve().name.removesuffix(".lab"),
        created_ns=record.created_ns,
        spec=spec,
        content=content,
        experiment=msgspec.json.encode(record.experiment).decode(),
        program=dict(record.program),
        treatments=record.treatments,
        metrics=tuple(
            Reduced(metric, reduce, _find_column(record, metric.name, columns))
            for metric, reduce in record.list_reductions()
        ),
        contexts=contexts,
        runs=tuple(record.runs()),
        looks=tuple(record.looks()),
        extensions=record.extensions(),
        warnings=tuple(record.warnings()),
        batches=tuple(record.batches()),
        blocks=sum(record.progress().blocks.values()),
        condensed=condensed,
        trials=trial_file,
        ratios=ratios,
        head=record.prove_briefly().head,
    )


def _list_rows(ratios: Iterable[BlockRatio]) -> Iterator[tuple[Cell, ...]]:
    for ratio in ratios:
        yield msgspec.structs.astuple(ratio)


class _Counted:
    """Rows, and how many of them have passed."""

    def __init__(self, rows: Iterator[tuple[Cell, ...]]) -> None:
        self.rows = 0
        self._list_rows = rows

    def __iter__(self) -> Iterator[tuple[Cell, ...]]:
        for row in self._list_rows:
            self.rows += 1
            yield row


def _hash_content(file: Path) -> str:
    """Return the digest of a record: of its file, and of the log where a killed run left trials."""
    digest = hashlib.blake2b(digest_size=16)
    for part in (file, file.with_name(f"{file.name}-wal")):
        with suppress(FileNotFoundError), part.open("rb") as opened:
            while piece := opened.read(1 << 20):
                digest.update(piece)
    return digest.hexdigest()
