"""Tables with a row for each launch: CSV, TSV, JUBE's results (``jube result`` as CSV or as a table of bars).

``--value`` names the metric, ``--by`` what tells treatments apart; units are those that a header says in
brackets (``time[s]``, as JUBE writes it), ``--unit``, or the last part of the name (``time_s``, ``rss_MiB``).
"""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.rates import is_cost, is_rate
from steelyard.core.units import Better, Scalar, parse_float, read_side
from steelyard.extensions.exchange.covariates import ColumnsBeside
from steelyard.extensions.exchange.csv_columns import LAUNCHES
from steelyard.extensions.exchange.endings import StatusColumns, find_status
from steelyard.extensions.exchange.importers.contents import (
    FailedRuns,
    FileContents,
    ImportedSeries,
    Unit,
    any_unit,
    direction_of,
    identifier,
    levels_of_column,
)
from steelyard.extensions.exchange.importers.json_paths import ITERATION
from steelyard.extensions.exchange.outcomes import Ending, read_ending
from steelyard.files.reading import check_width, column_separator, csv_rows

CSV: Final = "csv"
TSV: Final = "tsv"
JUBE: Final = "jube"

Levels = tuple[tuple[str, Scalar], ...]

HEAD: Final = 65_536
"""Characters of a text that say whether it is a table."""
_TABLE_NAME: Final = re.compile(r"\.(csv|tsv|tab|dat)(\.gz|\.bz2)?$", re.IGNORECASE)
_CLOCK: Final = re.compile(r"(?:([0-9]+)-)?([0-9]{1,3}):([0-5][0-9]):([0-5][0-9](?:[.][0-9]+)?)")
"""Hours, minutes and seconds, after days; of two numbers nobody knows whether they are hours or minutes."""
_BARS: Final = re.compile(r"^\s*\|.*\|\s*$")
_RULE: Final = re.compile(r"^[\s|:+-]*$")
_TITLE: Final = re.compile(r"(.*?)\s*\[([^\]]*)\]\s*")


_MISSING: Final = frozenset({"na", "null", "none", "n"})
"""Words for a value that is not there; a run that failed has others."""
_DIVERGED: Final = frozenset({"nan", "inf", "infinity"})
"""Results of arithmetic that are no numbers: the run computed something, and failed at that."""
_TIMEOUTS: Final = frozenset({"timeout", "timedout", "timelimit", "outoftime"})
"""Words that are read whatever stands between their letters."""


SUFFIXES: Final = frozenset(
    """s sec seconds ms msec us usec ns B bytes kB KB MB GB KiB MiB GiB J kJ W kW""".split()  # noqa: SIM905
)
"""Units that the name of a column may end with; not ``min``, which is a minimum, and not ``h``."""
_RATE: Final = re.compile("(.+)_(?:per_s|per_sec|per_second)")
_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
"""Between the words of a name such as ``requestsPerSec``."""
_COUNTED: Final = frozenset(
    """tok tokens images imgs items samples requests reqs queries frames rows records operations events
    transactions messages packets edges updates kb mb gb tb kib mib gib bytes bits mbit gbit""".split()  # noqa: SIM905
)
"""What a rate counts, in names such as ``images_s``; singular nouns are of the time for one."""


_ERRORS: Final = frozenset(
    """sd std stddev stdev std_dev standard_deviation sigma se sem stderr std_err standard_error error err
    uncertainty u ci ci95 rel_error""".split()  # noqa: SIM905
)
"""Names of columns with the error of a mean."""


class Chosen(msgspec.Struct, frozen=True):
    """The columns of a table.

    Attributes
    ----------
    value : tuple of str
        The metrics.
    by : tuple of str
        What tells treatments apart.
    unit : str or None
        Of values whose header says none, or the column that has it.
    instance : str or None
        What names problem instances, the same ones for all treatments.
    seed : str or None
        What numbers the runs of a treatment on an instance.
    job : str or None
        What names jobs, whose rows are one value; ``""``: each row is one. ``None``: by its name.
    status : str or None
        What says what became of a row; ``None``: by its name.
    ok : tuple of str
        Words of that column for runs that went well, beside those that are usual.
    better : {"lower", "higher", "neither"} or None
        ``None``: by the unit and the name of each.
    sides : mapping of str to {"lower", "higher", "neither"}
        The same for metrics of their own.
    units : mapping of str to str
        Of values that have one of their own.
    """

    value: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    unit: str | None = None
    better: Better | None = None
    instance: str | None = None
    seed: str | None = None
    job: str | None = None
    status: str | None = None
    ok: tuple[str, ...] = ()
    sides: Mapping[str, Better] = {}
    units: Mapping[str, str] = {}

    @property
    def levels(self) -> tuple[str, ...]:
        """Columns that become factors."""
        return (*self.by, *filter(None, (self.instance,)))


