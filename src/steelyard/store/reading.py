"""Everything that can be asked of a record."""

from __future__ import annotations

import functools
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import PurePath
from typing import Concatenate, Final, ParamSpec, TypeVar

import msgspec

from steelyard.core.errors import RecordError, UsageError
from steelyard.core.sample import Failures, Sample
from steelyard.core.units import Scalar
from steelyard.design.plan import Block, BlockOutcome, BlockState, Context, Extension
from steelyard.results.portrait import Disturbed, Excluded
from steelyard.results.proof import Proof
from steelyard.run.measure.measurement import Measurement
from steelyard.store.chain import Link, find_unproven_parts, read_head, read_links, verify_chain
from steelyard.store.database import explained, is_in_the_middle, make_damage_error, quote
from steelyard.store.digests import has_own_digests
from steelyard.store.entries import (
    Disturbance,
    Gaps,
    Journal,
    LoadOfBatch,
    Look,
    RecordProgress,
    Run,
    StoredNotice,
    TrialKey,
)
from steelyard.store.facts import FILE, Facts
from steelyard.store.lock import LockHolder, holder
from steelyard.store.provenance import Origins, Sessions
from steelyard.store.sampling import (
    ALWAYS,
    REDUCTIONS,
    CensoredColumns,
    LaunchColumns,
    LaunchOrigin,
    builtin_columns,
    find_machines,
    list_uncounted,
    reported_columns,
    times_to_limit,
)
from steelyard.store.trials import Trials, disturbances, measurements

LEFT_OUT: Final = {
    "discarded": "in a warm-up block (discarded)",
    "planned": "in a block that is not finished",
    "incomplete": "in a block that lacks another run",
}
"""Why a trial with which nothing was wrong is in no result, by the state of its block."""

P = ParamSpec("P")
S = TypeVar("S", bound=Facts)
T = TypeVar("T")


