"""Records made of other tools' files.

Nothing pairs the values of such a file, but for the rounds of zenbench, so that the order is sequential and
tests are unpaired. Where all
repetitions come from one process, each is a trial, and the record says so (provenance ``one_process``); where
several processes are known, each is a trial and its repetitions are iterations.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, Final, Literal, Protocol

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.units import BUILTIN, LARGEST_VALUE, Better, Scalar
from steelyard.extensions.exchange.covariates import ColumnsBeside
from steelyard.extensions.exchange.importers import MOST_VALUES, Chosen, read
from steelyard.extensions.exchange.importers.contents import (
    FailedRuns,
    FileContents,
    ImportedSeries,
    identifier,
)
from steelyard.extensions.exchange.importers.identity import choose_sides, name_with_unit, tell_apart
from steelyard.extensions.exchange.importers.machines import (
    MACHINE,
    SOFTWARE,
    describe_differences,
    refuse_other_machines,
)
from steelyard.extensions.exchange.importers.repetitions import limit_repetitions
from steelyard.extensions.exchange.recording import (
    FILE,
    Levels,
    Quantity,
    RecordedTrial,
    Selection,
    Taken,
    choose_compared,
    count_lacking,
    free_name,
    get_levels,
    join_levels,
    write_record,
)
from steelyard.store import Record
from steelyard.store.provenance import Sessions

FailurePolicy = Literal["refuse", "ignore", "count", "as-limit"]

LONGEST_S: Final = 1e9
"""Of a time that is imported; a record counts nanoseconds in 64 bits."""
MOST_TOLD: Final = 4
"""Benchmarks without a value that are named; of more, the number."""
ABSENT: Final = "none"
"""Level of a factor that a benchmark does not have, where others of the file do."""


class ImportSource(msgspec.Struct, frozen=True):
    """A file, and what its measurements are called: files of one name are sessions of the same."""

    name: str
    path: Path


def find_source(text: str) -> ImportSource:
    """Return the file that ``NAME=FILE`` names, or ``FILE``, which is called by its stem."""
    name, sign, path = text.partition("=")
    if sign and name and not Path(text).exists():
        return ImportSource(name, Path(path))
    return ImportSource(Path(re.sub(r"[.](gz|bz2)$", "", text)).stem, Path(text))


def refuse_repeated(sources: Sequence[ImportSource]) -> None:
    """Refuse a file that is named twice: its values would count as so many more."""
    places: set[Path] = set()
    for source in sources:
        place = source.path.resolve()
        if place in places:
            raise UsageError(
                f"{source.path} is named twice: its values would count as a further session",
                hint="name each file once",
            )
        places.add(place)


class ClaimMaker(Protocol):
    """What makes claims of the benchmarks that files have."""

    better: Mapping[str, Better]

    def make(
        self, series: Sequence[ImportedSeries], failures: Sequence[FailedRuns]
    ) -> Sequence[Mapping[str, Any]]:
        """Return ``[[claims]]``."""


def import_files(  # noqa: PLR0913 -- one door for every way in which files are read
    sources: Sequence[ImportSource],
    directory: Path,
    *,
    form: str | None = None,
    chosen: Chosen | None = None,
    question: Selection | None = None,
    policy: FailurePolicy = "refuse",
    limit: float | None = None,
    across_machines: bool = False,
    examine: Callable[[ColumnsBeside, str | None], Sequence[str]] | None = None,
    claims: ClaimMaker | None = None,
) -> Record:
    """Make a record of files of one tool, complete when this returns; close it.

    Parameters
    ----------
    policy : {"refuse", "ignore", "count", "as-limit"}
        What becomes of a comparison with runs that failed: it is not judged; it is, without them; they count
        with what they took, where the file says it; or those that timed out count as at least the limit.
    limit : float, optional
        Value of the primary metric at which runs that timed out were ended; by default that of the files.
    across_machines : bool
        Whether files may be of several machines, which the record then says.
    form, chosen : optional
        As of ``read``.
    examine : function, optional
        From columns that have no role, and the factor that is compared, to what is said of them.
    claims : ClaimMaker, optional
        Makes the claims of series and of runs that failed, and says which way metrics are better. What tells
        benchmarks apart is then one factor, ``benchmark``.

    Raises
    ------
    UsageError
        As ``read`` and ``write_record``; or files of several tools or machines, or a metric in two units.
    RecordError
        The directory exists already, or cannot be written.
    """
    contents_of = _tell_apart(
        [(source, read(source.path, form, chosen)) for source in sources], chosen or Chosen()
    )
    _refuse_mixture(contents_of)
    hosts = {str(source.path): contents.host for source, contents in contents_of}
    if not across_machines:
        refuse_other_machines(hosts)
    limited = limit_repetitions([contents for _, contents in contents_of], MOST_VALUES)
    contents_of = [(source, contents) for (source, _), contents in zip(contents_of, limited, strict=True)]
    refuse_other_metrics(contents_of)
    _refuse_many(contents_of)
    _refuse_impossible(contents_of)
    first = contents_of[0][1]
    pairing: list[str] = []
    if claims is None:
        contents_of, pairing = _pair_single_benchmarks(contents_of)
    sessions = _classify_sessions(contents_of)
    if sessions == "units":
        contents_of = [(source, _join_launches(contents)) for source, contents in contents_of]
    placed, failures = _place_levels(contents_of)
    series, lost = _get_finite(placed)
    _refuse_no_value(contents_of, series, failures)
    if claims is not None:
        series = [
            replace(
                entry,
                levels=_name_benchmark(entry.levels),
                better=claims.better.get(entry.metric, entry.better),
            )
            for entry in series
        ]
        failures = [replace(entry, levels=_name_benchmark(entry.levels)) for entry in failures]
    chosen_question = question or Selection()
    if first.instances:
        chosen_question = replace(chosen_question, instances=free_name(first.instances))
    if claims is not None:
        chosen_question = replace(chosen_question, claims=claims.make(series, failures))
    beside = _join_beside(contents_of)
    cells = [*(entry.levels for entry in series), *(entry.levels for entry in failures)]
    levels = get_levels([tuple(cell.items()) for cell in cells])
    compared = choose_compared(chosen_question, levels, first.tool)
    trials, one_process = _make_trials(series, first, sessions)
    rounds = _arrange_rounds(series, first.rounds) if one_process and len(contents_of) == 1 else []
    trials = rounds or trials
    trials += _list_failed_trials(failures, policy)
    recording = Taken(
        tool=first.tool,
        quantities={
            imported_series.metric: Quantity(imported_series.unit, imported_series.better)
            for imported_series in series
        },
        blocked=bool(rounds),
        cells=[tuple(entry.levels.items()) for entry in series] if rounds else (),
        one_process=one_process,
        sessions=sessions,
        sources={str(source.path): _compute_sha256(source.path) for source, _ in contents_of},
        host=first.host,
        notes=[
            *dict.fromkeys(note for _, contents in contents_of for note in contents.notes),
            *(note for _, contents in contents_of for note in _tell_skipped(contents)),
            *(f"Different {text}." for text in describe_differences(hosts, (*MACHINE, *SOFTWARE))),
            *pairing,
            *lost,
            *(examine(beside, compared) if examine is not None and beside is not None else ()),
        ],
    )
    if claims is not None:
        lacking = count_lacking(trials, recording.quantities)
        judged = [claim for claim in chosen_question.claims if claim.get("metric") not in lacking]
        chosen_question = replace(chosen_question, claims=judged)
    if policy == "ignore":
        chosen_question = replace(chosen_question, failures="ignore")
    if policy == "as-limit":
        primary = chosen_question.metric or series[0].metric
        limit = limit or _find_limit(contents_of, primary)
        _refuse_beyond(series, primary, limit)
        chosen_question = replace(chosen_question, failures="as-limit", limit=limit)
    return write_record(directory, trials, recording, chosen_question)


def _find_limit(contents_of: Sequence[tuple[ImportSource, FileContents]], metric: str) -> float:
    """Return the limit that the files say of a metric.

    Raises
    ------
    UsageError
        They say none, or several.
    """
    limits = {contents.limits.get(metric): source.path for source, contents in contents_of}
    if len(limits) > 1:
        (first, path), (second, further), *_ = limits.items()
        texts = [f"a limit of {value:g}" if value else "no limit" for value in (first, second)]
        raise UsageError(f"{path} has {texts[0]}, and {further} {texts[1]}", hint="--limit 600s")
    (limit,) = limits
    if limit is None:
        raise UsageError(
            f"--failures as-limit: at which {metric} were runs ended?", hint="add --limit, as in --limit 600s"
        )
    return limit


def _refuse_beyond(series: Sequence[ImportedSeries], metric: str, limit: float) -> None:
    """Refuse values of the metric beyond the limit at which runs are said to have been ended."""
    launches = chain.from_iterable(entry.values for entry in series if entry.metric == metric)
    if (largest := max(chain.from_iterable(launches), default=0.0)) > limit:
        raise UsageError(
            f"--limit {limit:g}: a run that went well has {metric} {largest:g}",
            hint="give the limit under which all runs were made; steelyard solvers takes a smaller one",
        )


def _tell_apart(
    contents_of: Sequence[tuple[ImportSource, FileContents]], chosen: Chosen
) -> list[tuple[ImportSource, FileContents]]:
    """Tell benchmarks of one name apart, in all files by the same levels, and metrics by their units."""
    told_apart = tell_apart({str(source.path): contents.series for source, contents in contents_of})
    series = choose_sides(told_apart, chosen.sides, chosen.value)
    names = {entry.metric for entries in series.values() for entry in entries}
    needed = {name for entries in series.values() for entry in entries for name in entry.levels}
    return [
        (
            source,
            replace(
                contents,
                series=tuple(series[str(source.path)]),
                failures=tuple(
                    _qualify_runs(_rename_values(runs, names, contents.series), needed)
                    for runs in contents.failures
                ),
            ),
        )
        for source, contents in contents_of
    ]


def _qualify_runs(runs: FailedRuns, needed: Container[str]) -> FailedRuns:
    """Make levels of those qualifiers that are levels of benchmarks."""
    qualifiers = {name: value for name, value in runs.qualifiers.items() if name in needed}
    return replace(runs, levels={**runs.levels, **qualifiers})


def _rename_values(runs: FailedRuns, names: Container[str], series: Sequence[ImportedSeries]) -> FailedRuns:
    """Return failed runs with values by the names that metrics have now, by the units of their benchmark."""
    units = {entry.metric: entry.unit for entry in series if entry.levels == runs.levels}
    values = [
        {
            new: value
            for name, value in run.items()
            if (new := name if name in names else name_with_unit(name, units.get(name, ""))) in names
        }
        for run in runs.values
    ]
    return replace(runs, values=tuple(run for run in values if run))


def _tell_skipped(contents: FileContents) -> list[str]:
    """Benchmarks without a value, with the reason; those that the reader has told of are told once."""
    notes_text = " ".join(contents.notes)
    missing = [(name, why) for name, why in contents.skipped.items() if name not in notes_text]
    notes = [f"{name} has no value: {why or 'the file does not say why'}." for name, why in missing]
    surplus = len(notes) - MOST_TOLD
    return [*notes[:MOST_TOLD], f"{surplus} more benchmarks have no value."] if surplus > 1 else notes


def _refuse_mixture(contents_of: Sequence[tuple[ImportSource, FileContents]]) -> None:
    tools = {contents.tool.partition(" ")[0]: source.path for source, contents in contents_of}
    if len(tools) > 1:
        (text, first), (different, second), *_ = tools.items()
        raise UsageError(
            f"{first} is a file of {text}, and {second} of {different}: what they call a time is not"
            " the same",
            hint="import each into a record of its own",
        )


def refuse_other_metrics(contents_of: Sequence[tuple[ImportSource, FileContents]]) -> None:
    """Refuse files of which one has no metric of another: nothing of them could be compared."""
    metrics: dict[str, set[str]] = {}
    for source, contents in contents_of:
        metrics.setdefault(source.name, set()).update(entry.metric for entry in contents.series)
    measured = {name: names for name, names in metrics.items() if names}
    first, *sides = measured or {"": set()}
    for name in sides:
        if measured[first].isdisjoint(measured[name]):
            raise UsageError(
                f"{first} has {', '.join(sorted(measured[first]))}, and {name} has"
                f" {', '.join(sorted(measured[name]))}: no metric in common",
                hint="give files of the same measurement, or columns of one name (--value COLUMN)",
            )


def _refuse_many(contents_of: Sequence[tuple[ImportSource, FileContents]]) -> None:
    values = sum(
        len(launch) for _, contents in contents_of for series in contents.series for launch in series.values
    )
    if values > MOST_VALUES:
        raise UsageError(
            f"{values:,} values: a record holds what at most {MOST_VALUES:,} trials have measured",
            hint="import fewer of them; steelyard model reads tables of any length, without a record",
        )


def _refuse_no_value(
    contents_of: Sequence[tuple[ImportSource, FileContents]],
    series: Sequence[ImportedSeries],
    failures: Sequence[FailedRuns],
) -> None:
    """Refuse files of runs that all failed before they measured anything."""
    if series:
        return
    number = sum(entry.failed + entry.timed_out for entry in failures)
    runs = "the only run" if number == 1 else f"each of {number} runs"
    reason = next((entry.reason for entry in failures if entry.reason), "")
    raise UsageError(
        f"{contents_of[0][0].path}: no value: {runs} failed{f' ({reason})' if reason else ''}",
        hint="correct what failed and measure again; beside runs that went well, those that failed count",
    )


def _refuse_impossible(contents_of: Sequence[tuple[ImportSource, FileContents]]) -> None:
    """Refuse times that no clock gives."""
    for source, contents in contents_of:
        for series in contents.series:
            times = chain.from_iterable(series.values) if series.unit == "s" else ()
            value = next((value for value in times if value < 0 or LONGEST_S < value < math.inf), None)
            if value is not None:
                name = ", ".join(str(level) for level in series.levels.values())
                raise UsageError(
                    f"{source.path}: {series.metric} of {name or 'a run'} is {value:g} s,"
                    " which is no duration",
                    hint='correct the file; differences are no times: --unit ""',
                )


def _pair_single_benchmarks(
    contents_of: list[tuple[ImportSource, FileContents]],
) -> tuple[list[tuple[ImportSource, FileContents]], list[str]]:
    """Compare files with each other that have one benchmark each, whatever that is called.

    Returns
    -------
    tuple
        The contents, and what is to be said: what is compared, or that the files share no benchmark.
    """
    levels_of: dict[str, dict[Levels, str]] = {}
    for source, contents in contents_of:
        titles = levels_of.setdefault(source.name, {})
        cells = [entry.levels for entry in contents.series] + [entry.levels for entry in contents.failures]
        titles |= {tuple(cell.items()): " ".join(map(str, cell.values())) for cell in cells}
    if len(levels_of) < 2 or set.intersection(*map(set, levels_of.values())):
        return contents_of, []
    if any(len(titles) > 1 for titles in levels_of.values()):
        return contents_of, [
            "The files have no benchmark in common: nothing of one is compared with another."
        ]
    plain = [
        (
            source,
            replace(
                contents,
                series=tuple(replace(entry, levels={}) for entry in contents.series),
                failures=tuple(replace(entry, levels={}) for entry in contents.failures),
            ),
        )
        for source, contents in contents_of
    ]
    pairs = ", ".join(
        f"{title!r} ({name})" for name, titles in levels_of.items() for title in titles.values()
    )
    return plain, [f"Each file has one benchmark, and these are compared: {pairs}."]


def _classify_sessions(contents_of: Sequence[tuple[ImportSource, FileContents]]) -> Sessions:
    """Say what files are to each other: sessions that are units where a name has several; otherwise apart.

    What differs from file to file, such as the load and the frequency of that hour, is the same for all runs
    of one.
    """
    numbers = Counter(source.name for source, _ in contents_of)
    if max(numbers.values()) > 1:
        return "units"
    return "apart" if len(numbers) > 1 else ""


def _join_launches(contents: FileContents) -> FileContents:
    """Make the launches of a file repetitions of one, the session."""
    series = []
    for entry in contents.series:
        values = tuple(value for launch in entry.values for value in launch if math.isfinite(value))
        # A column of the runner's holds one value a trial.
        mean = (math.fsum(values) / len(values),) if values and entry.metric in BUILTIN else values
        series.append(replace(entry, values=(mean,) if mean else ()))
    return replace(contents, series=tuple(series))


def _place_levels(
    contents_of: Sequence[tuple[ImportSource, FileContents]],
) -> tuple[list[ImportedSeries], list[FailedRuns]]:
    """All series and failures, each with every factor and the name of its file, where there are several."""
    several = len({source.name for source, _ in contents_of}) > 1
    series = [(_make_levels(source, entry, several=several), entry)
              for source, contents in contents_of for entry in contents.series]  # fmt: skip
    failures = [(_make_levels(source, entry, several=several), entry)
                for source, contents in contents_of for entry in contents.failures]  # fmt: skip
    names = list(dict.fromkeys(name for levels, _ in (*series, *failures) for name in levels))
    units: dict[str, str] = {}
    merged: dict[tuple[Levels, str], ImportedSeries] = {}
    for levels, entry in series:
        if units.setdefault(entry.metric, entry.unit) != entry.unit:
            raise UsageError(
                f"{entry.metric} is in {units[entry.metric] or 'no unit'} and in {entry.unit or 'no unit'}",
                hint="import benchmarks of different units into records of their own",
            )
        full = {name: levels.get(name, ABSENT) for name in names}
        key = (tuple(full.items()), entry.metric)
        before = merged[key].values if key in merged else ()
        merged[key] = replace(entry, levels=full, values=(*before, *entry.values))
    cells = [dict(cell) for cell in dict.fromkeys(cell for cell, _ in merged)]
    return list(merged.values()), [
        replace(entry, levels=cell)
        for levels, entry in failures
        for cell in _find_cells(levels, cells) or [{name: levels.get(name, ABSENT) for name in names}]
    ]


def _name_benchmark(levels: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Make one factor of what tells benchmarks apart, by the names that the tool has for it."""
    return dict(join_levels(tuple((name.removesuffix("_"), level) for name, level in levels.items())))


