"""``LakeRecord``: what is asked of a record, answered from the trials of many in a lake.

What is small (spec, treatments, runs, contexts, warnings) stands in tables of SQLite in memory, as in a
record; blocks and trials are columns, which DuckDB reads.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.sample import Doubles, Failures, Integers, Sample
from steelyard.core.units import Metric, Scalar
from steelyard.design.plan import Block, BlockOutcome, BlockState, Context
from steelyard.extensions.lake.columns import STATES, WHERE, ParquetTrials
from steelyard.extensions.lake.facts import LakeFacts
from steelyard.results.portrait import Disturbed, Excluded
from steelyard.results.proof import Proof
from steelyard.spec.experiment import Experiment
from steelyard.store.entries import Disturbance, Gaps, Journal, RecordProgress
from steelyard.store.lock import LockHolder
from steelyard.store.reading import LEFT_OUT, Reading
from steelyard.store.rows import treatment_rows, write_as_given
from steelyard.store.sampling import find_machines
from steelyard.store.schema import TABLES, VERSION

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

_COMPLETE: Final = STATES.index("complete")
_DISCARDED: Final = STATES.index("discarded")


class RecordInLake(msgspec.Struct, frozen=True):
    """A record of a lake as part of one that is read.

    Attributes
    ----------
    machines : mapping
        The machine of each run by its number; ``None`` where contexts name the node of each block.
    """

    facts: LakeFacts
    machines: Mapping[int, str | None]


class Offsets(msgspec.Struct, frozen=True):
    """What is added to numbers of a record: runs, blocks, trials.

    There are also its contexts by their numbers there, and the machine of a run where blocks are named after
    it.
    """

    runs: int
    blocks: int
    trials: int
    contexts: Mapping[tuple[int, str], int]


class Launches(msgspec.Struct, frozen=True):
    """Launches of a treatment in complete blocks: places in columns, and where they stand."""

    places: Any
    blocks: Integers
    passes: Integers
    contexts: Integers
    trials: Integers


class LakeRecord(Reading):
    """Records of one spec in a lake as one record that nobody writes; a context manager that closes."""

    def __init__(
        self,
        place: str,
        experiment: Experiment,
        parts: Sequence[RecordInLake],
        trials: ParquetTrials,
        *,
        named: bool,
        warning: str = "",
    ) -> None:
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.executescript(TABLES)
        self._parts, self._parquet = parts, trials
        try:
            self._offsets = _fill(connection, experiment, parts, named=named)
            if warning:
                connection.execute(
                    "INSERT INTO warning (at_ns, kind, text) VALUES (0, 'merged', ?)", (warning,)
                )
            super().__init__(Path(place), connection)
        except BaseException:
            connection.close()
            raise
        self._named = named
        self._table: dict[str, Ints] = {}
        self._placed: dict[int, Launches] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close what was opened to read it."""
        self._connection.close()
        self._parquet.close()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Do nothing: a lake that is read does not change."""
        yield

    def read_columns(self) -> Mapping[str, Ints]:
        """Read where trials stand, in numbers of the whole.

        The columns are ``trial``, ``block``, ``run``, ``context``, ``pass``, ``treatment``, ``is ok`` and
        ``timed out`` (0 or 1), ``block_state``, and ``start_ns``.
        """
        import numpy as np

        if self._table:
            return self._table
        table: dict[str, Any] = dict(self._parquet.read(list(WHERE)))
        first = 0
        moved = {name: table[name].copy() for name in ("trial", "block", "run", "context")}
        for part, offsets, count in zip(self._parts, self._offsets, self._parquet.counts, strict=True):
            chosen_rows = slice(first, first + count)
            first += count
            moved["trial"][chosen_rows] += offsets.trials
            moved["block"][chosen_rows] += offsets.blocks
            moved["run"][chosen_rows] += offsets.runs
            moved["context"][chosen_rows] = _map_contexts(
                part, offsets, table, chosen_rows, named=self._named
            )
        if moved["trial"].size and not np.all(np.diff(moved["trial"]) > 0):
            raise LookupError("trials are not in the order of their numbers")
        self._table = table | moved
        return self._table

    def head(self) -> str:
        """Return the last link of the only record; empty where there are several."""
        return self.prove_briefly().head

    def prove(self, noted: str = "") -> Proof:
        """As ``prove_briefly``: the tables that the chain is about are not in a lake."""
        del noted
        return self.prove_briefly()

    def prove_briefly(self) -> Proof:
        """Return what records were proven to be when they were exported.

        Since then, digests of its files hold a lake to what was written.
        """
        for part in self._parts:
            if not part.facts.head:
                return Proof("unproven", reason=f"{part.facts.name} had no digests when it was exported")
        heads = [part.facts.head for part in self._parts]
        return Proof(
            "measured", heads[0] if len(heads) == 1 else "", self.progress().blocks.get("complete", 0)
        )

    @property
    def merged(self) -> bool:
        """Whether it is of several records."""
        return len(self._parts) > 1

    def stream_outcomes(self) -> Iterator[BlockOutcome]:
        """Yield blocks of which a trial ended, with their states."""
        import numpy as np

        table = self.read_columns()
        with self._explained():
            settings = {
                id_: msgspec.json.decode(text) for id_, text in self._query_rows("SELECT * FROM context")
            }
            starts = np.flatnonzero(np.diff(table["block"], prepend=-1))
            ends = [*starts[1:].tolist(), table["block"].size]
            lists = {name: table[name].tolist() for name in ("block", "pass", "context", "block_state")}
            treatments = table["treatment"].tolist()
            for start, end in zip(starts.tolist(), ends, strict=True):
                context, state = lists["context"][start], STATES[lists["block_state"][start]]
                chosen_context = Context(context, settings[context]) if context else None
                block = Block(
                    lists["block"][start],
                    lists["pass"][start],
                    chosen_context,
                    tuple(treatments[start:end]),
                    state == "discarded",
                )
                yield BlockOutcome(block, _end_state(state))

    def samples(self, *metrics: str) -> list[Sample]:
        """Return samples as of a record. A metric with labels stands in no table of a lake.

        Raises
        ------
        UsageError
            The record has no such metric, or it has labels.
        """
        with self._explained():
            described = [self._find_metric(name) for name in metrics]
            # All at once, with where they stand: each further look at the files takes a tenth of a second.
            columns = self._find_columns()
            values = self._parquet.read([*WHERE, *(columns[name] for name in metrics)])
            launches = self._group_launches()
            failures, origins = self.failures(), self.origins()
            return [
                Sample(
                    metric,
                    treatment,
                    *observed,
                    failures=failures[treatment.id],
                    provenance=origins.provenance(metric, treatment),
                    session=origins.session(treatment),
                )
                for metric, _, _ in described
                for treatment in self.treatments
                for observed in (_observe(metric, launches.get(treatment.id), values[columns[metric.name]]),)
            ]

    def _find_columns(self) -> dict[str, str]:
        return {entry.metric.name: entry.column for entry in self._parts[0].facts.metrics}

    def _group_launches(self) -> dict[int, Launches]:
        """Group launches of complete blocks by treatment; samples share what all metrics have in common."""
        import numpy as np

        if self._placed is None:
            table, standing = self.read_columns(), self._find_standing()
            counted = np.flatnonzero(table["block_state"] == _COMPLETE)
            # Few numbers are sorted in a tenth of the time that large ones take.
            keys = table["treatment"][counted]
            keys = keys.astype(np.uint16) if len(self.treatments) < 1 << 16 else keys
            counted = counted[np.argsort(keys, kind="stable")]
            treatments = table["treatment"][counted]
            starts = np.flatnonzero(np.diff(treatments, prepend=-1))
            self._placed = {
                int(treatments[start]): Launches(
                    places,
                    array("q", table["block"][places].tobytes()),
                    array("q", table["pass"][places].tobytes()),
                    array("q", standing[table["context"][places]].tobytes()),
                    array("q", table["trial"][places].tobytes()),
                )
                for start, places in zip(starts.tolist(), np.split(counted, starts[1:]), strict=True)
            }
        return self._placed

    def _find_standing(self) -> Ints:
        """Return the context that stands for each: that of its machine where machines are contexts."""
        import numpy as np

        ((last,),) = self._query_rows("SELECT coalesce(max(id), 0) FROM context")
        standing = np.arange(last + 1)
        for id_, place in find_machines(self._connection).items():
            standing[id_] = place.standing
        return standing

    def times_to_limit(self, limit: float, name: str = "wall_s") -> list[Sample]:
        """Return times as of a record: blocks that are complete, or lack only runs that timed out."""
        import numpy as np

        table = self.read_columns()
        metric, _, _ = self._find_metric(name)
        column = self._find_columns()[name]
        observed = self._parquet.read([column])[column]
        failed = (table["is ok"] == 0) & (table["timed out"] == 0)
        incomplete = table["block_state"] == STATES.index("incomplete")
        spoilt = np.isin(table["block"], table["block"][failed])
        counted = (table["block_state"] == _COMPLETE) | (incomplete & ~spoilt)
        standing, late = self._find_standing(), table["timed out"] == 1
        counted &= late | np.isfinite(observed)
        failures, origins = self.failures(), self.origins()
        samples = []
        for treatment in self.treatments:
            chosen_rows = counted & (table["treatment"] == treatment.id)
            values = np.where(late[chosen_rows], limit, observed[chosen_rows])
            samples.append(
                Sample(
                    metric,
                    treatment,
                    array("d", values.tobytes()),
                    array("q", table["block"][chosen_rows].tobytes()),
                    array("q", table["pass"][chosen_rows].tobytes()),
                    array("q", standing[table["context"][chosen_rows]].tobytes()),
                    array("q", table["trial"][chosen_rows].tobytes()),
                    failures=failures[treatment.id],
                    censored=array("b", late[chosen_rows].astype(np.int8).tobytes()),
                    provenance=origins.provenance(metric, treatment),
                    session=origins.session(treatment),
                )
            )
        return samples

    def failures(self) -> dict[int, Failures]:
        """Return failures as of a record."""
        table = self.read_columns()
        attempted = table["block_state"] != _DISCARDED
        counts, failed, late = (
            Counter(dict(_count(table["treatment"][chosen])))
            for chosen in (
                attempted,
                attempted & (table["is ok"] == 0),
                attempted & (table["timed out"] == 1),
            )
        )
        reasons = self._find_reasons() if failed else {}
        return {
            entry.id: Failures(
                counts[entry.id], failed[entry.id], late[entry.id], reason=reasons.get(entry.id, "")
            )
            for entry in self.treatments
        }

    def _find_reasons(self) -> dict[int, str]:
        """Return the most frequent reason of the failures of each treatment."""
        reasons: dict[int, Counter[str]] = {}
        rows = self._parquet.fetch_rows(
            "treatment, reason", "status <> 'ok' AND reason IS NOT NULL AND block_state <> 'discarded'"
        )
        for _, treatment, reason in rows:
            reasons.setdefault(treatment, Counter())[reason] += 1
        return {treatment: counts.most_common(1)[0][0] for treatment, counts in reasons.items()}

    def labels_of(self, metric: str) -> list[Mapping[str, Scalar]]:
        """Return no labels, since no metric of a lake has any."""
        self._find_metric(metric)
        return [{}]

    def progress(self) -> RecordProgress:
        """Return progress as of a record; blocks without a trial are counted as planned."""
        import numpy as np

        table = self.read_columns()
        firsts = np.flatnonzero(np.diff(table["block"], prepend=-1))
        states = Counter(dict(_count(table["block_state"][firsts])))
        blocks: dict[BlockState, int] = {
            _end_state(name): states[place] for place, name in enumerate(STATES) if states[place]
        }
        complete = table["context"][table["block_state"] == _COMPLETE]
        contexts = np.unique(complete[complete > 0]).size
        trials = table["trial"].size
        last = int(table["start_ns"][-1]) if trials else None
        return RecordProgress(trials, trials, int(np.sum(table["is ok"] == 0)), blocks, contexts, last)

    def disturbances(self) -> dict[int, Disturbance]:
        """Return disturbances as of a record."""
        import numpy as np

        table = self.read_columns()
        if not {"wall_s", "queue_wait_s"} <= self._metrics.keys():
            return {}
        collected = self._parquet.read(["wall_s", "queue_wait_s"])
        counted = table["block_state"] == _COMPLETE
        treatments = table["treatment"][counted]
        waited, wall = collected["queue_wait_s"][counted], collected["wall_s"][counted]
        counts = np.bincount(treatments)
        described, waits, walls = (
            np.bincount(treatments, weights=entry, minlength=counts.size)
            for entry in (~np.isnan(waited), np.nan_to_num(waited), wall)
        )
        return {
            id_: Disturbance(
                id_,
                int(counts[id_]),
                int(described[id_]),
                float(waits[id_] / walls[id_]) if walls[id_] else 0.0,
            )
            for id_ in np.flatnonzero(counts).tolist()
        }

    def excluded_trials(self) -> tuple[Excluded, ...]:
        """Return excluded runs as of a record."""
        rows = self._parquet.fetch_rows(
            "trial, treatment, block, status, reason, block_state, wall_s", "block_state <> 'complete'"
        )
        return tuple(
            Excluded(
                trial + self._offsets[place].trials,
                treatment,
                block + self._offsets[place].blocks,
                status,
                reason or LEFT_OUT.get(state, status),
                wall_s,
            )
            for place, trial, treatment, block, status, reason, state, wall_s in rows
        )

    def disturbed_trials(self, least: float) -> tuple[Disturbed, ...]:
        """Return disturbed runs as of a record."""
        if "queue_wait_s" not in self._metrics:
            return ()
        rows = self._parquet.fetch_rows(
            "trial, treatment, block, queue_wait_s / wall_s",
            f"block_state = 'complete' AND queue_wait_s > {float(least)!r} * wall_s",
        )
        return tuple(
            Disturbed(
                trial + self._offsets[place].trials, treatment, block + self._offsets[place].blocks, share
            )
            for place, trial, treatment, block, share in rows
        )

    def gaps(self, trials: int = 10_000) -> Gaps:
        """Return gaps as of a record."""
        import numpy as np

        table = self.read_columns()
        if "wall_s" not in self._metrics:
            return Gaps(None, None)
        starts = table["start_ns"][:trials]
        ends = starts + np.round(self._parquet.read(["wall_s"])["wall_s"][:trials] * 1e9).astype(np.int64)
        between = np.maximum(0, starts[1:] - ends[:-1]) / 1e9
        same_run = np.diff(table["run"][:trials]) == 0
        same_block = np.diff(table["block"][:trials]) == 0
        medians = []
        for is_same in (True, False):
            chosen = between[same_run & (same_block == is_same)]
            medians.append(float(np.median(chosen)) if chosen.size else None)
        return Gaps(*medians)

    def boots_of_treatments(self) -> dict[int, set[str]]:
        """Return machine starts as of a record."""
        import numpy as np

        table = self.read_columns()
        boots = {run.id: run.boot for run in self.runs()}
        attempted = table["block_state"] != _DISCARDED
        pairs = np.unique(np.stack((table["treatment"][attempted], table["run"][attempted])), axis=1)
        collected: dict[int, set[str]] = {}
        for treatment, run in pairs.T.tolist():
            collected.setdefault(treatment, set()).add(boots[run])
        return collected

    def stream_measurements(self) -> Iterator[Any]:
        """Refuse: a lake has no whole measurements."""
        raise UsageError(
            f"{self.directory} is a lake, of which whole trials are not read",
            hint="read its Parquet files, or export the records themselves",
        )

    def finished_trials(self, block: int) -> set[int]:
        """Return finished trials as of a record."""
        table = self.read_columns()
        return set(table["trial"][table["block"] == block].tolist())

    def journals(self) -> list[Journal]:
        """None: nothing is moved here."""
        return []

    def holder(self) -> LockHolder | None:
        """Return no holder, since nobody writes."""
        return None


def _observe(
    metric: Metric, launches: Launches | None, column: Any
) -> tuple[Doubles, Integers, Integers, Integers, Integers]:
    """Values of a metric, their blocks, passes, contexts and trials.

    Launches in which it was not observed are left out; with a built-in metric, so are all of such a
    treatment: trials that are long enough to be asked are not a fair sample.
    """
    import numpy as np

    if launches is None:
        return array("d"), array("q"), array("q"), array("q"), array("q")
    values = column[launches.places]
    chosen_rows = (launches.blocks, launches.passes, launches.contexts, launches.trials)
    missing = np.isnan(values)
    if missing.any():
        counted = ~missing if metric.kind != "builtin" else np.zeros(missing.size, bool)
        values = values[counted]
        blocks, passes, contexts, trials = (
            array("q", np.frombuffer(entry, np.int64)[counted].tobytes()) for entry in chosen_rows
        )
        chosen_rows = (blocks, passes, contexts, trials)
    return (array("d", values.tobytes()), *chosen_rows)


def _count(column: Ints) -> Iterator[tuple[int, int]]:
    import numpy as np

    values, counts = np.unique(column, return_counts=True)
    yield from zip(values.tolist(), counts.tolist(), strict=True)


def _end_state(state: str) -> BlockState:
    """Return the state of a block that nobody goes on with."""
    match state:
        case "complete" | "discarded":
            return state
        case _:
            return "incomplete"


def _map_contexts(
    part: RecordInLake, offsets: Offsets, table: Mapping[str, Ints], chosen_rows: slice, *, named: bool
) -> Ints:
    """Contexts of trials in numbers of the whole."""
    import numpy as np

    contexts, runs, blocks = (
        table["context"][chosen_rows],
        table["run"][chosen_rows],
        table["block"][chosen_rows],
    )
    if not offsets.contexts:
        return np.zeros(contexts.size, np.int64)
    # The first trial of a block says in which run it began, and a block has one context.
    firsts = np.flatnonzero(np.diff(blocks, prepend=-1))
    began = np.repeat(runs[firsts], np.diff(np.append(firsts, blocks.size)))
    mapped = np.zeros(contexts.size, np.int64)
    for run, context in {*zip(began.tolist(), contexts.tolist(), strict=True)}:
        machine = _find_machine(part, run, context) if named else ""
        mapped[(began == run) & (contexts == context)] = offsets.contexts[context, machine]
    return mapped


def _find_machine(part: RecordInLake, run: int, context: int) -> str:
    return part.machines[run] or str(part.facts.contexts[context]["node"])


def _fill(
    connection: sqlite3.Connection, experiment: Experiment, parts: Sequence[RecordInLake], *, named: bool
) -> list[Offsets]:
    """Fill the tables that are small; the numbers that each record got."""
    first = parts[0].facts
    ids = [part.facts.id for part in parts]
    connection.execute("BEGIN")
    program: dict[str, Any] = {}
    for part in parts:
        program = {**part.facts.program, **program}
    connection.execute(
        "INSERT INTO record VALUES (?, 'steelyard/record', ?, ?, ?, '', ?)",
        (
            first.id if len(ids) == 1 else f"{hash_ids(ids)}",
            VERSION,
            min(part.facts.created_ns for part in parts),
            write_as_given(experiment),
            write_as_given(program),
        ),
    )
    connection.executemany("INSERT INTO treatment VALUES (?, ?, ?)", treatment_rows(first.treatments))
    metrics_of_parts = [{entry.metric.name for entry in part.facts.metrics if entry.column} for part in parts]
    connection.executemany(
        "INSERT INTO metric VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (place, m.name, m.unit, m.kind, m.better, m.about, entry.reduce)
            for place, entry in enumerate(first.metrics, 1)
            if all((m := entry.metric).name in names for names in metrics_of_parts)
        ],
    )
    offsets: list[Offsets] = []
    runs = blocks = trials = contexts = 0
    for part in parts:
        numbers = _add_contexts(connection, part, contexts, named=named)
        offsets.append(Offsets(runs, blocks, trials, numbers))
        _add_runs(connection, part, offsets[-1], alone=len(parts) == 1)
        contexts += len(numbers)
        runs += max((run.id for run in part.facts.runs), default=0)
        blocks += part.facts.blocks
        per_block = len(first.treatments) * experiment.design.replicates
        trials += part.facts.blocks * per_block
    connection.execute("COMMIT")
    return offsets


def hash_ids(ids: Collection[str]) -> str:
    """Return an id for records together."""
    import hashlib

    return hashlib.sha256(" ".join(sorted(ids)).encode()).hexdigest()[:16]


def _add_contexts(
    connection: sqlite3.Connection, part: RecordInLake, last: int, *, named: bool
) -> dict[tuple[int, str], int]:
    facts = part.facts
    drawn: dict[int, dict[str, Scalar]] = facts.contexts or ({0: {}} if named else {})
    numbers: dict[tuple[int, str], int] = {}
    for context, settings in drawn.items():
        machines = [str(name or settings["node"]) for name in part.machines.values()] if named else [""]
        for machine in dict.fromkeys(machines):
            numbers[context, machine] = last + len(numbers) + 1
            full = {**settings, **({"node": machine} if named else {})}
            connection.execute(
                "INSERT INTO context VALUES (?, ?)", (numbers[context, machine], write_as_given(full))
            )
    return numbers


def _add_runs(connection: sqlite3.Connection, part: RecordInLake, offsets: Offsets, *, alone: bool) -> None:
    facts = part.facts
    for run in facts.runs:
        host: dict[str, Scalar] = dict(run.host)
        state = run.state
        if not alone:
            host = {"merged_record": facts.id, "merged_after": offsets.trials, **host}
            state = "interrupted" if state == "running" else state
        connection.execute(
            "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?)",
            (run.id + offsets.runs, run.started_ns, run.ended_ns, run.boot, write_as_given(host), state),
        )
    for notice in facts.warnings:
        if notice.run is not None or alone:
            number = None if notice.run is None else notice.run + offsets.runs
            connection.execute(
                "INSERT INTO warning (run, at_ns, kind, text) VALUES (?, ?, ?, ?)",
                (number, notice.at_ns, notice.kind, notice.text),
            )
    # Rows of these tables name blocks and trials, which are not in tables here.
    connection.execute("PRAGMA foreign_keys = OFF")
    for batch in facts.batches:
        row = (batch.first_trial + offsets.trials, batch.last_trial + offsets.trials)
        connection.execute(
            "INSERT INTO batch VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *row, batch.run + offsets.runs, batch.steal_s, batch.psi_cpu_s, batch.psi_memory_s,
                batch.psi_io_s, batch.load_1min,
            ),
        )  # fmt: skip
    if alone:
        connection.executemany(
            "INSERT INTO look VALUES (?, ?, ?, ?, ?, ?, ?)",
            [msgspec.structs.astuple(look) for look in facts.looks],
        )
        connection.executemany(
            "INSERT INTO extension (after_run, at_ns, from_blocks, to_blocks) VALUES (?, 0, ?, ?)",
            [(entry.after_run, entry.from_blocks, entry.to_blocks) for entry in facts.extensions],
        )
