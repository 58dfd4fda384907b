"""Tables with a row for each launch: CSV, TSV, JUBE's results (``jube result`` as CSV or as a table of bars).

``--value`` names the metric, ``--by`` what tells treatments apart; units are those that a header says in
brackets (``time[s]``, as JUBE writes it), ``--unit``, or the last part of the name (``time_s``, ``rss_MiB``).
"""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.rates import is_cost, is_rate
from steelyard.core.units import Better, Scalar, parse_float
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
from steelyard.files.reading import column_separator, csv_rows

CSV: Final = "csv"
TSV: Final = "tsv"
JUBE: Final = "jube"

_BARS: Final = re.compile(r"^\s*\|.*\|\s*$")
_RULE: Final = re.compile(r"^[\s|:+-]*$")
_TITLE: Final = re.compile(r"(.*?)\s*\[([^\]]*)\]\s*")


_MISSING: Final = frozenset({"na", "nan", "null", "none", "inf", "infinity", "n"})
"""Words for a value that is not there; a run that failed has others."""
_TIMEOUTS: Final = frozenset({"timeout", "timedout", "to", "tle", "timelimit", "outoftime", "dnf"})


SUFFIXES: Final = frozenset(
    """s sec seconds ms msec us usec ns B bytes kB KB MB GB KiB MiB GiB""".split()  # noqa: SIM905
)
"""Units that the name of a column may end with; not ``min``, which is a minimum, and not ``h``."""


class Chosen(msgspec.Struct, frozen=True):
    """The columns of a table.

    Attributes
    ----------
    value : tuple of str
        The metrics.
    by : tuple of str
        What tells treatments apart.
    unit : str or None
        Of values whose header says none.
    better : {"lower", "higher", "neither"} or None
        ``None``: by the unit and the name of each.
    """

    value: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    unit: str | None = None
    better: Better | None = None


def reads_jube(text: str, _place: str) -> bool:
    """Whether the text is a table of bars, as JUBE prints it."""
    lines = [line for line in text.splitlines() if line.strip()]
    return sum(bool(_BARS.match(line)) for line in lines[:4]) >= 2


def reads_csv(text: str, place: str) -> bool:
    """Whether the first line is one of several cells, with commas or semicolons between them."""
    return column_separator(text, place) in (",", ";")


def reads_tsv(text: str, place: str) -> bool:
    """Whether the first line is one of several cells, with tabs between them."""
    return column_separator(text, place) == "\t"


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
    titles = [_get_title(cell) for cell in rows[0][1]]
    names = [name for name, _ in titles]
    if not chosen.value:
        raise UsageError(
            f"{place}: --value is missing: which column has the measurements?",
            hint=f"--value COLUMN, one of: {', '.join(names)}",
        )
    headers = {cell.strip(): name for cell, name in zip(rows[0][1], names, strict=True)}
    chosen = replace(
        chosen,
        value=tuple(name if name in names else headers.get(name.strip(), name) for name in chosen.value),
        by=tuple(name if name in names else headers.get(name.strip(), name) for name in chosen.by),
    )
    for name in (*chosen.value, *chosen.by):
        if name not in names:
            raise UsageError(f"{place}: no column {name!r}", hint=f"columns: {', '.join(names)}")
    level_of = {
        name: levels_of_column(cells[names.index(name)] for _, cells in rows[1:] if len(cells) == len(names))
        for name in chosen.by
    }
    values_of: dict[tuple[tuple[tuple[str, Scalar], ...], str], list[tuple[float, ...]]] = {}
    failures: dict[tuple[tuple[str, Scalar], ...], FailedRuns] = {}
    lost = []
    for number, cells in rows[1:]:
        if len(cells) != len(names):
            raise UsageError(
                f"{place}, line {number}: {len(cells)} cells, but the header has {len(names)}",
                hint="the file was cut off, or a cell holds a separator; repair that line",
            )
        row = dict(zip(names, cells, strict=True))
        levels = tuple((identifier(name), level_of[name](row[name])) for name in chosen.by)
        for name in chosen.value:
            value = parse_float(row[name])
            if math.isfinite(value):
                values_of.setdefault((levels, name), []).append((value,))
            elif (failed := _read_failure(row[name], f"{place}, line {number}: {name}")) is not None:
                before = failures.get(levels, FailedRuns(dict(levels), reason=row[name]))
                failures[levels] = replace(
                    before,
                    failed=before.failed + failed.failed,
                    timed_out=before.timed_out + failed.timed_out,
                )
                break  # One run, however many of its columns say so.
            else:
                lost.append(f"line {number}: {name} is {row[name]!r}")
    units = {name: _get_unit(dict(titles)[name], chosen.unit, name, place) for name in chosen.value}
    better = {name: chosen.better or _get_direction(unit, name, place) for name, unit in units.items()}
    series = tuple(
        ImportedSeries(
            dict(levels), identifier(name), units[name].si,
            tuple(tuple(value * units[name].scale for value in group) for group in values), better[name],
        )
        for (levels, name), values in values_of.items()
    )  # fmt: skip
    notes = [f"Left out: {'; '.join(lost[:4])}{'; …' if len(lost) > 4 else ''}."] if lost else []
    notes += _tell_pooled(_list_pooled(names, [cells for _, cells in rows[1:]], chosen))
    return FileContents(tool, series, "launch", notes=tuple(notes), failures=tuple(failures.values()))