def reads_jube(text: str, _place: str) -> bool:
    """Whether the text is a table of bars, as JUBE prints it."""
    lines = [line for line in text.splitlines() if line.strip()]
    return sum(bool(_BARS.match(line)) for line in lines[:4]) >= 2


def reads_csv(text: str, place: str) -> bool:
    """Whether the first line is one of several cells, with commas, semicolons or bars between them."""
    return column_separator(text, place) in (",", ";", "|") and _has_columns(text, place)


def reads_tsv(text: str, place: str) -> bool:
    """Whether the first line is one of several cells, with tabs between them."""
    return column_separator(text, place) == "\t" and _has_columns(text, place)


def _has_columns(text: str, place: str) -> bool:
    """Whether the line below the first one has as many cells, where no name says that it is a table."""
    if _TABLE_NAME.search(place) or '"' in text[:HEAD]:
        return True
    separator = column_separator(text, place)
    first, *rest = [line for line in text[:HEAD].splitlines() if line.strip()][:2]
    return not rest or first.count(separator) == rest[0].count(separator)


def read(text: str, place: str, tool: str, chosen: Chosen) -> FileContents:
    """All rows, each a launch.

    Raises
    ------
    UsageError
        A column is not there, no metric was named, a unit is not known, or a row is incomplete.
    """
    rows = list(_split_bars(text) if reads_jube(text, place) else _split_cells(text, place, tool))
    if not rows:
        raise UsageError(f"{place}: the table is empty", hint="give a file with a header and a row a launch")
    return read_cells(rows[0][1], rows[1:], place, tool, chosen)


def read_cells(
    header: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]], place: str, tool: str, chosen: Chosen
) -> FileContents:
    """All rows, each a launch, and those of one job together.

    Parameters
    ----------
    header : sequence of str
        Titles of the columns, with their units in brackets.
    rows : sequence of (int, sequence of str)
        Number of the line, and the cells.

    Raises
    ------
    UsageError
        As ``read``.
    """
    titles = [_get_title(cell) for cell in header]
    names = [name for name, _ in titles]
    chosen = _resolve(chosen, header, names, place)
    table = [(number, _make_row(names, cells, f"{place}, line {number}")) for number, cells in rows]
    units = dict(titles)
    for name in chosen.value:
        if _count_seconds(name, [row for _, row in table]) and units[name] is None:
            units[name] = "s"
    named = (*chosen.value, *chosen.levels, *filter(None, (chosen.seed, chosen.job)))
    status = find_status(names, [row for _, row in table], named, chosen.status, chosen.ok)
    chosen = replace(chosen, job=_find_job(names, [row for _, row in table], chosen))
    level_of = {name: levels_of_column(row[name] for _, row in table) for name in chosen.levels}
    reading = _TableReading(chosen, status, units, place)
    for number, row in table:
        levels = tuple((identifier(name), level_of[name](row[name])) for name in chosen.levels)
        reading.add(levels, row, number)
    assigned = (*named, *status.words, *status.codes, *filter(None, (chosen.job, reading.unit_column)))
    notes = [
        *reading.list_notes(),
        *_tell_summaries(names, [row for _, row in table], assigned, chosen),
        *_tell_pooled(_list_pooled(names, [row for _, row in table], assigned, chosen)),
    ]
    return FileContents(
        tool,
        reading.make_series(),
        "launch",
        notes=tuple(notes),
        failures=reading.list_failures(),
        instances=identifier(chosen.instance) if chosen.instance is not None else "",
        beside=reading.list_beside([name for name in names if name not in assigned]),
    )