def _explain_damage(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Return a question, in which what goes wrong is told as damage of the file where it is that."""

    @functools.wraps(method)
    def wrapper(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with self._explained():
            return method(self, *args, **kwargs)

    return wrapper


@functools.lru_cache(maxsize=1024)
def _order(drawn: str) -> tuple[int, ...]:
    # Few treatments have few orders, which then are one object each.
    return tuple(msgspec.json.decode(drawn))


class Reading(Facts):
    """The questions. Every method raises `RecordError` where the file is damaged or cannot be read."""

    _trials: Trials | None = None
    """Columns that all questions about one state share."""

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Questions asked within see one state, whatever a running experiment adds meanwhile."""
        with explained(self.directory / FILE):
            self._connection.execute("BEGIN")
        try:
            with self._explained():
                self._trials = Trials(self._connection)
            yield
        finally:
            self._trials = None
            self._connection.rollback()

    @_explain_damage
    def prove(self, noted: str = "") -> Proof:
        """Compare the record with its chain of digests, and with a head that was noted."""
        with self._one_state():
            return verify_chain(self._connection, noted)

    @_explain_damage
    def prove_briefly(self) -> Proof:
        """As ``prove``; the rows are compared only where another program may have written to the file.

        Of a million trials, comparing takes some seconds.
        """
        file = self.directory / FILE
        if not is_in_the_middle(file) and has_own_digests(file):
            return find_unproven_parts(self._connection)
        with self._one_state():
            return verify_chain(self._connection)

    def refuse_edited(self) -> Proof:
        """Return the proof of a record that may be as it was measured.

        Raises
        ------
        RecordError
            It is known not to be.
        """
        proof = self.prove_briefly()
        if proof.refuted:
            raise RecordError(
                f"{self.directory} was {proof.words}",
                hint=f"restore it from a copy; steelyard verify {quote(self.directory)} says more",
            )
        return proof

    @contextmanager
    def _one_state(self) -> Iterator[None]:
        """Read one state of the record within: links and rows of two would look edited."""
        if self._connection.in_transaction:
            yield
            return
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.rollback()

    def list_versions(self) -> tuple[str, ...]:
        """List the versions of Steelyard that measured it, in the order of their first runs."""
        named = (run.host.get("steelyard") for run in self.runs())
        return tuple(dict.fromkeys(str(version) for version in named if version))

    @_explain_damage
    def head(self) -> str:
        """Return the last link of its chain of digests; empty where it has none."""
        return read_head(self._connection)

    @_explain_damage
    def links(self) -> list[Link]:
        """Return the chain of digests; empty where the record has none."""
        return read_links(self._connection)

    @property
    def merged(self) -> bool:
        """Whether it was made of other records."""
        with self._explained():
            rows = self._query_rows(
                "SELECT 1 FROM run WHERE json_extract(host, '$.merged_record') IS NOT NULL"
            )
            return rows.fetchone() is not None

    @_explain_damage
    def name_machines(self) -> dict[int, str]:
        """Name the machines on which blocks ran, by the id of the context that stands for each in samples.

        Empty where contexts name none, or all of them one.
        """
        return {place.standing: place.name for place in find_machines(self._connection).values()}

    @_explain_damage
    def outcomes(self) -> list[BlockOutcome]:
        """All blocks drawn so far with their states, in the order of execution."""
        return list(self.stream_outcomes())

    def stream_outcomes(self) -> Iterator[BlockOutcome]:
        """Yield what `outcomes` returns, block by block."""
        with self._explained():
            settings = {
                id_: msgspec.json.decode(text) for id_, text in self._query_rows("SELECT * FROM context")
            }
            for id_, pass_, context, discard, state, drawn in self._query_rows(
                "SELECT id, pass, context, discard, state, drawn FROM block ORDER BY id"
            ):
                context_of = None if context is None else Context(context, settings[context])
                yield BlockOutcome(Block(id_, pass_, context_of, _order(drawn), bool(discard)), state)

    def stream_measurements(self) -> Iterator[tuple[int, Measurement]]:
        """Yield run and measurement of each trial, in the order of the plan; without captured output."""
        with self._explained():
            yield from measurements(self._connection)

    @_explain_damage
    def finished_trials(self, block: int) -> set[int]:
        """Numbers of the block's trials that are in the record already."""
        return {
            row[0]
            for row in self._query_rows(
                "SELECT trial.id FROM block JOIN trial"
                " ON trial.id >= first_trial AND trial.id < first_trial + trials WHERE block.id = ?",
                block,
            )
        }

    @_explain_damage
    def origins(self) -> Origins:
        """Return the provenance of values: measured, simulated, or of more ranks than CPUs."""
        one_process = any("one_process" in item for item in self.program.values())
        how = next((item["sessions"] for item in self.program.values() if "sessions" in item), "")
        sessions: Sessions = "apart" if how == "apart" else "units" if how == "units" else ""
        return Origins.make(self._experiment_json, self.runs(), one_process=one_process, sessions=sessions)

    @_explain_damage
    def samples(self, *metrics: str) -> list[Sample]:
        """One sample a metric and treatment, or a metric, treatment and labels, from complete blocks only.

        Labels that repeat what the treatment is, as the number of ranks on each line, are left out.

        Iterations are reduced to one value a launch as the spec declares. A trial in which the metric was not
        observed is left out, and with a built-in metric its whole treatment. A metric without labels gives
        every treatment a sample, if only an empty one. Several built-in metrics at once are read in little
        more time than one; their samples share arrays.

        Raises
        ------
        UsageError
            The record has no such metric.
        """
        rows = [self._find_metric(name) for name in metrics]
        together = [name for name in metrics if name in ALWAYS]
        trials = self._trials or Trials(self._connection)
        always = builtin_columns(self._connection, trials, together) if together else {}
        origin = LaunchOrigin(self._connection)
        failures = self.failures()
        treatments = {treatment.id: treatment for treatment in self.treatments}
        origins = self.origins()
        samples = []
        for metric, id_, reduce in rows:
            place = together.index(metric.name) if metric.name in together else 0
            columns_of: Mapping[tuple[int, int], LaunchColumns]
            labels: Mapping[int, Mapping[str, Scalar]] = {0: {}}
            if metric.kind == "builtin":
                by_treatment = (
                    always
                    if metric.name in together
                    else builtin_columns(self._connection, trials, [metric.name])
                )
                columns_of = {(0, treatment): columns for treatment, columns in by_treatment.items()}
            else:
                columns_of = reported_columns(self._connection, trials, id_, REDUCTIONS[reduce])
                labels = self._select_labels({label for label, _ in columns_of}) or labels
                levels = [(label, treatments[treatment].levels) for label, treatment in columns_of]
                labels, restated = _drop_restated(labels, levels)
                columns_of = {
                    (restated[label], treatment): columns
                    for (label, treatment), columns in columns_of.items()
                }
            if not any(labels.values()):
                plain = next(iter(labels))
                columns_of = {
                    (plain, treatment): LaunchColumns.empty(1 + place) for treatment in treatments
                } | columns_of
            for (label, treatment), columns in sorted(columns_of.items(), key=itemgetter(0)):
                passes, contexts = origin.look_up(columns)
                samples.append(
                    Sample(
                        metric,
                        treatments[treatment],
                        columns.values[place],
                        columns.blocks,
                        passes,
                        contexts,
                        columns.trials,
                        labels[label],
                        failures[treatment],
                        provenance=origins.provenance(metric, treatments[treatment]),
                        session=origins.session(treatments[treatment]),
                    )
                )
        return samples

    @_explain_damage
    def times_to_limit(self, limit: float, name: str = "wall_s") -> list[Sample]:
        """Return elapsed times, or another metric, for each treatment, up to the limit.

        They are from complete blocks and from those that lack nothing but runs that timed out: these are
        ``censored``, with the limit as their value.

        Raises
        ------
        UsageError
            The record has no such metric, or it has labels.
        """
        metric, id_, reduce = self._find_metric(name)
        if any(self.labels_of(name)):
            raise UsageError(
                f"{self.directory}: {name} has labels, and a run that timed out says none",
                hint='write failures = "refuse"',
            )
        origin, failures = LaunchOrigin(self._connection), self.failures()
        origins = self.origins()
        reported = None if metric.kind == "builtin" else (id_, REDUCTIONS[reduce])
        by_treatment = times_to_limit(self._connection, limit, reported)
        samples = []
        for treatment in self.treatments:
            columns = by_treatment.get(treatment.id, CensoredColumns(LaunchColumns.empty(1), array("b")))
            passes, contexts = origin.look_up(columns.columns)
            samples.append(
                Sample(
                    metric,
                    treatment,
                    columns.columns.values[0],
                    columns.columns.blocks,
                    passes,
                    contexts,
                    columns.columns.trials,
                    failures=failures[treatment.id],
                    censored=columns.censored,
                    provenance=origins.provenance(metric, treatment),
                    session=origins.session(treatment),
                )
            )
        return samples

    @_explain_damage
    def failures(self) -> dict[int, Failures]:
        """Numbers of trials of each treatment that were attempted and failed, discarded blocks left out."""
        trials = self._trials or Trials(self._connection)
        attempted = Counter(trials.columns("treatment")[0])
        attempted.subtract(
            dict(
                self._query_rows(
                    "SELECT treatment, count(*) FROM block CROSS JOIN trial"
                    " ON trial.id BETWEEN first_trial AND min(first_trial + trials - 1, ?)"
                    " WHERE discard GROUP BY treatment",
                    trials.last,
                )
            )
        )
        failed = {
            treatment: (count, late)
            for treatment, count, late in self._query_rows(
                "SELECT treatment, count(*), sum(status = 'timed_out') FROM attempted"
                " WHERE status <> 'ok' GROUP BY treatment"
            )
        }
        reasons = self._find_reasons() if failed else {}
        return {
            treatment.id: Failures(
                attempted[treatment.id],
                *failed.get(treatment.id, (0, 0)),
                reason=reasons.get(treatment.id, ""),
            )
            for treatment in self.treatments
        }

    def _find_reasons(self) -> dict[int, str]:
        """Return the most frequent reason of the failures of each treatment."""
        rows = self._query_rows(
            "SELECT treatment, reason FROM attempted WHERE status <> 'ok' AND reason IS NOT NULL"
            " GROUP BY treatment, reason ORDER BY count(*), min(id) DESC"
        )
        return dict(rows)

    @_explain_damage
    def labels_of(self, metric: str) -> list[Mapping[str, Scalar]]:
        """Return the labels under which the record has values of the metric.

        Raises
        ------
        UsageError
            The record has no such metric.
        """
        kind, id_, _ = self._find_metric(metric)
        if kind.kind == "builtin":
            return [{}]
        used = {row[0] for row in self._query_rows("SELECT DISTINCT labels FROM value WHERE metric = ?", id_)}
        return list(self._select_labels(used).values())

    @_explain_damage
    def progress(self) -> RecordProgress:
        """Return the counts; a million trials take a tenth of a second."""
        blocks: dict[BlockState, int] = {}
        planned = contexts = 0
        for state, count, trials, names in self._query_rows(
            "SELECT state, count(*), sum(trials), count(DISTINCT context) FROM block GROUP BY state"
        ):
            blocks[state] = count
            planned += trials
            if state == "complete":
                contexts = names
        # One count a statement: SQLite has a short way to count all rows, and only then.
        ((trials,),) = self._query_rows("SELECT count(*) FROM trial")
        ((failed,),) = self._query_rows("SELECT count(*) FROM trial WHERE status <> 'ok'")
        ((last,),) = self._query_rows("SELECT (SELECT start_ns FROM trial ORDER BY id DESC LIMIT 1)")
        return RecordProgress(planned, trials, failed, blocks, contexts, last)

    @_explain_damage
    def list_trial_keys(self) -> list[TrialKey]:
        """List by what each trial is known in every copy of its record, in the order of the plan."""
        before = {run.id: int(run.host.get("merged_after", 0)) for run in self.runs()}
        rows = self._query_rows(
            "SELECT run, block, trial.id, start_ns, state = 'complete' AND trial.id = first_trial FROM trial"
            " JOIN block ON block.id = trial.block ORDER BY trial.id"
        )
        return [
            TrialKey(run, block, number - before[run], start_ns, bool(opens))
            for run, block, number, start_ns, opens in rows
        ]

    @_explain_damage
    def runs(self) -> list[Run]:
        """Every time that somebody worked on the record."""
        return [
            Run(id_, started, ended, boot, msgspec.json.decode(host), state)
            for id_, started, ended, boot, host, state in self._query_rows(
                "SELECT id, started_ns, ended_ns, boot, host, state FROM run ORDER BY id"
            )
        ]

    @_explain_damage
    def looks(self) -> list[Look]:
        """Return the looks of the stop rule, in order."""
        return [
            Look(*row)
            for row in self._query_rows(
                "SELECT block, metric, at_ns, blocks, rel_halfwidth, wanted, decision FROM look"
                " ORDER BY block, metric"
            )
        ]

    @_explain_damage
    def extensions(self) -> tuple[Extension, ...]:
        """Blocks that were asked for after the experiment had ended, in that order."""
        if not list(self._query_rows("SELECT 1 FROM sqlite_schema WHERE name = 'extension'")):
            return ()
        return tuple(
            Extension(*row)
            for row in self._query_rows("SELECT after_run, from_blocks, to_blocks FROM extension ORDER BY id")
        )

    @_explain_damage
    def batches(self) -> list[LoadOfBatch]:
        """Load of the host, batch by batch."""
        return [
            LoadOfBatch(*row)
            for row in self._query_rows(
                "SELECT run, first_trial, last_trial, steal_s, psi_cpu_s, psi_memory_s, psi_io_s, load_1min"
                " FROM batch ORDER BY first_trial"
            )
        ]

    @_explain_damage
    def warnings(self) -> list[StoredNotice]:
        """Warnings that were noted while it ran, each once for each run."""
        return [
            StoredNotice(*row)
            for row in self._query_rows("SELECT kind, text, run, at_ns FROM warning ORDER BY id")
        ]

    @_explain_damage
    def disturbances(self) -> dict[int, Disturbance]:
        """Fraction of elapsed time spent waiting for a CPU, for each treatment with complete blocks."""
        trials = self._trials or Trials(self._connection)
        return disturbances(trials, list_uncounted(self._connection))

    @_explain_damage
    def excluded_trials(self) -> tuple[Excluded, ...]:
        """Trials that are in no result, and why, in the order of the plan."""
        return tuple(
            Excluded(trial, treatment, block, status, reason or LEFT_OUT.get(state, status), wall_ns / 1e9)
            for trial, treatment, block, status, reason, wall_ns, state in self._query_rows(
                "SELECT trial.id, treatment, block, status, reason, wall_ns, state"
                " FROM block CROSS JOIN trial ON trial.id >= first_trial AND trial.id < first_trial + trials"
                " WHERE state <> 'complete' ORDER BY trial.id"
            )
        )

    @_explain_damage
    def disturbed_trials(self, least: float) -> tuple[Disturbed, ...]:
        """Trials of complete blocks that waited for a CPU during more than this fraction of their time."""
        return tuple(
            Disturbed(*row)
            for row in self._query_rows(
                "SELECT id, treatment, block, 1.0 * queue_wait_ns / wall_ns FROM counted"
                " WHERE queue_wait_ns > ? * wall_ns ORDER BY id",
                least,
            )
        )

    @_explain_damage
    def gaps(self, trials: int = 10_000) -> Gaps:
        """Medians of the time between consecutive trials, over the first ``trials``."""
        from statistics import median

        gaps: dict[bool, list[float]] = {True: [], False: []}
        before: tuple[int, int, int] | None = None
        for run, block, start, wall in self._query_rows(
            "SELECT run, block, start_ns, wall_ns FROM trial ORDER BY id LIMIT ?", trials
        ):
            if before is not None and before[0] == run:
                gaps[before[1] == block].append(max(0, start - before[2]) / 1e9)
            before = run, block, start + wall
        return Gaps(*(median(gaps[is_same]) if gaps[is_same] else None for is_same in (True, False)))

    @_explain_damage
    def boots_of_treatments(self) -> dict[int, set[str]]:
        """Return the machine starts during which each treatment was measured, without discarded runs."""
        boots: dict[int, set[str]] = {}
        for treatment, boot in self._query_rows(
            "SELECT DISTINCT trial.treatment, run.boot FROM trial JOIN run ON trial.run = run.id"
            " JOIN block ON trial.block = block.id WHERE block.discard = 0"
        ):
            boots.setdefault(treatment, set()).add(boot)
        return boots

    def journals(self) -> list[Journal]:
        """Journals that are still there: of the run that goes on, or of one that was killed."""
        leftover = []
        for name, run, moved in self._query_rows("SELECT name, run, moved_bytes FROM journal ORDER BY name"):
            if PurePath(name).name != name:
                raise make_damage_error(self.directory / FILE, f"it names a journal {name!r} elsewhere")
            path = self.directory / "journal" / name
            if path.exists():
                leftover.append(Journal(name, path, run, moved, max(0, path.stat().st_size - moved)))
        return leftover

    def holder(self) -> LockHolder | None:
        """Return the process that is running this record now, if any."""
        return holder(self.directory / "lock")

    @_explain_damage
    def damage(self) -> list[str]:
        """Problems that SQLite's own check of the whole file finds, a line each."""
        return self._list_damage()

    def _select_labels(self, ids: Collection[int]) -> dict[int, Mapping[str, Scalar]]:
        rows = self._query_rows("SELECT id, labels FROM labels ORDER BY id")
        return {id_: msgspec.json.decode(text) for id_, text in rows if id_ in ids}


def _drop_restated(
    labels: Mapping[int, Mapping[str, Scalar]], rows: Sequence[tuple[int, Mapping[str, Scalar]]]
) -> tuple[dict[int, Mapping[str, Scalar]], dict[int, int]]:
    """Return the labels without those that every line has with the level of its treatment.

    Return for each the first that is the same then, too.
    """
    restated = {
        name
        for label, _ in rows[:1]
        for name in labels[label]
        if all(name in levels and labels[number].get(name) == levels[name] for number, levels in rows)
    }
    varying = {
        label: {name: value for name, value in values.items() if name not in restated}
        for label, values in labels.items()
    }
    # As text, in which 1, 1.0 and true are three.
    firsts: dict[bytes, int] = {}
    constant = {
        label: firsts.setdefault(msgspec.json.encode(values, order="deterministic"), label)
        for label, values in varying.items()
    }
    return {first: varying[first] for first in firsts.values()}, constant