def _join_beside(contents_of: Sequence[tuple[ImportSource, FileContents]]) -> ColumnsBeside | None:
    """Join the further columns of tables that have the same, each row with the name of its file."""
    several = len({source.name for source, _ in contents_of}) > 1
    tables = [(source, contents.beside) for source, contents in contents_of if contents.beside is not None]
    if not tables:
        return None
    names = [name for name in tables[0][1].columns if all(name in table.columns for _, table in tables)]
    return ColumnsBeside(
        tuple(
            _make_levels(source, replace(_NO_SERIES, levels=levels), several=several)
            for source, table in tables
            for levels in table.levels
        ),
        tuple(value for _, table in tables for value in table.values),
        {name: tuple(cell for _, table in tables for cell in table.columns[name]) for name in names},
    )


_NO_SERIES: Final = ImportedSeries({}, "", "", ())


def _find_cells(
    levels: Mapping[str, Scalar], cells: Sequence[Mapping[str, Scalar]]
) -> list[dict[str, Scalar]]:
    """Find the benchmarks that a run may be of which ended before it said all of its levels.

    Those of its own file come first; without one there, it is any that the other files have.
    """
    if any(all(cell.get(name, ABSENT) == levels.get(name, ABSENT) for name in cell) for cell in cells):
        return []
    alike = [dict(cell) for cell in cells if levels.items() <= cell.items()]
    elsewhere = {name: level for name, level in levels.items() if name != FILE}
    namesakes = [{**cell, **levels} for cell in cells if elsewhere.items() <= cell.items()]
    return alike or list({tuple(cell.items()): cell for cell in namesakes}.values())


