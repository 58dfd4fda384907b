"""Blocks of several records of one spec in one record, each on its machine.

A record that was made so keeps, with each run, the record that it comes from and the number after which its
trials were put (``merged_record`` and ``merged_after`` in ``run.host``): a trial is known by the record that
measured it and its number there, however often records are merged.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import quote

import msgspec

from steelyard.core.units import Scalar
from steelyard.store.entries import Run, RunState
from steelyard.store.facts import FILE
from steelyard.store.record import Record
from steelyard.store.rows import write_as_given

RECORD: Final = "merged_record"
AFTER: Final = "merged_after"
PROOF: Final = "merged_proof"
"""Facts of a run that was merged; the last is the head of the chain that its record had, or ``unproven``."""

T = TypeVar("T")

NODE: Final = "node"
"""The setting of contexts that names a machine."""

# The first trial of a block says in which run it began.
_BLOCKS: Final = """
SELECT id, context, (SELECT run FROM source.trial WHERE trial.id >= first_trial
                     AND trial.id < first_trial + trials ORDER BY trial.id LIMIT 1) AS began
FROM source.block WHERE began IS NOT NULL ORDER BY id
"""

_VALUES: Final = """
INSERT INTO value SELECT v.trial + ?, m.id, l.id, v.i, v.v FROM source.value AS v
    JOIN source.trial AS t ON t.id = v.trial JOIN merged ON merged.block = t.block
    JOIN source.metric AS n ON n.id = v.metric JOIN main.metric AS m ON m.name = n.name
    JOIN source.labels AS o ON o.id = v.labels JOIN main.labels AS l ON l.labels = o.labels
