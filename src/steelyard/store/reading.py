"""Everything that can be asked of a record."""

from __future__ import annotations

import functools
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import Concatenate, Final, ParamSpec, TypeVar

import msgspec

from steelyard.core.sample import Failures, Sample
from steelyard.core.units import Scalar
from steelyard.design.plan import Block, BlockOutcome, BlockState, Context, Extension
from steelyard.results.portrait import Disturbed, Excluded
from steelyard.run.measure.measurement import Measurement
from steelyard.store.database import explained
from steelyard.store.entries import (
    Disturbance,
    Gaps,
    Journal,
    LoadOfBatch,
    Look,
    RecordProgress,
    Run,
    StoredNotice,
)
from steelyard.store.facts import FILE, Facts
from steelyard.store.lock import LockHolder, holder
from steelyard.store.provenance import Origins
from steelyard.store.sampling import (
    ALWAYS,
    REDUCTIONS,
    CensoredColumns,
    LaunchColumns,
    LaunchOrigin,
    builtin_columns,
    find_machines,
    reported_columns,
    times_to_limit,
    uncounted,
)
from steelyard.store.trials import Trials, disturbances, measurements

LEFT_OUT: Final = {
    "discarded": "of a block that is discarded",
    "planned": "of a block that is not finished",
    "incomplete": "of a block that lacks another run",
}
"""Why a trial with which nothing was wrong is in no result, by the state of its block."""

P = ParamSpec("P")
S = TypeVar("S", bound=Facts)
T = TypeVar("T")