def _make_levels(
    source: ImportSource, entry: ImportedSeries | FailedRuns, *, several: bool
) -> dict[str, Scalar]:
    named: dict[str, Scalar] = {free_name(identifier(name)): level for name, level in entry.levels.items()}
    return {FILE: source.name, **named} if several else named


def _get_finite(series: Sequence[ImportedSeries]) -> tuple[list[ImportedSeries], list[str]]:
    """Return the series without values that are not finite or too large, with a note about each."""
    finite, lost = [], []
    for imported_series in series:
        values = tuple(
            tuple(v for v in launch if abs(v) <= LARGEST_VALUE) for launch in imported_series.values
        )
        missing = sum(map(len, imported_series.values)) - sum(map(len, values))
        if missing:
            name = ", ".join(str(level) for level in imported_series.levels.values())
            lost.append(
                f"{name}: {missing} values of {imported_series.metric} are not finite, or beyond"
                f" {LARGEST_VALUE:g}, and were left out."
            )
        finite.append(replace(imported_series, values=tuple(launch for launch in values if launch)))
    return finite, lost


def _make_trials(
    series: Sequence[ImportedSeries], contents: FileContents, sessions: Sessions
) -> tuple[list[RecordedTrial], bool]:
    """Return the trials in the order of the files, and whether they are repetitions within one process."""
    is_apart = sessions != "units" and all(len(function.values) < 2 for function in series)
    one_process = contents.repeats == "process" and is_apart
    by_levels: dict[Levels, dict[str, tuple[tuple[float, ...], ...]]] = {}
    for imported_series in series:
        launches = imported_series.values
        if one_process:
            launches = tuple((value,) for launch in launches for value in launch)
        by_levels.setdefault(tuple(imported_series.levels.items()), {})[imported_series.metric] = launches
    trials = [
        RecordedTrial(levels, dict(zip(metrics, launch, strict=True)))
        for levels, metrics in by_levels.items()
        for launch in zip_longest(*metrics.values(), fillvalue=())
    ]
    return trials, one_process and len(trials) > len(by_levels)