def _resolve(chosen: Chosen, header: Sequence[str], names: Sequence[str], place: str) -> Chosen:
    """Return the columns by their names without units; as the header spells them they are known, too."""
    if not chosen.value:
        raise UsageError(
            f"{place}: --value is missing: which column has the measurements?",
            hint=f"--value COLUMN, one of: {', '.join(names)}",
        )
    headers = {cell.strip(): name for cell, name in zip(header, names, strict=True)}

    def find(name: str) -> str:
        column = name if name in names else headers.get(name.strip(), name)
        if column not in names:
            raise UsageError(f"{place}: no column {name!r}", hint=f"columns: {', '.join(names)}")
        return column

    roles = {
        role: find(name)
        for role in ("instance", "seed", "job", "status")
        if (name := getattr(chosen, role)) is not None and not (role == "job" and name == "")
    }
    return replace(chosen, value=tuple(map(find, chosen.value)), by=tuple(map(find, chosen.by)), **roles)


def _count_seconds(name: str, rows: Sequence[dict[str, str]]) -> bool:
    """Write times of a clock, such as ``1-02:03:04`` of sacct, in seconds; say whether there was one."""
    matches = [(row, match) for row in rows if (match := _CLOCK.fullmatch(row[name]))]
    for row, match in matches:
        days, hours, minutes, seconds = (float(group or 0) for group in match.groups())
        row[name] = repr(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
    return bool(matches)


def _make_row(names: Sequence[str], cells: Sequence[str], line: str) -> dict[str, str]:
    check_width(names, cells, line)
    return dict(zip(names, cells, strict=True))


def _find_job(names: Sequence[str], rows: Sequence[Mapping[str, str]], chosen: Chosen) -> str | None:
    """Return the column that names jobs, chosen or by a usual name, where some job has several rows."""
    if chosen.job == "":
        return None
    assigned = (*chosen.value, *chosen.levels, chosen.seed, chosen.status)
    usual = [name for name in names if name.lower() in LAUNCHES and name not in assigned]
    name = chosen.job or (usual[0] if len(usual) == 1 else None)
    if name is None or chosen.job is not None:
        return name
    jobs = Counter((row[name], *(row[key] for key in chosen.levels)) for row in rows)
    return name if any(count > 1 for count in jobs.values()) else None


class _FailedLaunch(msgspec.Struct, frozen=True):
    """A launch that failed: how, why, and the values that its rows have all the same, by metric."""

    ending: Ending
    reason: str
    values: dict[str, list[float]] = {}


class _TableReading:
    """Values and outcomes of a table, row by row."""

    def __init__(
        self, chosen: Chosen, status: StatusColumns, units: Mapping[str, str | None], place: str
    ) -> None:
        self.chosen, self.status, self.place = chosen, status, place
        self.unit_column = chosen.unit if chosen.unit in units else None
        self._units = units
        self._values: dict[tuple[Levels, str], dict[str, list[float]]] = {}
        self._unit_of: dict[str, Unit] = {}
        self._lost: list[str] = []
        self._rows: list[tuple[Levels, float, Mapping[str, str]]] = []
        self._seeds: set[tuple[Levels, str]] = set()
        self._failed: dict[tuple[Levels, str], _FailedLaunch] = {}

    def add(self, levels: Levels, row: Mapping[str, str], number: int) -> None:
        """Add a row: a run with values, or one that failed, or one without any value."""
        line = f"{self.place}, line {number}"
        self._refuse_repeated(levels, row, line)
        ending, reason = self.status.read(row, line)
        values: dict[str, float] = {}
        missing: list[str] = []
        for name in self.chosen.value:
            value = parse_float(row[name])
            if math.isfinite(value):
                values[name] = value * self._find_unit(name, row).scale
                continue
            failure = _read_failure(row[name], f"{line}: {name}")
            missing.append(f"line {number}: {name} is {row[name]!r}")
            if failure is not None and ending == "ok":
                # One run, however many of its columns say so.
                ending = failure
                reason = f"{name} is {row[name]}" if _is_diverged(row[name]) else row[name]
        if ending == "ok" and values:
            self._lost += missing
            self._keep(levels, row, number, values)
            return
        if ending == "ok":
            self._lost += missing
            ending, reason = "failed", "no value"
        launch = self._name_launch(row, number)
        failed = self._failed.setdefault((levels, launch), _FailedLaunch(ending, reason))
        for name, value in values.items():
            failed.values.setdefault(identifier(name), []).append(value)

    def _refuse_repeated(self, levels: Levels, row: Mapping[str, str], line: str) -> None:
        """Refuse a second row of one treatment, instance and seed."""
        if self.chosen.seed is None:
            return
        key = (levels, row[self.chosen.seed])
        if key in self._seeds:
            name = ", ".join(str(level) for _, level in levels)
            raise UsageError(
                f"{line}: {name} has a second row of {self.chosen.seed} {row[self.chosen.seed]}",
                hint="name the columns that tell them apart: --by COLUMN",
            )
        self._seeds.add(key)

    def _name_launch(self, row: Mapping[str, str], number: int) -> str:
        return f"job {row[self.chosen.job]}" if self.chosen.job is not None else f"line {number}"

    def _keep(self, levels: Levels, row: Mapping[str, str], number: int, values: Mapping[str, float]) -> None:
        launch = self._name_launch(row, number)
        for name, value in values.items():
            self._values.setdefault((levels, name), {}).setdefault(launch, []).append(value)
        self._rows.append((levels, next(iter(values.values())), row))

    def _find_unit(self, name: str, row: Mapping[str, str]) -> Unit:
        if self.unit_column is None:
            if name not in self._unit_of:
                # Of several metrics, that of one name is no unit for those whose names say another.
                of_name = _find_suffix(name) if len(self.chosen.value) > 1 else None
                chosen_unit = self.chosen.units.get(name, of_name or self.chosen.unit)
                self._unit_of[name] = _read_unit(self._units[name], chosen_unit, name, self.place)
            return self._unit_of[name]
        unit = any_unit(row[self.unit_column])
        first = self._unit_of.setdefault(name, unit)
        if first.si != unit.si:
            raise UsageError(
                f"{self.place}: {name} is in {first.si or 'no unit'} and in {unit.si or 'no unit'}",
                hint="make a table of each, or give each a column of its own",
            )
        return unit

    def make_series(self) -> tuple[ImportedSeries, ...]:
        """Return each metric of each treatment; a launch has the mean of its rows."""
        better = {
            name: self._find_side(name) or _read_direction(unit, name, self.place)
            for name, unit in self._unit_of.items()
        }
        return tuple(
            ImportedSeries(
                dict(levels), identifier(name), self._unit_of[name].si,
                tuple((fmean(rows),) for rows in launches.values()), better[name],
            )
            for (levels, name), launches in self._values.items()
        )  # fmt: skip

    def _find_side(self, name: str) -> Better | None:
        sides = self.chosen.sides
        return sides.get(name) or sides.get(identifier(name)) or self.chosen.better

    def list_failures(self) -> tuple[FailedRuns, ...]:
        """Return the launches of each treatment that failed; a job is one, with the mean of its rows."""
        failures: dict[Levels, FailedRuns] = {}
        for (levels, _), launch in self._failed.items():
            before = failures.get(levels, FailedRuns(dict(levels), reason=launch.reason))
            values = {name: fmean(rows) for name, rows in launch.values.items()}
            failures[levels] = replace(
                before,
                failed=before.failed + (launch.ending == "failed"),
                timed_out=before.timed_out + (launch.ending == "timed_out"),
                values=(*before.values, *([values] if values else [])),
            )
        return tuple(failures.values())

    def list_notes(self) -> list[str]:
        """List what was left out, and what became one value."""
        lost = self._lost
        notes = [f"Left out: {'; '.join(lost[:4])}{'; …' if len(lost) > 4 else ''}."] if lost else []
        joined = sum(len(launches) for launches in self._values.values())
        rows = sum(len(values) for launches in self._values.values() for values in launches.values())
        if self.chosen.job is not None and joined < rows:
            notes.append(
                f"Rows of one {self.chosen.job} share its luck: the mean of each is one value, {joined} of"
                f' {rows} rows. --job "" counts each row.'
            )
        return notes

    def list_beside(self, names: Sequence[str]) -> ColumnsBeside | None:
        """Return the rows with the columns that have no role."""
        if not names or not self._rows:
            return None
        return ColumnsBeside(
            tuple(dict(levels) for levels, _, _ in self._rows),
            tuple(value for _, value, _ in self._rows),
            {name: tuple(row[name] for _, _, row in self._rows) for name in names},
        )


def _tell_summaries(
    names: Sequence[str], table: Sequence[Mapping[str, str]], assigned: Sequence[str], chosen: Chosen
) -> list[str]:
    """Say that a row is a mean, where each treatment has one, and a column with its error lies beside it."""
    rows = Counter(tuple(row[name] for name in chosen.levels) for row in table)
    errors = [
        name
        for name in names
        if name not in assigned
        and "_".join(re.split(r"[\W_]+", name.lower())).strip("_") in _ERRORS
        and all(math.isfinite(parse_float(row[name])) for row in table)
    ]
    if not errors or max(rows.values()) > 1:
        return []
    return [
        (
            f"Each row is a mean, whose error is {errors[0]}: one value, on which no verdict rests, since the"
            " error does not say what its runs share. Import the runs themselves; steelyard efficiency and"
            " steelyard model read errors (--u, --n)."
        )
    ]


def _list_pooled(
    names: Sequence[str], table: Sequence[Mapping[str, str]], assigned: Sequence[str], chosen: Chosen
) -> list[str]:
    """List the columns that look like factors and tell rows of one treatment apart; texts before numbers."""
    candidates = [name for name in names if name not in (*assigned, ITERATION)]
    pooled: list[str] = []
    for name in sorted(candidates, key=lambda name: _has_numbers({row[name] for row in table})):
        groups: dict[tuple[str, ...], list[str]] = {}
        for row in table:
            groups.setdefault(tuple(row[key] for key in (*chosen.levels, *pooled)), []).append(row[name])
        if any(map(_are_levels, groups.values())):
            pooled.append(name)
    return pooled


def _are_levels(cells: Sequence[str]) -> bool:
    """Whether there are several values that repeat.

    Numbers must all repeat, since measurements and counts have equal values by chance.
    """
    counts = Counter(cells)
    if len(counts) < 2:
        return False
    return min(counts.values()) > 1 if _has_numbers(counts) else len(counts) < len(cells)


def _has_numbers(cells: Iterable[str]) -> bool:
    return any(math.isfinite(parse_float(cell)) for cell in cells)


def _tell_pooled(names: Sequence[str]) -> list[str]:
    if not names:
        return []
    text = " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    verb = "tells" if len(names) == 1 else "tell"
    options = " ".join(f"--by {shlex.quote(name)}" for name in names)
    return [f"Rows that differ in {text} count as runs of one treatment; {options} {verb} them apart."]


def _read_failure(text: str, place: str) -> Ending | None:
    """Return what a word in place of a value says; ``None`` where the value is merely missing.

    Raises
    ------
    UsageError
        The text is a number as no program reads it: with marks of thousands, or with its unit.
    """
    if re.match(r"[-+.]?[0-9].*(±|\+-|\+/-)", text):
        raise UsageError(
            f"{place} is {text!r}: a mean with its error, of which no verdict is made",
            hint="import the runs themselves; steelyard efficiency and model read errors (--u, --n)",
        )
    if re.match(r"[-+.]?[0-9]", text):
        raise UsageError(
            f"{place} is {text!r}, which is not a number",
            hint="write numbers without marks of thousands and without a unit, as in 1234.5",
        )
    word = _get_letters(text)
    if not word or word in _MISSING:
        return None
    return "timed_out" if read_ending(text) == "timed_out" or word in _TIMEOUTS else "failed"


def _is_diverged(text: str) -> bool:
    return _get_letters(text.partition("(")[0]) in _DIVERGED


def _get_letters(text: str) -> str:
    return re.sub(r"[^a-z]", "", text.lower())


def _split_cells(text: str, place: str, tool: str) -> Iterator[tuple[int, Sequence[str]]]:
    rows = csv_rows(text, place, "\t" if tool == TSV else "")
    yield from ((number, [cell.strip() for cell in cells]) for number, cells in rows if cells)


def _split_bars(text: str) -> Iterator[tuple[int, Sequence[str]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if "|" in line and not _RULE.match(line):
            yield number, [cell.strip() for cell in line.strip().strip("|").split("|")]


def _get_title(cell: str) -> tuple[str, str | None]:
    match = _TITLE.fullmatch(cell)
    return (match[1], match[2]) if match else (cell, None)


def _read_direction(unit: Unit, name: str, place: str) -> Better:
    direction = direction_of(unit.si) or ("higher" if is_rate(name, unit.si) else None)
    if direction is None and unit.si and not is_cost(name, unit.si):
        raise UsageError(
            f"{place}: --better is missing: is less {name} better, or more, in {unit.si}?",
            hint=f"--better {shlex.quote(name)}=lower, or --better {shlex.quote(name)}=higher",
        )
    return direction or "lower"


def read_sides(
    texts: Sequence[str], value: Sequence[str] | None = None
) -> tuple[Better | None, dict[str, Better]]:
    """Return which way is better of every metric of a table, and of those that are named.

    Parameters
    ----------
    value : sequence of str, optional
        Columns that may be named; any where there are none.

    Raises
    ------
    UsageError
        One is no side, or is of a column that is no ``value``.
    """
    every: Better | None = None
    sides: dict[str, Better] = {}
    for text in texts:
        name, _, word = text.rpartition("=")
        side = read_side(word)
        if side is None:
            raise UsageError(
                f"--better {text}: expected lower, higher or neither, or COLUMN=SIDE",
                hint=f"--better {name or 'COLUMN'}=higher",
            )
        if not name:
            every = side
        elif value is not None and name not in value:
            raise UsageError(
                f"--better {text}: {name} is no --value",
                hint=f"columns that are measured: {', '.join(value) or 'none; --value names them'}",
            )
        else:
            sides[name] = side
    return every, sides


def read_units(texts: Sequence[str], value: Sequence[str]) -> tuple[str | None, dict[str, str]]:
    """Return the unit of every metric of a table, or its column, and those of metrics that are named.

    Raises
    ------
    UsageError
        Two units are of one metric, or one is of a column that is no ``value``.
    """
    every: list[str] = []
    units: dict[str, str] = {}
    for text in texts:
        name, sign, unit = text.partition("=")
        if not sign:
            every.append(text)
        elif name not in value:
            raise UsageError(
                f"--unit {text}: {name} is no --value",
                hint=f"columns that are measured: {', '.join(value) or 'none; --value names them'}",
            )
        elif units.setdefault(name, unit) != unit:
            raise UsageError(f"--unit {text}: {name} is in {units[name]}, too", hint="keep one of them")
    if len(every) > 1:
        raise UsageError(
            f"--unit {every[1]}: all metrics are in {every[0]}",
            hint=f"say of which: --unit COLUMN={every[1]}",
        )
    return (every[0] if every else None), units


def _read_unit(of_header: str | None, chosen_unit: str | None, name: str, place: str) -> Unit:
    text = of_header if of_header is not None else chosen_unit
    if text is None:
        text = _find_suffix(name)
    if text is None:
        hint = '--unit ms (--unit "" for a number)'
        raise UsageError(f"{place}: --unit is missing: what is the unit of {name}?", hint=hint)
    return any_unit(text)


def _find_suffix(name: str) -> str | None:
    """Return the unit that a name ends with: ``ms`` of ``wall_ms``, ``tokens/s`` of ``tokens_per_s``.

    It is ``None`` where the name ends with none, and where ``s`` may be of a rate: ``images_s``.
    """
    if (rate := _RATE.fullmatch(_CAPITAL.sub("_", name).lower())) is not None:
        return f"{rate[1].rpartition('_')[2]}/s"
    stem, _, suffix = name.rpartition("_")
    if not stem or suffix not in SUFFIXES:
        return None
    words = set(stem.lower().split("_"))
    is_doubtful = suffix in ("s", "sec") and (is_rate(stem) or not words.isdisjoint(_COUNTED))
    return None if is_doubtful else suffix