def _list_pooled(names: Sequence[str], rows: Sequence[Sequence[str]], chosen: Chosen) -> list[str]:
    """List the columns that look like factors and tell rows of one treatment apart; texts before numbers."""
    table = [dict(zip(names, cells, strict=True)) for cells in rows]
    candidates = [name for name in names if name not in (*chosen.value, *chosen.by)]
    pooled: list[str] = []
    for name in sorted(candidates, key=lambda name: _has_numbers({row[name] for row in table})):
        groups: dict[tuple[str, ...], list[str]] = {}
        for row in table:
            groups.setdefault(tuple(row[key] for key in (*chosen.by, *pooled)), []).append(row[name])
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


def _read_failure(text: str, place: str) -> FailedRuns | None:
    """Return what a word in place of a value says; ``None`` where the value is merely missing.

    Raises
    ------
    UsageError
        The text is a number as no program reads it: with marks of thousands, or with its unit.
    """
    if re.match(r"[-+.]?[0-9]", text):
        raise UsageError(
            f"{place} is {text!r}, which is not a number",
            hint="write numbers without marks of thousands and without a unit, as in 1234.5",
        )
    word = re.sub(r"[^a-z]", "", text.lower())
    if not word or word in _MISSING:
        return None
    return FailedRuns({}, timed_out=1) if word in _TIMEOUTS else FailedRuns({}, failed=1)


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


def _get_direction(unit: Unit, name: str, place: str) -> Better:
    direction = direction_of(unit.si) or ("higher" if is_rate(name, unit.si) else None)
    if direction is None and unit.si and not is_cost(name, unit.si):
        raise UsageError(
            f"{place}: --better is missing: is less {name} better, or more, in {unit.si}?",
            hint="--better lower, --better higher, or --better neither",
        )
    return direction or "lower"


def _get_unit(of_header: str | None, chosen_unit: str | None, name: str, place: str) -> Unit:
    text = of_header if of_header is not None else chosen_unit
    if text is None:
        text = _find_suffix(name)
    if text is None:
        hint = '--unit ms (--unit "" for a number)'
        raise UsageError(f"{place}: --unit is missing: what is the unit of {name}?", hint=hint)
    return any_unit(text)


def _find_suffix(name: str) -> str | None:
    """Return the unit that a name ends with: ``ms`` of ``wall_ms``; ``None`` where it ends with none."""
    stem, _, suffix = name.rpartition("_")
    return suffix if stem and suffix in SUFFIXES else None