def _asked(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Return a question, in which what goes wrong is told as damage of the file where it is that."""

    @functools.wraps(method)
    def explained(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with self._explained():
            return method(self, *args, **kwargs)

    return explained


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

    @property
    def merged(self) -> bool:
        """Whether it was made of other records."""
        with self._explained():
            rows = self._rows("SELECT 1 FROM run WHERE json_extract(host, '$.merged_record') IS NOT NULL")
            return rows.fetchone() is not None

    @_asked
    def name_machines(self) -> dict[int, str]:
        """Name the machines on which blocks ran, by the id of the context that stands for each in samples.

        Empty where contexts name none, or all of them one.
        """
        return {place.standing: place.name for place in find_machines(self._connection).values()}

    @_asked
    def outcomes(self) -> list[BlockOutcome]:
        """All blocks drawn so far with their states, in the order of execution."""
        return list(self.stream_outcomes())

    def stream_outcomes(self) -> Iterator[BlockOutcome]:
        """Yield what `outcomes` returns, block by block."""
        with self._explained():
            settings = {id_: msgspec.json.decode(text) for id_, text in self._rows("SELECT * FROM context")}
            for id_, pass_, context, discard, state, drawn in self._rows(
                "SELECT id, pass, context, discard, state, drawn FROM block ORDER BY id"
            ):
                its = None if context is None else Context(context, settings[context])
                yield BlockOutcome(Block(id_, pass_, its, _order(drawn), bool(discard)), state)

    def stream_measurements(self) -> Iterator[tuple[int, Measurement]]:
        """Yield run and measurement of each trial, in the order of the plan; without captured output."""
        with self._explained():
            yield from measurements(self._connection)

    @_asked
    def finished_trials(self, block: int) -> set[int]:
        """Numbers of the block's trials that are in the record already."""
        return {
            row[0]
            for row in self._rows(
                "SELECT trial.id FROM block JOIN trial"
                " ON trial.id >= first_trial AND trial.id < first_trial + trials WHERE block.id = ?",
                block,
            )
        }

    @_asked
    def origins(self) -> Origins:
        """Return the provenance of values: measured, simulated, or of more ranks than CPUs."""
        one_process = any("one_process" in item for item in self.program.values())
        return Origins.of(self._experiment_json, self.runs(), one_process=one_process)

    @_asked
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
        asked = [self._metric(name) for name in metrics]
        together = [name for name in metrics if name in ALWAYS]
        trials = self._trials or Trials(self._connection)
        always = builtin_columns(self._connection, trials, together) if together else {}
        origin = LaunchOrigin(self._connection)
        failures = self.failures()
        treatments = {treatment.id: treatment for treatment in self.treatments}
        origins = self.origins()
        samples = []
        for metric, id_, reduce in asked:
            place = together.index(metric.name) if metric.name in together else 0
            found: Mapping[tuple[int, int], LaunchColumns]
            labels: Mapping[int, Mapping[str, Scalar]] = {0: {}}
            if metric.kind == "builtin":
                its = (
                    always
                    if metric.name in together
                    else builtin_columns(self._connection, trials, [metric.name])
                )
                found = {(0, treatment): columns for treatment, columns in its.items()}
            else:
                found = reported_columns(self._connection, trials, id_, REDUCTIONS[reduce])
                labels = self._labels_among({label for label, _ in found}) or labels
                levels = [(label, treatments[of].levels) for label, of in found]
                labels, same = _without_restated(labels, levels)
                found = {(same[label], treatment): columns for (label, treatment), columns in found.items()}
            if not any(labels.values()):
                plain = next(iter(labels))
                found = {
                    (plain, treatment): LaunchColumns.empty(1 + place) for treatment in treatments
                } | found
            for (label, treatment), columns in sorted(found.items(), key=itemgetter(0)):
                passes, contexts = origin.of(columns)
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
                    )
                )
        return samples

    @_asked
    def times_to_limit(self, limit_s: float) -> list[Sample]:
        """Return elapsed times for each treatment, up to the limit.

        They are from complete blocks and from those that lack nothing but runs that timed out: these are
        ``censored``, with the limit as their value.
        """
        metric, _, _ = self._metric("wall_s")
        origin, failures = LaunchOrigin(self._connection), self.failures()
        origins = self.origins()
        found = times_to_limit(self._connection, limit_s)
        samples = []
        for treatment in self.treatments:
            columns = found.get(treatment.id, CensoredColumns(LaunchColumns.empty(1), array("b")))
            passes, contexts = origin.of(columns.columns)
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
                )
            )
        return samples

    @_asked
    def failures(self) -> dict[int, Failures]:
        """Numbers of trials of each treatment that were attempted and failed, discarded blocks left out."""
        trials = self._trials or Trials(self._connection)
        attempted = Counter(trials.columns("treatment")[0])
        attempted.subtract(
            dict(
                self._rows(
                    "SELECT treatment, count(*) FROM block CROSS JOIN trial"
                    " ON trial.id BETWEEN first_trial AND min(first_trial + trials - 1, ?)"
                    " WHERE discard GROUP BY treatment",
                    trials.last,
                )
            )
        )
        failed = {
            treatment: (count, late)
            for treatment, count, late in self._rows(
                "SELECT treatment, count(*), sum(status = 'timed_out') FROM attempted"
                " WHERE status <> 'ok' GROUP BY treatment"
            )
        }
        return {
            treatment.id: Failures(attempted[treatment.id], *failed.get(treatment.id, (0, 0)))
            for treatment in self.treatments
        }

    @_asked
    def labels_of(self, metric: str) -> list[Mapping[str, Scalar]]:
        """Return the labels under which the record has values of the metric.

        Raises
        ------
        UsageError
            The record has no such metric.
        """
        what, id_, _ = self._metric(metric)
        if what.kind == "builtin":
            return [{}]
        used = {row[0] for row in self._rows("SELECT DISTINCT labels FROM value WHERE metric = ?", id_)}
        return list(self._labels_among(used).values())

    @_asked
    def progress(self) -> RecordProgress:
        """Return the counts; a million trials take a tenth of a second."""
        blocks: dict[BlockState, int] = {}
        planned = contexts = 0
        for state, count, trials, its in self._rows(
            "SELECT state, count(*), sum(trials), count(DISTINCT context) FROM block GROUP BY state"
        ):
            blocks[state] = count
            planned += trials
            if state == "complete":
                contexts = its
        # One count a statement: SQLite has a short way to count all rows, and only then.
        ((trials,),) = self._rows("SELECT count(*) FROM trial")
        ((failed,),) = self._rows("SELECT count(*) FROM trial WHERE status <> 'ok'")
        ((last,),) = self._rows("SELECT (SELECT start_ns FROM trial ORDER BY id DESC LIMIT 1)")
        return RecordProgress(planned, trials, failed, blocks, contexts, last)

    @_asked
    def count_by_run(self) -> dict[int, tuple[int, int]]:
        """Trials of each run, and complete blocks that it began."""
        trials = dict(self._rows("SELECT run, count(*) FROM trial GROUP BY run"))
        blocks: Counter[int] = Counter(
            run
            for (run,) in self._rows(
                "SELECT (SELECT run FROM trial WHERE trial.id >= first_trial"
                " AND trial.id < first_trial + trials ORDER BY trial.id LIMIT 1)"
                " FROM block WHERE state = 'complete'"
            )
        )
        return {run: (count, blocks[run]) for run, count in trials.items()}

    @_asked
    def runs(self) -> list[Run]:
        """Every time that somebody worked on the record."""
        return [
            Run(id_, started, ended, boot, msgspec.json.decode(host), state)
            for id_, started, ended, boot, host, state in self._rows(
                "SELECT id, started_ns, ended_ns, boot, host, state FROM run ORDER BY id"
            )
        ]

    @_asked
    def looks(self) -> list[Look]:
        """Return the looks of the stop rule, in order."""
        return [
            Look(*row)
            for row in self._rows(
                "SELECT block, metric, at_ns, blocks, rel_halfwidth, wanted, decision FROM look"
                " ORDER BY block, metric"
            )
        ]

    @_asked
    def extensions(self) -> tuple[Extension, ...]:
        """Blocks that were asked for after the experiment had ended, in that order."""
        if not list(self._rows("SELECT 1 FROM sqlite_schema WHERE name = 'extension'")):
            return ()
        return tuple(
            Extension(*row)
            for row in self._rows("SELECT after_run, from_blocks, to_blocks FROM extension ORDER BY id")
        )

    @_asked
    def batches(self) -> list[LoadOfBatch]:
        """Load of the host, batch by batch."""
        return [
            LoadOfBatch(*row)
            for row in self._rows(
                "SELECT run, first_trial, last_trial, steal_s, psi_cpu_s, psi_memory_s, psi_io_s, load_1min"
                " FROM batch ORDER BY first_trial"
            )
        ]

    @_asked
    def warnings(self) -> list[StoredNotice]:
        """Warnings that were noted while it ran, each once for each run."""
        return [
            StoredNotice(*row) for row in self._rows("SELECT kind, text, run, at_ns FROM warning ORDER BY id")
        ]

    @_asked
    def disturbances(self) -> dict[int, Disturbance]:
        """Fraction of elapsed time spent waiting for a CPU, for each treatment with complete blocks."""
        trials = self._trials or Trials(self._connection)
        return disturbances(trials, uncounted(self._connection))

    @_asked
    def excluded(self) -> tuple[Excluded, ...]:
        """Trials that are in no result, and why, in the order of the plan."""
        return tuple(
            Excluded(trial, treatment, block, status, reason or LEFT_OUT.get(state, status), wall_ns / 1e9)
            for trial, treatment, block, status, reason, wall_ns, state in self._rows(
                "SELECT trial.id, treatment, block, status, reason, wall_ns, state"
                " FROM block CROSS JOIN trial ON trial.id >= first_trial AND trial.id < first_trial + trials"
                " WHERE state <> 'complete' ORDER BY trial.id"
            )
        )

    @_asked
    def disturbed(self, least: float) -> tuple[Disturbed, ...]:
        """Trials of complete blocks that waited for a CPU during more than this fraction of their time."""
        return tuple(
            Disturbed(*row)
            for row in self._rows(
                "SELECT id, treatment, block, 1.0 * queue_wait_ns / wall_ns FROM counted"
                " WHERE queue_wait_ns > ? * wall_ns ORDER BY id",
                least,
            )
        )

    @_asked
    def gaps(self, trials: int = 10_000) -> Gaps:
        """Medians of the time between consecutive trials, over the first ``trials``."""
        from statistics import median

        found: dict[bool, list[float]] = {True: [], False: []}
        before: tuple[int, int, int] | None = None
        for run, block, start, wall in self._rows(
            "SELECT run, block, start_ns, wall_ns FROM trial ORDER BY id LIMIT ?", trials
        ):
            if before is not None and before[0] == run:
                found[before[1] == block].append(max(0, start - before[2]) / 1e9)
            before = run, block, start + wall
        return Gaps(*(median(found[same]) if found[same] else None for same in (True, False)))

    @_asked
    def boots_of_treatments(self) -> dict[int, set[str]]:
        """Return the machine starts during which each treatment was measured, without discarded runs."""
        boots: dict[int, set[str]] = {}
        for treatment, boot in self._rows(
            "SELECT DISTINCT trial.treatment, run.boot FROM trial JOIN run ON trial.run = run.id"
            " JOIN block ON trial.block = block.id WHERE block.discard = 0"
        ):
            boots.setdefault(treatment, set()).add(boot)
        return boots

    def journals(self) -> list[Journal]:
        """Journals that are still there: of the run that goes on, or of one that was killed."""
        left = []
        for name, run, moved in self._rows("SELECT name, run, moved_bytes FROM journal ORDER BY name"):
            path = self.directory / "journal" / name
            if path.exists():
                left.append(Journal(name, path, run, moved, max(0, path.stat().st_size - moved)))
        return left

    def holder(self) -> LockHolder | None:
        """Return the process that is running this record now, if any."""
        return holder(self.directory / "lock")

    @_asked
    def damage(self) -> list[str]:
        """Problems that SQLite's own check of the whole file finds, a line each."""
        return self._damage()

    def _labels_among(self, ids: Collection[int]) -> dict[int, Mapping[str, Scalar]]:
        rows = self._rows("SELECT id, labels FROM labels ORDER BY id")
        return {id_: msgspec.json.decode(text) for id_, text in rows if id_ in ids}


def _without_restated(
    labels: Mapping[int, Mapping[str, Scalar]], found: Sequence[tuple[int, Mapping[str, Scalar]]]
) -> tuple[dict[int, Mapping[str, Scalar]], dict[int, int]]:
    """Return the labels without those that every line has with the level of its treatment.

    Return for each the first that is the same then, too.
    """
    restated = {
        name
        for label, _ in found[:1]
        for name in labels[label]
        if all(name in levels and labels[number].get(name) == levels[name] for number, levels in found)
    }
    left = {
        label: {name: value for name, value in its.items() if name not in restated}
        for label, its in labels.items()
    }
    # As text, in which 1, 1.0 and true are three.
    firsts: dict[bytes, int] = {}
    same = {
        label: firsts.setdefault(msgspec.json.encode(its, order="deterministic"), label)
        for label, its in left.items()
    }
    return {first: left[first] for first in firsts.values()}, same
