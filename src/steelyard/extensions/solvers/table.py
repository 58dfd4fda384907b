"""Runs of solvers from a table: CSV or TSV with a row a run, whose columns have roles."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.units import parse_float
from steelyard.extensions.exchange.endings import StatusColumns, find_status
from steelyard.extensions.exchange.outcomes import read_exit_code
from steelyard.extensions.solvers.runs import OUTCOMES, Outcome, SolverRun, read_answer, read_outcome
from steelyard.files.reading import check_width, csv_rows, read_text

_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "instance": ("instance", "benchmark", "problem", "input", "file", "task"),
    "solver": ("solver", "tool", "configuration", "config", "system", "program", "algorithm"),
    "seed": ("seed", "repetition", "run"),
    "status": ("status", "outcome", "result"),
    "time": ("time_s", "time", "runtime", "cputime", "walltime", "seconds", "elapsed", "time_ms", "time_us"),
}
"""Names by which a column is known without an option."""
SCALES: Final[Mapping[str, float]] = {
    "s": 1.0,
    "ms": 1e-3,
    "msec": 1e-3,
    "us": 1e-6,
    "usec": 1e-6,
    "ns": 1e-9,
}
"""Seconds, by the unit of times, with which a column's name may end."""


class Roles(msgspec.Struct, frozen=True):
    """Which column says what; ``None``: the one with a name that is usual for it.

    Attributes
    ----------
    solved : tuple of str
        Words of the status of a run that was solved; without any, those that are usual.
    scale : float or None
        Seconds in a unit of the times; ``None``: of the unit that the column's name ends with, else 1.
    """

    instance: str | None = None
    solver: str | None = None
    seed: str | None = None
    status: str | None = None
    time: str | None = None
    solved: tuple[str, ...] = ()
    scale: float | None = None


def read_table(path: Path, roles: Roles, solver: str | None = None) -> tuple[SolverRun, ...]:
    """Read all rows; a table without a status has no run that failed except those without a time.

    Parameters
    ----------
    solver : str, optional
        That of a table without a column of solvers.

    Raises
    ------
    UsageError
        A column is missing, a row has too few or too many cells, a status is not known, or the time of a
        solved run is no number.
    """
    place = str(path)
    text = read_text(path, hint="give a CSV or TSV file with a row a run, or a record NAME.lab")
    rows = [(number, [cell.strip() for cell in cells]) for number, cells in csv_rows(text, place) if cells]
    if len(rows) < 2:
        raise UsageError(f"{place}: the table has no rows", hint="give a header and a row a run")
    header = rows[0][1]
    columns = {role: _find_column(role, getattr(roles, role), header, place) for role in _NAMES}
    for role in ("instance", "solver", "time"):
        if columns[role] is None and not (role == "solver" and solver is not None):
            option = f"--{role} COLUMN"
            raise UsageError(
                f"{place}: no column is known to be the {role}", hint=f"{option}, one of: {', '.join(header)}"
            )
    numbered = [(number, _make_row(header, cells, f"{place}, line {number}")) for number, cells in rows[1:]]
    assigned = [name for role, name in columns.items() if name is not None and role != "status"]
    endings = find_status(header, [row for _, row in numbered], assigned, columns["status"], roles.solved)
    runs = tuple(_read_runs(numbered, columns, roles, endings, place))
    if solver is None or columns["solver"] is not None:
        return runs
    return tuple(replace(run, solver=solver) for run in runs)


def _make_row(header: Sequence[str], cells: Sequence[str], line: str) -> dict[str, str]:
    check_width(header, cells, line)
    return dict(zip(header, cells, strict=True))


def _find_column(role: str, name: str | None, header: Sequence[str], place: str) -> str | None:
    if name is not None:
        if name not in header:
            close = get_close_matches(name, header, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"columns: {', '.join(header)}"
            raise UsageError(f"{place}: no column {name!r}", hint=hint)
        return name
    spellings = {title.lower(): title for title in reversed(header)}
    return next((spellings[usual] for usual in _NAMES[role] if usual in spellings), None)


def _read_runs(
    rows: Sequence[tuple[int, Mapping[str, str]]],
    columns: Mapping[str, str | None],
    roles: Roles,
    endings: StatusColumns,
    place: str,
) -> Iterator[SolverRun]:
    suffix = (columns["time"] or "").rpartition("_")[2]
    scale = roles.scale if roles.scale is not None else SCALES.get(suffix, 1.0)
    for number, row in rows:
        texts = {role: row[name] if name is not None else "" for role, name in columns.items()}
        line = f"{place}, line {number}"
        time_s = scale * parse_float(texts["time"])
        outcome: Outcome = "solved"
        reason = texts["status"] or texts["time"]
        if roles.solved and columns["status"] is not None:
            outcome = "solved" if texts["status"] in roles.solved else _read_unsolved(texts["status"])
        elif columns["status"] is not None and not endings.codes:
            outcome = read_outcome(texts["status"], line)
        elif endings.words or endings.codes:
            ending, reason = endings.read(row, line)
            outcome = OUTCOMES[ending]
        elif not math.isfinite(time_s):
            outcome = read_outcome(texts["time"], line) if texts["time"] else "failed"
        if outcome == "solved" and not (math.isfinite(time_s) and time_s >= 0):
            raise UsageError(
                f"{line}: the run is solved, and its time is {texts['time']!r}",
                hint="give the seconds that it took, or another status",
            )
        yield SolverRun(
            texts["solver"],
            texts["instance"],
            outcome,
            time_s if math.isfinite(time_s) else math.inf,
            texts["seed"],
            read_answer(texts["status"]) if outcome == "solved" else "",
            reason if outcome != "solved" else "",
        )


def _read_unsolved(text: str) -> Outcome:
    """Read what became of a run that has none of the words for solved ones."""
    try:
        outcome = read_outcome(text, "")
    except UsageError:
        return "timeout" if read_exit_code(text) == "timed_out" else "failed"
    return "failed" if outcome == "solved" else outcome
