"""Everything that can be added to a record."""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import astuple

from steelyard import __version__
from steelyard.core.errors import RecordError
from steelyard.core.units import Scalar
from steelyard.design.plan import Block, BlockState, Extension
from steelyard.files.plain import remove_plain
from steelyard.run.measure.measurement import COLUMNS, Measurement, Value
from steelyard.store.chain import Chain
from steelyard.store.database import explained, set_durable
from steelyard.store.entries import LoadOfBatch, Look, RunState
from steelyard.store.facts import FILE
from steelyard.store.failed_output import FailedOutput
from steelyard.store.lock import WriterLock
from steelyard.store.reading import Reading
from steelyard.store.rows import block_row, canonical, insert_rows, write_as_given
from steelyard.store.schema import EXTENDED_VERSION, EXTENSION

STEELYARD: Final = "steelyard"
"""The fact of a run that says which version of Steelyard measured it."""

_FIELDS: Final = (*COLUMNS, "reason")
_TRIAL: Final = f"trial ({', '.join(('id', *_FIELDS[1:], 'run'))})"

# A block is finished when its last trial is in; what it is then follows from its trials.
_FINISH_BLOCKS: Final = """
UPDATE block SET state = (
    SELECT CASE WHEN count(*) < block.trials THEN 'planned'
                WHEN discard THEN 'discarded'
                WHEN max(status <> 'ok') THEN 'incomplete'
                ELSE 'complete' END
    FROM trial WHERE trial.id >= first_trial AND trial.id < first_trial + block.trials)
WHERE id BETWEEN ? AND ? AND state = 'planned'
  -- Nearly always the last to come: without it nothing needs to be counted.
  AND EXISTS (SELECT 1 FROM trial WHERE trial.id = first_trial + trials - 1)
RETURNING id, state
"""