"""


class MergedRun(msgspec.Struct, frozen=True):
    """Runs of a record that are to be merged.

    Attributes
    ----------
    directory : Path
        Of the record.
    runs : Mapping[int, str or None]
        The machine of each run, by its number; ``None`` where contexts name the node that was drawn for each
        block. Runs that are not here are left out.
    proof : str
        Head of the record's chain, or ``unproven``.
    without : frozenset of int
        Blocks that another copy of the record has given already.
    """

    directory: Path
    runs: Mapping[int, str | None]
    proof: str = "unproven"
    without: frozenset[int] = frozenset()


def find_origin(record_id: str, run: Run) -> str:
    """Return the record that measured a run, which may have been merged since."""
    return str(run.host.get(RECORD, record_id))


class MergedRecord(Record):
    """A new record, filled from others; each part in one transaction."""

    def take_part(self, part: MergedRun, *, named: bool) -> None:
        """Copy the blocks of these runs, with their trials, values and the load beside them.

        Parameters
        ----------
        named : bool
            Whether contexts are to name the machine of each block.

        Raises
        ------
        RecordError
            The disk is full, or the record is damaged.
        """
        uri = f"file:{quote(str((part.directory / FILE).absolute()))}?mode=ro"
        with self._explained():
            self._connection.execute("ATTACH ? AS source", (uri,))
        try:
            with self._transaction(durable=False):
                self._copy(part, named=named)
        finally:
            self._connection.execute("DETACH source")

    def _copy(self, part: MergedRun, *, named: bool) -> None:
        ((runs_before,),) = self._query_rows("SELECT coalesce(max(id), 0) FROM run")
        ((blocks_before,),) = self._query_rows("SELECT coalesce(max(id), 0) FROM block")
        rows = [
            row
            for row in self._query_rows(_BLOCKS).fetchall()
            if row[2] in part.runs and row[0] not in part.without
        ]
        ((per_block,),) = self._query_rows("SELECT coalesce(max(trials), 0) FROM source.block")
        after = blocks_before * per_block
        self._copy_runs(part, runs_before, after)
        contexts = self._copy_contexts(part, rows, named=named)
        execute = self._connection.execute
        execute("CREATE TEMP TABLE merged (block INTEGER PRIMARY KEY, context INTEGER)")
        try:
            self._connection.executemany("INSERT INTO merged VALUES (?, ?)", contexts)
            # What was planned will not be run here.
            execute(
                "INSERT INTO block SELECT id + ?, pass, merged.context, discard,"
                " CASE state WHEN 'planned' THEN 'incomplete' ELSE state END, drawn, first_trial + ?, trials"
                " FROM source.block JOIN merged ON merged.block = id",
                (blocks_before, after),
            )
            moved = {"id": after, "run": runs_before, "block": blocks_before}
            columns = [row[1] for row in self._query_rows("PRAGMA main.table_info(trial)")]
            chosen = ", ".join(
                f"t.{name} + {moved[name]}" if name in moved else f"t.{name}" for name in columns
            )
            execute(
                f"INSERT INTO trial ({', '.join(columns)}) SELECT {chosen} FROM source.trial AS t"  # noqa: S608
                " JOIN merged ON merged.block = t.block"
            )
            execute("INSERT OR IGNORE INTO labels (labels) SELECT labels FROM source.labels")
            execute(_VALUES, (after,))
            execute(
                "INSERT INTO batch SELECT first_trial + ?1, last_trial + ?1, run + ?2, steal_s, psi_cpu_s,"
                " psi_memory_s, psi_io_s, load_1min FROM source.batch"
                " WHERE first_trial + ?1 IN (SELECT id FROM main.trial)"
                " AND last_trial + ?1 IN (SELECT id FROM main.trial)",
                (after, runs_before),
            )
            self._link_part(runs_before, blocks_before)
        finally:
            execute("DROP TABLE merged")

    def _link_part(self, runs_before: int, blocks_before: int) -> None:
        """Link what was copied: its chain was that of its own record."""
        for (run,) in self._query_rows("SELECT id FROM main.run WHERE id > ?", runs_before).fetchall():
            self._chain.add_run(run)
        blocks = self._query_rows("SELECT id FROM main.block WHERE id > ? ORDER BY id", blocks_before)
        self._chain.add_blocks([block for (block,) in blocks])
        batches = self._query_rows("SELECT first_trial FROM main.batch WHERE run > ?", runs_before)
        self._chain.add_rows("batch", [first for (first,) in batches])
        warnings = self._query_rows("SELECT id FROM main.warning WHERE run > ?", runs_before)
        self._chain.add_rows("warning", [number for (number,) in warnings])

    def _copy_runs(self, part: MergedRun, runs_before: int, after: int) -> None:
        ((record_id,),) = self._query_rows("SELECT id FROM source.record")
        for id_, started, ended, boot, host, state in self._query_rows("SELECT * FROM source.run").fetchall():
            if id_ not in part.runs:
                continue
            facts: dict[str, Scalar] = msgspec.json.decode(host)
            facts_there = {RECORD: record_id, AFTER: 0, PROOF: part.proof} | facts
            facts_there[AFTER] = int(facts_there[AFTER]) + after
            self._connection.execute(
                "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?)",
                (id_ + runs_before, started, ended, boot, write_as_given(facts_there), _end_state(state)),
            )
            self._connection.execute(
                "INSERT INTO warning (run, at_ns, kind, text)"
                " SELECT run + ?, at_ns, kind, text FROM source.warning WHERE run = ?",
                (runs_before, id_),
            )

    def _copy_contexts(
        self, part: MergedRun, rows: Sequence[tuple[int, int | None, int]], *, named: bool
    ) -> list[tuple[int, int | None]]:
        """Each block with its new context: what was drawn for it, and the machine."""
        settings: dict[int, dict[str, Scalar]] = {
            id_: msgspec.json.decode(text)
            for id_, text in self._query_rows("SELECT id, settings FROM source.context")
        }
        ((last,),) = self._query_rows("SELECT coalesce(max(id), 0) FROM context")
        numbers: dict[tuple[int | None, str], int] = {}
        placed: list[tuple[int, int | None]] = []
        for block, context, run in rows:
            if context is None and not named:
                placed.append((block, None))
                continue
            drawn = settings[context] if context is not None else {}
            machine = part.runs[run] or str(drawn[NODE])
            key = (context, machine)
            if key not in numbers:
                numbers[key] = last + len(numbers) + 1
                full = {**drawn, **({NODE: machine} if named else {})}
                self._connection.execute(
                    "INSERT INTO context VALUES (?, ?)", (numbers[key], write_as_given(full))
                )
            placed.append((block, numbers[key]))
        return placed


def _end_state(state: RunState) -> RunState:
    """State of a run that nobody goes on with here."""
    return "interrupted" if state == "running" else state


def order_by_state(parts: Sequence[tuple[RunState, T]]) -> list[T]:
    """Order parts so that the last run is one of those that ended worst.

    A record ended with what its last run ended with.
    """
    order: Collection[RunState] = (
        *("complete", "precision_not_reached", "interrupted", "running", "died", "failed"),
    )
    return [part for _, part in sorted(parts, key=lambda pair: list(order).index(pair[0]))]
