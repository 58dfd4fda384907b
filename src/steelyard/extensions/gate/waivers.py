"""Waivers: changes for the worse that a project accepts on purpose, up to a ceiling and until a date.

They stand in ``.steelyard/waivers.toml`` of head, so that the change that needs one brings it; beside them
stand benchmarks that have another name in head, which are compared with those of their old names in base.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.extensions.gate.metrics import TIME, name_alternatives
from steelyard.extensions.gate.request import GateRequest
from steelyard.extensions.gate.results import Gate, GatedBenchmark, Waiver
from steelyard.extensions.repository.repository import Repository
from steelyard.files.plain import NotPlainError, read_plain

PLACE: Final = ".steelyard/waivers.toml"
LARGEST: Final = 2**20
"""Bytes that the file may have."""
_CPUS: Final = re.compile(r"-\d+$")


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table ``[[waivers]]``, as it is written."""

    benchmark: str
    ceiling: str | float
    reason: str
    until: dt.date
    metric: str = TIME


class _Rename(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table ``[[renames]]``: a benchmark of base, and what it is called in head."""

    old: str
    new: str


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    waivers: tuple[_Table, ...] = ()
    renames: tuple[_Rename, ...] = ()


class Accepted(msgspec.Struct, frozen=True):
    """What the file of head accepts.

    Attributes
    ----------
    waivers : tuple of Waiver
    renames : dict
        Name in head to name in base.
    """

    waivers: tuple[Waiver, ...] = ()
    renames: dict[str, str] = {}


def load_accepted(request: GateRequest, repository: Repository | None) -> Accepted:
    """Return the waivers and renames of head; none where it has no file.

    Raises
    ------
    UsageError
        The file cannot be read, or says something that is not understood: a gate does not guess.
    """
    text = _read_directory(request) if repository is None else _read_commit(request, repository)
    return Accepted() if text is None else Accepted(parse_waivers(text), parse_renames(text))


def _read_directory(request: GateRequest) -> bytes | None:
    file = Path(request.head, PLACE)
    try:
        return read_plain(file, largest=LARGEST)
    except (NotPlainError, OSError) as error:
        raise UsageError(f"{file}: {error}", hint="make it a plain file") from None


def _read_commit(request: GateRequest, repository: Repository) -> bytes | None:
    head = repository.commit(request.head)
    if not repository.ask("ls-tree", "--full-tree", head, "--", PLACE):
        return None
    return repository.ask("show", f"{head}:{PLACE}").encode()


def parse_waivers(text: bytes) -> tuple[Waiver, ...]:
    """Return the waivers of a file.

    Raises
    ------
    UsageError
        It is no TOML, has a key that is unknown or misses one, a ceiling that is no fraction above 0, no
        reason, or two waivers of one metric of a benchmark.
    """
    tables = _decode(text).waivers
    waivers = tuple(
        Waiver(table.benchmark, table.metric, _read_ceiling(table), table.reason, table.until)
        for table in tables
    )
    for place, waiver in enumerate(waivers):
        if not waiver.reason.strip():
            raise UsageError(
                f"{PLACE}: the waiver of {waiver.benchmark} has no reason", hint="say why it is accepted"
            )
        if any(_is_same(waiver, earlier) for earlier in waivers[:place]):
            raise UsageError(
                f"{PLACE}: two waivers of {waiver.benchmark} ({waiver.metric})", hint="leave one of them out"
            )
    return waivers


def parse_renames(text: bytes) -> dict[str, str]:
    """Return the renames of a file, by the names in head.

    Raises
    ------
    UsageError
        As ``parse_waivers``; or a name stands twice on one side, or on both.
    """
    tables = _decode(text).renames
    for names in ([table.old for table in tables], [table.new for table in tables]):
        if twice := [name for place, name in enumerate(names) if name in names[:place]]:
            raise UsageError(f"{PLACE}: two renames of {twice[0]}", hint="a benchmark has one old name")
    if idle := [table.old for table in tables if table.old == table.new]:
        raise UsageError(f"{PLACE}: {idle[0]} is renamed to itself", hint="leave that rename out")
    return {table.new: table.old for table in tables}


def _decode(text: bytes) -> _File:
    try:
        return msgspec.toml.decode(text, type=_File)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{PLACE}: {error}",
            hint="each [[waivers]] has benchmark, ceiling, reason and until; metric where it is no time;"
            " each [[renames]] has old and new",
        ) from None


def _is_same(waiver: Waiver, earlier: Waiver) -> bool:
    return (waiver.benchmark, waiver.metric) == (earlier.benchmark, earlier.metric)


def _read_ceiling(table: _Table) -> float:
    text = str(table.ceiling)
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise UsageError(
            f"{PLACE}: {table.benchmark}: ceiling {text!r} is no fraction above 0",
            hint='ceiling = "20%" accepts a time up to 20 % above that of base',
        )
    return value


def find_spelling(name: str, names: Collection[str], harness: str) -> str:
    """Return the one of the names that is meant.

    Go writes the number of CPUs behind a name (``BenchmarkSort-8``), which differs from machine to machine: a
    file that has the name without it means the benchmark on any of them.
    """
    if harness != "go" or name in names:
        return name
    spellings = [entry for entry in names if _CPUS.sub("", entry) == name]
    return spellings[0] if len(spellings) == 1 else name


def apply_waivers(answer: Gate, waivers: Sequence[Waiver], today: dt.date) -> Gate:
    """Return the answer with what is waived, and a note on each waiver that is not used.

    A benchmark that is slower is waived while its change is at most the ceiling, up to and with the date.
    """
    entries, notes = list(answer.benchmarks), list(answer.notes)
    unmatched = []
    for waiver in waivers:
        names = name_alternatives(waiver.metric, answer.metrics)
        title = find_spelling(
            waiver.benchmark, {entry.name for entry in entries if entry.metric in names}, answer.harness
        )
        row = next(
            (place for place, entry in enumerate(entries) if entry.name == title and entry.metric in names),
            None,
        )
        if row is None and answer.shard is not None:
            unmatched.append(f"{waiver.benchmark} ({waiver.metric})")
        elif row is None or entries[row].verdict != "slower":
            state = "is not in this gate" if row is None else f"is {entries[row].verdict}"
            notes.append(
                f"{PLACE}: the waiver of {waiver.benchmark} ({waiver.metric}) is not used: it {state}."
            )
        elif trouble := _find_trouble(answer, entries[row], waiver, today):
            notes.append(
                f"{PLACE}: the waiver of {waiver.benchmark} ({waiver.metric}) does not hold: {trouble}."
            )
        else:
            entries[row] = replace(entries[row], verdict="waived", waiver=waiver)
    shard = answer.shard and replace(answer.shard, unmatched=tuple(unmatched))
    return replace(answer, benchmarks=tuple(entries), notes=tuple(notes), shard=shard)


def _find_trouble(answer: Gate, entry: GatedBenchmark, waiver: Waiver, today: dt.date) -> str | None:
    """Return why a waiver does not hold; ``None`` where it does."""
    if today > waiver.until:
        return f"it ended on {waiver.until}"
    if entry.change is None:
        return "a count that was 0 has no relative change, and no ceiling"
    # What is decided about is the larger of both: a mean may hide what a typical run shows.
    changes = [entry.change, *([entry.typical.change] if entry.typical else [])]
    sign = -1 if answer.find_metric(entry).better == "higher" else 1
    worst = max(sign * change for change in changes)
    if worst > waiver.ceiling:
        return f"{100 * worst:.3g} % is above its ceiling of {100 * waiver.ceiling:.3g} %"
    return None