class Writing(Reading):
    """The changes. Each is one transaction: all of it is in the record, or nothing.

    Every method raises `RecordError` where the disk is full or fails, and `ValueError` on a record that was
    opened for reading.
    """

    def __init__(self, directory: Path, connection: sqlite3.Connection, lock: WriterLock | None) -> None:
        super().__init__(directory, connection)
        self._lock = lock
        self._chain = Chain(connection)
        self._linked_program = self.program
        self._failed_output = FailedOutput(directory / "failed")
        self._labels: dict[str, int] = {}
        self._places: dict[int, tuple[int, Sequence[int]]] = {}
        self._processes_left: dict[int, list[int]] = {}
        """Of each treatment, how many processes those of its trials left that left some."""

    def begin_run(self, host: Mapping[str, Scalar], boot: str) -> int:
        """Note that work begins, and on which host; gives its number. A run that never ended has died."""
        with self._transaction(durable=True):
            died = "UPDATE run SET state = 'died' WHERE state = 'running' RETURNING id"
            for (dead,) in self._connection.execute(died).fetchall():
                self._chain.add_run(dead)
            ((run,),) = self._connection.execute(
                "INSERT INTO run (started_ns, boot, host, state) VALUES (?, ?, ?, 'running') RETURNING id",
                (time.time_ns(), boot, write_as_given({**host, STEELYARD: __version__})),
            ).fetchall()
            self._chain.add_run(run)
            name = self.journal_path(run).name
            self._connection.execute("INSERT INTO journal VALUES (?, ?, 0)", (name, run))
        with explained(self.directory / FILE):
            (self.directory / "journal").mkdir(exist_ok=True)
        return int(run)

    def end_run(self, run: int, state: RunState) -> None:
        """Note how the work ended, and delete its journal if all of it was moved."""
        name = self.journal_path(run).name
        self._note_left_processes(run)
        with self._transaction(durable=True):
            self._connection.execute(
                "UPDATE run SET state = ?, ended_ns = ? WHERE id = ?", (state, time.time_ns(), run)
            )
            self._chain.add_run(run)
        for journal in self.journals():
            if journal.name == name and journal.unmoved_bytes == 0:
                self.drop_journal(name)

    def note_host(self, run: int, facts: Mapping[str, Scalar]) -> None:
        """Add what was found of the host since the run began."""
        with self._transaction(durable=True):
            ((begun,),) = self._connection.execute("SELECT host FROM run WHERE id = ?", (run,)).fetchall()
            facts_of = msgspec.json.decode(begun) | dict(facts)
            self._connection.execute("UPDATE run SET host = ? WHERE id = ?", (write_as_given(facts_of), run))
            self._chain.add_run(run)

    def add_modules(self, modules: Mapping[str, Any]) -> None:
        """Add what programs were observed to map to what was measured; a path that is there stays."""
        with self._transaction(durable=True):
            self.program = {**msgspec.to_builtins(modules), **self.program}
            self._connection.execute("UPDATE record SET program = ?", (write_as_given(self.program),))

    def tidy(self) -> None:
        """Do what closing would wait for: move what was logged into the file, as far as readers let."""
        with explained(self.directory / FILE):
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def journal_path(self, run: int) -> Path:
        """Return the file to which the runner writes during this run."""
        return self.directory / "journal" / f"{run:06}.journal"

    def add_journal(self, run: int, job: str) -> Path:
        """Make room for the journal of one job of this run; gives its file."""
        path = self.journal_path(run).with_name(f"{run:06}-{job}.journal")
        with self._transaction(durable=True):
            self._connection.execute("INSERT INTO journal VALUES (?, ?, 0)", (path.name, run))
        return path.absolute()

    def drop_journal(self, name: str) -> None:
        """Delete a journal of which nothing is wanted any more (a torn last frame is not)."""
        # The tables may still be in the cache of the system; a durable write puts them on the disk first.
        with self._transaction(durable=True):
            self._connection.execute("UPDATE journal SET moved_bytes = moved_bytes WHERE name = ?", (name,))
        with explained(self.directory / FILE):
            remove_plain(self.directory / "journal" / name, within=self.directory)

    def add_blocks(self, blocks: Iterable[Block]) -> None:
        """Store blocks before they are run; on the disk when this returns, as no order is drawn twice."""
        blocks = list(blocks)
        # Few orders in many blocks, where treatments are few.
        orders = {order: write_as_given(order) for order in {block.order for block in blocks}}
        contexts = {block.context.id: block.context for block in blocks if block.context is not None}
        with self._transaction(durable=True):
            self._connection.executemany(
                "INSERT INTO context VALUES (?, ?) ON CONFLICT DO NOTHING",
                [(context.id, write_as_given(dict(context.settings))) for context in contexts.values()],
            )
            insert_rows(
                self._connection,
                "block",
                [block_row(block, "planned", orders[block.order]) for block in blocks],
            )
        # Their trials come next, and are checked against what was drawn.
        self._places = {block.id: (block.first_trial, block.order) for block in blocks}

    def take(
        self, run: int, measurements: Sequence[Measurement], journal_name: str, journal_offset: int
    ) -> None:
        """Move trials from the journal into the tables, all or none.

        In the same transaction, blocks that this finishes become complete, incomplete or discarded, and the
        offset up to which the journal was moved is noted: whatever dies when, going on from `journal_offset`
        loses and doubles nothing.

        Raises
        ------
        RecordError
            The disk is full or fails, or a trial is in the record already; nothing of this call is kept then.
        ValueError
            A trial is not where its block has it, a value is not finite, its metric or the run is unknown, or
            the offset goes back.
        """
        self._check_places(measurements)
        with self._transaction(durable=False), _refused(self.directory, run):
            self._failed_output.keep(measurements)
            late = self._find_late(measurements)
            insert_rows(self._connection, _TRIAL, [(*astuple(m)[: len(_FIELDS)], run) for m in measurements])
            insert_rows(
                self._connection,
                "value",
                [
                    (
                        m.trial,
                        self._find_metric_id(v.metric),
                        self._find_labels_id(v.labels),
                        v.i,
                        _compute_finite(v),
                    )
                    for m in measurements
                    for v in m.values
                ],
            )
            if measurements:
                ids = [m.block for m in measurements]
                finished = self._connection.execute(_FINISH_BLOCKS, (min(ids), max(ids))).fetchall()
                self._chain.add_blocks(sorted(id_ for id_, state in finished if state != "planned"))
                self._chain.add_late(late)
            moved = self._connection.execute(
                "UPDATE journal SET moved_bytes = ? WHERE name = ? AND moved_bytes <= ?",
                (journal_offset, journal_name, journal_offset),
            )
            if moved.rowcount != 1:
                raise ValueError(
                    f"journal {journal_name} is unknown, or is moved beyond {journal_offset} already"
                )
        for m in measurements:
            if m.left_processes:
                self._processes_left.setdefault(m.treatment, []).append(m.left_processes)

    def journal_offset(self, name: str) -> int:
        """Byte up to which the journal was moved.

        Raises
        ------
        ValueError
            No run has such a journal.
        """
        with explained(self.directory / FILE):
            row = self._query_rows("SELECT moved_bytes FROM journal WHERE name = ?", name).fetchone()
        if row is None:
            raise ValueError(f"no run has a journal {name}")
        return int(row[0])

    def set_block_states(self, states: Mapping[int, BlockState]) -> None:
        """Give up blocks that cannot be finished (``incomplete``); `take` itself sets what trials say.

        Raises
        ------
        ValueError
            A block is called complete and is not.
        """
        with self._transaction(durable=True):
            for block, state in states.items():
                ((before,),) = self._query_rows("SELECT state FROM block WHERE id = ?", block).fetchall()
                self._connection.execute("UPDATE block SET state = ? WHERE id = ?", (state, block))
                for _ in self._connection.execute(
                    "SELECT 1 FROM block WHERE id = ? AND state = 'complete' AND trials <>"
                    " (SELECT count(*) FROM counted WHERE counted.block = block.id AND status = 'ok'"
                    " AND counted.id >= first_trial AND counted.id < first_trial + trials)",
                    (block,),
                ):
                    raise ValueError(f"block {block} is not complete")
                if before == "planned":
                    self._chain.add_blocks([block])
                elif before != state:
                    self._chain.add_given_up(block)

    def add_look(self, look: Look) -> None:
        """Store what the stop rule saw."""
        with self._transaction(durable=False):
            self._connection.execute(
                "INSERT INTO look VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    look.block,
                    look.metric,
                    look.at_ns,
                    look.blocks,
                    look.rel_halfwidth,
                    look.target,
                    look.decision,
                ),
            )
            self._chain.add_rows("look", [f"{look.block} {look.metric}"])

    def add_extension(self, extension: Extension) -> None:
        """Ask for more blocks; a record of version 1 becomes one of version 2."""
        with self._transaction(durable=True):
            if not list(self._query_rows("SELECT 1 FROM sqlite_schema WHERE name = 'extension'")):
                self._connection.execute(EXTENSION)
                self._connection.execute("UPDATE record SET version = ?", (EXTENDED_VERSION,))
                self._connection.execute(f"PRAGMA user_version = {EXTENDED_VERSION}")
            ((number,),) = self._connection.execute(
                "INSERT INTO extension (after_run, at_ns, from_blocks, to_blocks) VALUES (?, ?, ?, ?)"
                " RETURNING id",
                (extension.after_run, time.time_ns(), extension.from_blocks, extension.to_blocks),
            ).fetchall()
            self._chain.add_rows("extension", [number])

    def add_batch(self, batch: LoadOfBatch) -> None:
        """Store the load of the host during trials that were taken."""
        with self._transaction(durable=False):
            self._connection.execute(
                "INSERT INTO batch VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    batch.first_trial, batch.last_trial, batch.run, batch.steal_s, batch.psi_cpu_s,
                    batch.psi_memory_s, batch.psi_io_s, batch.load_1min,
                ),
            )  # fmt: skip
            self._chain.add_rows("batch", [batch.first_trial])

    def add_warning(self, kind: str, text: str, run: int | None = None) -> None:
        """Store a warning; the same one is stored once for each run."""
        with self._transaction(durable=False):
            rows = self._connection.execute(
                "INSERT INTO warning (run, at_ns, kind, text) SELECT ?, ?, ?, ? WHERE NOT EXISTS"
                " (SELECT 1 FROM warning WHERE run IS ? AND kind = ? AND text = ?) RETURNING id",
                (run, time.time_ns(), kind, text, run, kind, text),
            ).fetchall()
            self._chain.add_rows("warning", [id_ for (id_,) in rows])

    def _note_left_processes(self, run: int) -> None:
        for treatment in self.treatments:
            if numbers := self._processes_left.pop(treatment.id, None):
                trials = "1 run" if len(numbers) == 1 else f"{len(numbers):,} runs"
                processes = "1 process" if sum(numbers) == 1 else f"{sum(numbers):,} processes"
                tree = "tree_cpu_s" in self.experiment.program.counters
                counted = "no metric but tree_cpu_s" if tree else "no metric"
                self.add_warning(
                    "left_processes",
                    f"{treatment.label}: {trials} ended before {processes} that they started. Steelyard ended"
                    f" those; what they used is in {counted}, but may look like the load of others.",
                    run,
                )

    @contextmanager
    def _transaction(self, *, durable: bool) -> Iterator[None]:
        if self._lock is None:
            raise ValueError("the record is not open for writing")
        with explained(self.directory / FILE):
            # Of a transaction that Ctrl-C ended between its beginning and the block that would take it back.
            self._connection.rollback()
            try:
                set_durable(self._connection, durable=durable)
                self._connection.execute("BEGIN IMMEDIATE")
                yield
                if self.program is not self._linked_program:
                    self._chain.add_program()
                self._connection.execute("COMMIT")
                self._linked_program = self.program
            except BaseException:
                # Ids of labels that were new in this transaction are not in the file.
                self._labels.clear()
                self._connection.rollback()
                raise

    def _check_places(self, measurements: Sequence[Measurement]) -> None:
        blocks = {m.block for m in measurements}
        # A block of many treatments comes in many batches; its order is read once.
        places = {block: place for block, place in self._places.items() if block in blocks}
        if unknown := blocks - places.keys():
            with self._explained():
                places |= {
                    id_: (first, msgspec.json.decode(drawn))
                    for id_, first, drawn in self._query_rows(
                        "SELECT id, first_trial, drawn FROM block WHERE id BETWEEN ? AND ?",
                        min(unknown),
                        max(unknown),
                    )
                }
        for m in measurements:
            first, drawn = places.get(m.block, (0, ()))
            place = m.trial - first
            if not (place == m.place - 1 and 0 <= place < len(drawn) and drawn[place] == m.treatment):
                raise ValueError(
                    f"trial {m.trial} of treatment {m.treatment} is not at place {m.place} of block {m.block}"
                )
        self._places = places

    def _find_late(self, measurements: Sequence[Measurement]) -> list[int]:
        """List the trials that come when their block has ended without them."""
        if not measurements:
            return []
        ids = [m.block for m in measurements]
        rows = self._query_rows(
            "SELECT id FROM block WHERE id BETWEEN ? AND ? AND state <> 'planned'", min(ids), max(ids)
        )
        ended = {id_ for (id_,) in rows}
        return [m.trial for m in measurements if m.block in ended] if ended else []

    def _find_metric_id(self, name: str) -> int:
        metric, id_, _ = self._metrics.get(name, (None, 0, ""))
        if metric is None or metric.kind == "builtin":
            raise ValueError(f"the record was not made for a metric {name!r}")
        return id_

    def _find_labels_id(self, labels: Mapping[str, Scalar]) -> int:
        text = canonical(dict(labels)) if labels else "{}"
        try:
            return self._labels[text]
        except KeyError:
            self._connection.execute("INSERT INTO labels (labels) VALUES (?) ON CONFLICT DO NOTHING", (text,))
            ((id_,),) = self._connection.execute("SELECT id FROM labels WHERE labels = ?", (text,)).fetchall()
            self._labels[text] = id_
            return int(id_)


@contextmanager
def _refused(directory: Path, run: int) -> Iterator[None]:
    try:
        yield
    except sqlite3.IntegrityError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
            raise ValueError(f"{directory} has no run {run}") from error
        raise RecordError(
            f"{directory} has one of these trials already: {error}",
            hint=f"close the other program that writes to this record, then: steelyard run {directory}",
        ) from error


def _compute_finite(value: Value) -> float:
    if not math.isfinite(value.value):
        raise ValueError(f"a value of {value.metric} is {value.value}")
    return value.value