def _arrange_rounds(series: Sequence[ImportedSeries], rounds: Sequence[Sequence[int]]) -> list[RecordedTrial]:
    """Return the trials of rounds, each a block in the order in which it ran; none if a value is missing."""
    values = [tuple(chain.from_iterable(entry.values)) for entry in series]
    if any(len(column) != len(rounds) for column in values):
        return []
    return [
        RecordedTrial(
            tuple(series[place].levels.items()), {series[place].metric: (values[place][number],)}, number + 1
        )
        for number, order in enumerate(rounds)
        for place in order
    ]


def _list_failed_trials(failures: Sequence[FailedRuns], policy: FailurePolicy) -> list[RecordedTrial]:
    """List the runs that failed; those that are to count have what they took."""
    if policy == "count":
        return [
            RecordedTrial(tuple(entry.levels.items()), {name: (value,) for name, value in run.items()})
            for entry in failures
            for run in entry.values
        ] + _list_failed_trials([entry for entry in failures if not entry.values], "refuse")
    return [
        trial
        for entry in failures
        for trial in (
            *[RecordedTrial(tuple(entry.levels.items()), {}, 1, "failed", entry.reason)] * entry.failed,
            *[RecordedTrial(tuple(entry.levels.items()), {}, 1, "timed_out", entry.reason)] * entry.timed_out,
        )
    ]


def _compute_sha256(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
